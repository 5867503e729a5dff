//! The text of a copy.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use livetime_engine::{CutAccount, Cuts, EdgeAccount, LossReason, NodeCounts, Run};
use serde_json::{Value, json};

use crate::ledger::{RunAccount, State};
use crate::report::json::cut as cut_json;
use crate::report::losses::utc as utc_ns;

/// The part of the content that does not change during a run.
pub(super) struct Content {
    pub(super) run: String,
    /// The whole path of the pipeline file.
    pub(super) pipeline: String,
    pub(super) started: SystemTime,
    /// The killed runs before it.
    pub(super) previous: Value,
    pub(super) previous_dropped: u64,
    /// The time between two copies.
    pub(super) period: Duration,
    /// The longest time between two copies so far.
    pub(super) longest: Duration,
}

impl Content {
    /// The counts as they are now. The time is read before them: everything counted before that time is in them.
    pub(super) fn text(&self, run: &Run, state: State) -> String {
        let now = SystemTime::now();
        let counts = run.counts();
        let cuts = run.service::<Cuts>().accounts();
        let nodes = run.graph().nodes().iter().zip(&counts.nodes);
        let unintended_inside = |node: &NodeCounts| lost_inside(node);
        let unintended: u64 = counts.edges.iter().map(EdgeAccount::unintended).sum::<u64>()
            + counts.nodes.iter().map(unintended_inside).sum::<u64>()
            + cuts.iter().map(CutAccount::lost).sum::<u64>();
        json!({
            "run": self.run,
            "pipeline": self.pipeline,
            "state": state.name(),
            "started": utc(self.started),
            "known_until": utc(now),
            "whose": whose(),
            "period_ms": self.period.as_millis() as u64,
            "longest_between_copies_ms": self.longest.as_millis() as u64,
            "unintended_losses": unintended,
            "edges": counts.edges.iter().map(edge).collect::<Vec<_>>(),
            "nodes": nodes.map(|(decl, counts)| node(&decl.name, decl.node_type.spec.name, counts)).collect::<Vec<_>>(),
            "cuts": cuts.iter().map(cut_json).collect::<Vec<_>>(),
            "previous": self.previous,
            "previous_dropped": self.previous_dropped,
        })
        .to_string()
    }
}

/// The accounts of killed runs, as a later run keeps them.
pub(super) fn kept(runs: &[RunAccount]) -> Value {
    runs.iter().map(RunAccount::json).collect()
}

fn edge(edge: &EdgeAccount) -> Value {
    json!({
        "from": edge.from, "to": edge.to, "when_full": edge.when_full.name(), "offered": edge.offered,
        "delivered": edge.delivered, "queued": edge.queued, "lost": lost(&edge.lost), "unintended": edge.unintended(),
    })
}

fn node(name: &str, type_name: &str, counts: &NodeCounts) -> Value {
    json!({
        "name": name, "type": type_name, "received": counts.received, "completed": counts.completed,
        "emitted": counts.emitted, "lost": lost(&counts.lost), "unknown_since": counts.unknown_since_ns.map(utc_ns),
    })
}

fn lost(lost: &std::collections::BTreeMap<LossReason, u64>) -> Value {
    Value::Object(lost.iter().map(|(reason, count)| (reason.name().to_owned(), json!(count))).collect())
}

fn lost_inside(node: &NodeCounts) -> u64 {
    node.lost.iter().filter(|(reason, _)| !reason.is_intended()).map(|(_, count)| count).sum()
}

/// With microseconds, so that texts compare as their times do.
pub(super) fn utc(time: SystemTime) -> String {
    Timestamp::try_from(time).map(|time| format!("{time:.6}")).unwrap_or_default()
}

fn whose() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() { "this host" } else { host.trim() };
    format!("{host}, process {}", std::process::id())
}
