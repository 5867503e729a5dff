//! The one way to act on a run.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use livetime_engine::{EdgeOptions, NodeReport, Value};

use super::looker::Shared;
use super::moment::{Input, Moment, Offsets};
use super::node::{Node, output_name};
use super::{acquire, lock};

/// How long a node may take to say what has become of it before the answer goes without it.
pub(super) const READBACK: Duration = Duration::from_secs(1);

/// Who asks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caller {
    /// Through which face: `pvaccess`, `web`, `program`.
    pub face: &'static str,
    /// As whom; empty if nobody said.
    pub user: String,
    /// From where; `None` for this program itself, which may do everything.
    pub from: Option<SocketAddr>,
    /// Whether that is this machine, at whichever of its addresses.
    pub is_local: bool,
}

impl Caller {
    /// This program itself.
    pub fn program() -> Caller {
        Caller { face: "program", user: String::new(), from: None, is_local: true }
    }
}

impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let user = if self.user.is_empty() { String::new() } else { format!("{} ", self.user) };
        match self.from {
            Some(from) => write!(f, "{user}at {from} ({})", self.face),
            None => write!(f, "{user}{}", self.face),
        }
    }
}

/// What somebody wants to be done.
#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// Changes the node of this number. Changes of one node are made in the order in which they were asked for, whoever asked.
    Change(usize, Change),
    /// Ends the sources; what is under way is handled to its end.
    Stop,
    /// Ends everything now; what is queued is lost, with an entry in the ledger.
    Abort,
}

/// What somebody wants to be changed in a node.
#[derive(Clone, PartialEq, Debug)]
pub enum Change {
    /// Sets a parameter; it acts from the next frame.
    Set(String, Value),
    /// Sets several parameters, which act from the same frame; if one is refused none acts.
    SetAll(Vec<(String, Value)>),
    /// Whether frames are offered to it; of a source whether it produces any.
    Enable(bool),
    /// Starts or stops an acquisition.
    Acquire {
        /// Whether to start one.
        start: bool,
        /// Whether the answer waits for its end.
        wait: bool,
    },
    /// Connects its first input anew.
    Rewire(Rewire),
    /// Whether acquisitions end only when all nodes behind it have nothing left to do.
    WaitForNodes(bool),
    /// Lets a counter continue from another number in what faces show; the ledger stays.
    Recount(Counter, u64),
}

/// How the edge to a node's first input is to change; what is `None` stays.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Rewire {
    /// Name of the sending node.
    pub node: Option<String>,
    /// Number of its output.
    pub output: Option<usize>,
    /// Most frames that wait.
    pub queue: Option<usize>,
    /// Most frames per second; 0 for no limit.
    pub max_rate_hz: Option<f64>,
}

/// A count that can be set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counter {
    /// Frames sent or handled.
    Frames,
    /// Frames lost in front of the node.
    LostBefore,
    /// Frames lost inside it.
    LostInside,
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Change(_, change) => change.fmt(f),
            Action::Stop => f.write_str("stop"),
            Action::Abort => f.write_str("abort"),
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Set(param, value) => write!(f, "{param} = {value}"),
            Change::SetAll(values) => {
                let texts: Vec<String> =
                    values.iter().map(|(param, value)| format!("{param} = {value}")).collect();
                f.write_str(&texts.join(", "))
            }
            Change::Enable(true) => f.write_str("enable"),
            Change::Enable(false) => f.write_str("disable"),
            Change::Acquire { start: true, .. } => f.write_str("start acquiring"),
            Change::Acquire { start: false, .. } => f.write_str("stop acquiring"),
            Change::Rewire(rewire) => rewire.fmt(f),
            Change::WaitForNodes(wait) => write!(f, "wait for nodes = {wait}"),
            Change::Recount(counter, number) => write!(f, "{counter:?} counts from {number}"),
        }
    }
}

impl fmt::Display for Rewire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = [
            self.node.as_ref().map(|node| format!("from {node}")),
            self.output.map(|output| format!("from output {output}")),
            self.queue.map(|queue| format!("queue {queue}")),
            self.max_rate_hz.map(|hz| format!("at most {hz} Hz")),
        ];
        write!(f, "connect {}", texts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

/// What has become of an action.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Why it was not done, for people.
    pub result: Result<(), String>,
    /// The run as it is afterwards: a face that has shown this moment, or a newer one, has shown what the action did.
    pub moment: Arc<Moment>,
}

/// Takes an answer. Called once, on a thread of the model; it may wait for nothing. Dropped uncalled when the run ends before.
pub(super) type Reply = Box<dyn FnOnce(Answer) + Send>;

/// An action with those who wait for it.
pub(super) struct Asked {
    pub(super) caller: Caller,
    pub(super) node: usize,
    pub(super) change: Change,
    pub(super) reply: Reply,
}

/// Carries out what is asked of a node, on a thread that may wait.
pub(super) fn carry_out(shared: &Arc<Shared>, asked: Asked) {
    let (number, change) = (asked.node, asked.change.clone());
    if let Change::Acquire { start, wait } = change {
        return acquire::carry_out(shared, asked, start, wait);
    }
    let mut node = lock(&shared.nodes[number]);
    let result = write(shared, &mut node, &change);
    let moment = if result.is_ok() { look_now(shared, &mut node) } else { shared.newest() };
    drop(node);
    shared.answer(asked, result, moment);
}

fn write(shared: &Shared, node: &mut Node, change: &Change) -> Result<(), String> {
    let run = &shared.run;
    match change {
        Change::Set(param, value) => run.set(&node.name, param, value).map_err(|e| e.to_string())?,
        Change::SetAll(values) => {
            let values: Vec<(&str, Value)> = values.iter().map(|(p, value)| (&**p, value.clone())).collect();
            run.set_all(&node.name, &values).map_err(|e| e.to_string())?;
        }
        Change::Enable(enabled) => enable(shared, node, *enabled)?,
        Change::Rewire(rewire) => {
            let input = node.state.input.clone().ok_or("the node has no input")?;
            let wanted = changed(shared, &input, rewire)?;
            connect(shared, node, &input, wanted)?;
        }
        Change::WaitForNodes(wait) => node.state.waits_for_nodes = *wait,
        Change::Recount(counter, number) => {
            let report = run.report();
            let counts = report.nodes.get(node.number).ok_or("the node has ended")?;
            node.state.offsets = recounted(node, counts, *counter, *number);
        }
        Change::Acquire { .. } => {}
    }
    Ok(())
}

/// Publishes the node as it is after an action, so that whoever has acted reads what has become of it.
pub(super) fn look_now(shared: &Shared, node: &mut Node) -> Arc<Moment> {
    node.ask_anew(&shared.run);
    node.take_answer(Instant::now() + READBACK);
    shared.publish_one(node, |node, report| node.count(report))
}

pub(super) fn enable(shared: &Shared, node: &mut Node, enabled: bool) -> Result<(), String> {
    shared.run.set_enabled(&node.name, enabled).map_err(|e| e.to_string())?;
    node.state.is_enabled = enabled;
    Ok(())
}

fn recounted(node: &Node, counts: &NodeReport, counter: Counter, number: u64) -> Offsets {
    let offsets = node.state.offsets;
    match counter {
        Counter::Frames => Offsets { frames: node.frames(counts).wrapping_sub(number), ..offsets },
        Counter::LostBefore => Offsets { lost_before: counts.lost_before.wrapping_sub(number), ..offsets },
        Counter::LostInside => Offsets { lost_inside: counts.lost_inside().wrapping_sub(number), ..offsets },
    }
}

/// The input as it is to be.
fn changed(shared: &Shared, input: &Input, rewire: &Rewire) -> Result<Input, String> {
    let mut wanted = input.clone();
    if rewire.node.is_some() || rewire.output.is_some() {
        let name = rewire.node.as_ref().unwrap_or(&input.node);
        let output = rewire.output.unwrap_or(input.output);
        let graph = shared.run.graph();
        let sender = &graph.nodes()[graph.node(name)?];
        let missing = || format!("node `{name}` has no output number {output}");
        wanted.from = output_name(sender, output).ok_or_else(missing)?;
        (wanted.node, wanted.output) = (name.clone(), output);
    }
    let max_rate_hz = match rewire.max_rate_hz {
        None => input.options.max_rate_hz,
        Some(0.0) => None,
        Some(hz) if hz > 0.0 => Some(hz),
        Some(other) => return Err(format!("wanted at least 0, found {other}")),
    };
    let queue = rewire.queue.unwrap_or(input.options.queue);
    wanted.options = EdgeOptions { queue, max_rate_hz, ..input.options };
    Ok(wanted)
}

/// Connects the running graph anew. What cannot be connected stays as it was.
fn connect(shared: &Shared, node: &mut Node, old: &Input, new: Input) -> Result<(), String> {
    if *old == new && !node.is_cut_off {
        return Ok(());
    }
    let run = &shared.run;
    if !node.is_cut_off {
        run.disconnect(&old.from, &old.to).map_err(|e| e.message)?;
    }
    node.is_cut_off = true;
    let connected = run.connect(&new.from, &new.to, new.options).map_err(|e| e.message);
    if connected.is_err() {
        run.connect(&old.from, &old.to, old.options).map_err(|e| e.message)?;
    }
    node.is_cut_off = false;
    if !node.state.is_enabled {
        enable(shared, node, false)?;
    }
    connected?;
    let graph = run.graph();
    if let (Ok(from), Ok(to)) = (graph.node(&old.node), graph.node(&new.node)) {
        lock(&shared.wires).rewired(node.number, from, to);
    }
    node.state.input = Some(Arc::new(new));
    Ok(())
}

impl Shared {
    /// Notes what has become of an action, and tells whoever asked for it.
    pub(super) fn answer(&self, asked: Asked, result: Result<(), String>, moment: Arc<Moment>) {
        let Asked { caller, node, change, reply } = asked;
        let node = self.run.graph().nodes().get(node).map(|n| n.name.clone()).unwrap_or_default();
        let problem = result.as_ref().err().cloned();
        self.log().action(caller, node, &change.to_string(), problem);
        reply(Answer { result, moment });
    }
}
