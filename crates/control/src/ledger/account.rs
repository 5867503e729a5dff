//! The accounts of one run as reports and black boxes have them, read from JSON of any origin.

use livetime_engine::LossReason;
use serde_json::{Map, Value, json};

use super::cut::CutEnd;
use super::error::LedgerError;
use super::fields::{Lost, list, lost, number, object, sum, text};

/// How far the accounts of a run go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// To the end of the run.
    Ended,
    /// The run goes on.
    Running,
    /// The run was killed: its counts after its last copy are unknown.
    Killed,
}

impl State {
    /// Name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            State::Ended => "ended",
            State::Running => "running",
            State::Killed => "killed",
        }
    }

    fn of(name: &str) -> Option<State> {
        [State::Ended, State::Running, State::Killed].into_iter().find(|state| state.name() == name)
    }
}

/// The account of an edge.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EdgeLine {
    /// `node.output`.
    pub from: String,
    /// `node.input`.
    pub to: String,
    /// Frames offered.
    pub offered: u64,
    /// Frames handed on.
    pub delivered: u64,
    /// Frames that wait.
    pub queued: u64,
    /// Losses.
    pub lost: Lost,
    /// Unintended losses among them; the policy of the edge decides which are.
    pub unintended: u64,
}

impl EdgeLine {
    /// Whether offered = delivered + lost + queued.
    pub fn is_closed(&self) -> bool {
        sum([self.delivered, self.queued].into_iter().chain(self.lost.values().copied()))
            == Some(self.offered)
    }
}

/// The account of a node.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NodeLine {
    /// Its name.
    pub name: String,
    /// Frames handed to it.
    pub received: u64,
    /// Frames that it completed.
    pub completed: u64,
    /// Frames that it sent.
    pub emitted: u64,
    /// Losses in it.
    pub lost: Lost,
    /// Since when frames of an unknown number may be missing, as the node said.
    pub unknown_since: Option<String>,
}

impl NodeLine {
    /// Whether each received frame was completed or lost; true for a source.
    pub fn is_closed(&self) -> bool {
        let lost = self.lost.iter().filter(|(name, _)| !is_beside_frames(name)).map(|(_, n)| *n);
        self.received == 0 || sum(lost.chain([self.completed])) == Some(self.received)
    }

    /// Unintended losses.
    pub fn unintended(&self) -> u64 {
        self.lost.iter().filter(|(name, _)| !is_intended(name)).map(|(_, n)| *n).sum()
    }
}

/// The accounts of one run.
#[derive(Clone, PartialEq, Debug)]
pub struct RunAccount {
    /// Its id; empty in reports of versions without one.
    pub run: String,
    /// Its pipeline file.
    pub pipeline: String,
    /// How far the counts go.
    pub state: State,
    /// When the counts were read, in UTC; everything counted before is in them. `None` for the end of the run.
    pub known_until: Option<String>,
    /// The host and the process, `host, process 12`; empty in reports.
    pub whose: String,
    /// Edges.
    pub edges: Vec<EdgeLine>,
    /// Nodes.
    pub nodes: Vec<NodeLine>,
    /// Ends of cuts.
    pub cuts: Vec<CutEnd>,
    /// Runs of the same pipeline that were killed before it, oldest first; they have none themselves.
    pub previous: Vec<RunAccount>,
    /// Killed runs of which only this count is left.
    pub previous_dropped: u64,
}

impl RunAccount {
    /// Reads a report of `livetime run --json`, or the content of a black box.
    ///
    /// # Errors
    /// [`LedgerError`] with the key that is missing or has another type.
    pub fn of_json(value: &Value) -> Result<RunAccount, LedgerError> {
        let map = value.as_object().ok_or(LedgerError::NotAReport("an object"))?;
        let mut account = RunAccount::flat(map)?;
        for earlier in list(map, "previous", false)? {
            account.previous.push(RunAccount::flat(object(earlier, "previous")?)?);
        }
        Ok(account)
    }

    fn flat(map: &Map<String, Value>) -> Result<RunAccount, LedgerError> {
        let finished = map.get("finished").and_then(Value::as_bool).unwrap_or(false);
        let state = match map.get("state") {
            Some(name) => State::of(name.as_str().unwrap_or("")).ok_or(LedgerError::Wrong("state"))?,
            None if finished => State::Ended,
            None => State::Running,
        };
        let each = |key: &'static str| {
            list(map, key, true)?.iter().map(move |line| object(line, key)).collect::<Result<Vec<_>, _>>()
        };
        Ok(RunAccount {
            run: text(map, "run"),
            pipeline: text(map, "pipeline"),
            state,
            known_until: map.get("known_until").and_then(Value::as_str).map(str::to_owned),
            whose: text(map, "whose"),
            edges: each("edges")?.into_iter().map(edge).collect::<Result<_, _>>()?,
            nodes: each("nodes")?.into_iter().map(node).collect::<Result<_, _>>()?,
            cuts: list(map, "cuts", false)?.iter().map(CutEnd::of_json).collect::<Result<_, _>>()?,
            previous: Vec::new(),
            previous_dropped: map.get("previous_dropped").and_then(Value::as_u64).unwrap_or(0),
        })
    }

    /// The same as JSON, in the keys of a report.
    pub fn json(&self) -> Value {
        json!({
            "run": self.run,
            "pipeline": self.pipeline,
            "state": self.state.name(),
            "known_until": self.known_until,
            "whose": self.whose,
            "ledger_closed": self.open().next().is_none(),
            "unintended_losses": self.unintended(),
            "edges": self.edges.iter().map(edge_json).collect::<Vec<_>>(),
            "nodes": self.nodes.iter().map(node_json).collect::<Vec<_>>(),
            "cuts": self.cuts.iter().map(CutEnd::json).collect::<Vec<_>>(),
            "previous": self.previous.iter().map(RunAccount::json).collect::<Vec<_>>(),
            "previous_dropped": self.previous_dropped,
        })
    }

    /// Unintended losses, on edges and in nodes.
    pub fn unintended(&self) -> u64 {
        let edges = self.edges.iter().map(|edge| edge.unintended);
        edges.chain(self.nodes.iter().map(NodeLine::unintended)).fold(0, u64::saturating_add)
    }

    /// The accounts that do not close, in words. Nodes of a run that has not ended have frames under way.
    pub fn open(&self) -> impl Iterator<Item = String> + '_ {
        let edges = self.edges.iter().filter(|edge| !edge.is_closed());
        let nodes = self.nodes.iter().filter(|node| self.state == State::Ended && !node.is_closed());
        let nodes = nodes
            .map(|node| format!("{}: received {}, completed {}", node.name, node.received, node.completed));
        edges.map(|edge| format!("{} -> {}: offered {}", edge.from, edge.to, edge.offered)).chain(nodes)
    }
}

fn edge(map: &Map<String, Value>) -> Result<EdgeLine, LedgerError> {
    let (lost, unintended) = (lost(map)?, number(map, "unintended")?);
    if sum(lost.values().copied()).is_none_or(|all| unintended > all) {
        return Err(LedgerError::Wrong("unintended"));
    }
    Ok(EdgeLine {
        from: text(map, "from"),
        to: text(map, "to"),
        offered: number(map, "offered")?,
        delivered: number(map, "delivered")?,
        queued: number(map, "queued")?,
        lost,
        unintended,
    })
}

fn edge_json(edge: &EdgeLine) -> Value {
    json!({
        "from": edge.from, "to": edge.to, "offered": edge.offered, "delivered": edge.delivered,
        "queued": edge.queued, "in_doubt": 0, "lost": edge.lost, "unintended": edge.unintended, "closed": edge.is_closed(),
    })
}

fn node(map: &Map<String, Value>) -> Result<NodeLine, LedgerError> {
    let readback = map.get("readbacks").and_then(|readbacks| readbacks.get("unknown_since"));
    let since =
        map.get("unknown_since").filter(|since| !since.is_null()).or(readback).and_then(Value::as_str);
    Ok(NodeLine {
        name: text(map, "name"),
        received: number(map, "received")?,
        completed: number(map, "completed")?,
        emitted: number(map, "emitted")?,
        lost: lost(map)?,
        unknown_since: since.filter(|since| !since.is_empty()).map(str::to_owned),
    })
}

fn node_json(node: &NodeLine) -> Value {
    json!({
        "name": node.name, "received": node.received, "completed": node.completed, "emitted": node.emitted,
        "lost": node.lost, "unintended": node.unintended(), "unknown_since": node.unknown_since,
    })
}

fn is_intended(name: &str) -> bool {
    use LossReason::{Closed, Decimated, RateLimited, TakenBack};
    [Decimated, RateLimited, Closed, TakenBack].iter().any(|reason| reason.name() == name)
}

fn is_beside_frames(name: &str) -> bool {
    LossReason::ALL.iter().any(|reason| reason.is_beside_frames() && reason.name() == name)
}
