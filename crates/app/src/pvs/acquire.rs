//! `Acquire`: a put that waits ends when the acquisition has ended.

use std::sync::Arc;
use std::time::{Duration, Instant};

use livetime_engine::{LossReason, NodeReport, Report, Value};
use livetime_pva::server::Put;

use super::core::{Core, lock, try_lock};
use super::put::{is_set, show_now};

/// How long a detector may take to say whether it still acquires.
const ANSWER: Duration = Duration::from_millis(200);

/// Somebody who waits for the end of an acquisition.
pub(super) struct Waiting {
    put: Put,
    node: usize,
    since: Instant,
    /// What had been done when all queues were seen empty; they are only if it is the same at the next look.
    seen: Option<u64>,
}

/// Starts or stops an acquisition.
pub(super) fn put(core: &Arc<Core>, number: usize, value: &Value, put: Put) {
    let start = is_set(value);
    if let Err(error) = set(core, number, start) {
        return put.refuse(error);
    }
    match start && put.options.block {
        true => core.wait_for(Waiting { put, node: number, since: Instant::now(), seen: None }),
        false => put.accept(),
    }
}

fn set(core: &Core, number: usize, start: bool) -> Result<(), String> {
    let mut node = lock(&core.nodes[number]);
    // What was asked before is out of date: it must not end what begins now.
    node.writes += 1;
    if start {
        node.show_acquiring(&core.run.report());
    }
    let result = match node.acquire_param() {
        Some(index) => core.run.set(&node.name, node.spec(index).name, &Value::Bool(start)),
        None => core.run.set_enabled(&node.name, start),
    };
    if result.is_ok() && node.acquire_param().is_none() {
        node.state.is_enabled = start;
    }
    if !start || result.is_err() {
        show_now(core, &mut node);
    }
    result.map_err(|e| e.to_string())
}

impl Waiting {
    /// How long until it is worth to look again: short acquisitions end soon.
    pub(super) fn interval(&self) -> Duration {
        (self.since.elapsed() / 50).clamp(Duration::from_millis(1), Duration::from_millis(20))
    }

    /// Whether the acquisition is over, and, if that is wanted, all frames behind it are handled.
    pub(super) fn is_over(&mut self, core: &Core) -> bool {
        // Whoever writes to the node may have to wait for it; all other PVs go on meanwhile.
        let Some(node) = try_lock(&core.nodes[self.node]) else { return false };
        let (index, waits_for_plugins) = (node.acquire_param(), node.state.waits_for_plugins);
        let is_enabled = node.state.is_enabled;
        drop(node);
        let is_acquiring = match index {
            Some(index) => is_true(core, self.node, index),
            None => is_enabled && !core.run.is_finished(),
        };
        if is_acquiring {
            self.seen = None;
            return false;
        }
        !waits_for_plugins || self.is_quiet(core)
    }

    fn is_quiet(&mut self, core: &Core) -> bool {
        let report = core.run.report();
        let done = done_if_quiet(&report, &core.behind(self.node));
        let is_quiet = done.is_some() && done == self.seen;
        self.seen = done;
        is_quiet
    }

    pub(super) fn accept(self) {
        self.put.accept();
    }

    pub(super) fn refuse(self, reason: &str) {
        self.put.refuse(reason);
    }
}

/// Whether a parameter is true. A node that has ended acquires nothing; one that does not answer still may.
fn is_true(core: &Core, node: usize, index: usize) -> bool {
    let Ok(answer) = core.run.look(node, [index].into()) else { return false };
    match answer.recv_timeout(ANSWER) {
        Ok(snapshot) => snapshot.values.first() == Some(&Value::Bool(true)),
        Err(error) => error == std::sync::mpsc::RecvTimeoutError::Timeout,
    }
}

/// If no node of `behind` has anything to do: a number that differs when they have done something since.
///
/// The counts of several nodes are not read at one moment: a frame may be on its way from a node that was
/// looked at late to one that was looked at early. So it takes two looks with the same number.
pub(super) fn done_if_quiet(report: &Report, behind: &[usize]) -> Option<u64> {
    let nodes = || behind.iter().filter_map(|n| report.nodes.get(*n));
    let done = |n: &NodeReport| n.received.wrapping_add(n.completed).wrapping_add(n.emitted);
    nodes().all(is_quiet).then(|| nodes().fold(0, |sum: u64, n| sum.wrapping_add(done(n))))
}

fn is_quiet(node: &NodeReport) -> bool {
    let of_received = node.lost.iter().filter(|(reason, _)| **reason != LossReason::SourceGap);
    let lost: u64 = of_received.map(|(_, count)| count).sum();
    node.queued == 0 && node.received <= node.completed + lost
}
