//! Acquisitions: an answer that waits comes when the acquisition has ended.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use livetime_engine::{NodeReport, Report, Snapshot, Value};

use super::act::{Asked, enable, look_now};
use super::looker::Shared;
use super::moment::Moment;
use super::{lock, try_lock};

/// How long a detector that was just asked whether it still acquires is waited for, so that short acquisitions end at once. One that takes
/// longer is asked again for its answer, not waited for: the looker serves all faces.
const ANSWER: Duration = Duration::from_millis(1);

/// Somebody who waits for the end of an acquisition.
pub(super) struct Waiting {
    asked: Asked,
    since: Instant,
    /// What had been done when all queues were seen empty; they are only if it is the same at the next look.
    seen: Option<u64>,
    /// The detector's answer to whether it acquires, if it was asked and has not answered.
    is_acquiring: Option<Receiver<Snapshot>>,
}

/// Starts or stops an acquisition.
pub(super) fn carry_out(shared: &Arc<Shared>, asked: Asked, start: bool, wait: bool) {
    let (result, moment) = set(shared, asked.node, start);
    match start && wait && result.is_ok() {
        true => shared.wait_for(Waiting { asked, since: Instant::now(), seen: None, is_acquiring: None }),
        false => shared.answer(asked, result, moment),
    }
}

fn set(shared: &Shared, number: usize, start: bool) -> (Result<(), String>, Arc<Moment>) {
    let mut node = lock(&shared.nodes[number]);
    // What was asked before is out of date: it must not end what begins now.
    node.actions += 1;
    let mut moment = shared.newest();
    if start {
        // Also if it will be over before anybody can look.
        (node.state.is_acquiring, node.state.is_busy) = (true, true);
        node.state.acquisitions += 1;
        moment = shared.publish_one(&mut node, |_, _| ());
        shared.begun(&moment, number);
    }
    let result = match node.acquire_param {
        Some(index) => {
            let set = shared.run.set(&node.name, node.spec(index).name, &Value::Bool(start));
            set.map_err(|e| e.to_string())
        }
        None => enable(shared, &mut node, start),
    };
    if !start || result.is_err() {
        moment = look_now(shared, &mut node);
    }
    (result, moment)
}

impl Waiting {
    /// How long until it is worth to look again: short acquisitions end soon.
    pub(super) fn interval(&self) -> Duration {
        (self.since.elapsed() / 50).clamp(Duration::from_millis(1), Duration::from_millis(20))
    }

    /// Whether the acquisition is over, and, if that is wanted, all frames behind it are handled.
    pub(super) fn is_over(&mut self, shared: &Shared) -> bool {
        // Whoever acts on the node may have to wait for it; all others go on meanwhile.
        let Some(node) = try_lock(&shared.nodes[self.asked.node]) else { return false };
        let (index, waits_for_nodes) = (node.acquire_param, node.state.waits_for_nodes);
        let is_enabled = node.state.is_enabled;
        drop(node);
        let is_acquiring = match index {
            Some(index) => self.is_true(shared, index),
            None => is_enabled && !shared.run.is_finished(),
        };
        if is_acquiring {
            self.seen = None;
            return false;
        }
        !waits_for_nodes || self.is_quiet(shared)
    }

    /// Whether a parameter of the detector is true. One that has ended acquires nothing; one that does not answer still may.
    fn is_true(&mut self, shared: &Shared, index: usize) -> bool {
        let (answer, limit) = match self.is_acquiring.take() {
            Some(asked) => (asked, Duration::ZERO),
            None => match shared.run.look(self.asked.node, [index].into()) {
                Ok(asked) => (asked, ANSWER),
                Err(_) => return false,
            },
        };
        match answer.recv_timeout(limit) {
            Ok(snapshot) => snapshot.values.first() == Some(&Value::Bool(true)),
            Err(RecvTimeoutError::Disconnected) => false,
            Err(RecvTimeoutError::Timeout) => {
                self.is_acquiring = Some(answer);
                true
            }
        }
    }

    fn is_quiet(&mut self, shared: &Shared) -> bool {
        let behind = lock(&shared.wires).behind(self.asked.node);
        let done = done_if_quiet(&shared.run.report(), &behind);
        let is_quiet = done.is_some() && done == self.seen;
        self.seen = done;
        is_quiet
    }

    /// The nodes of which whoever waits may read results when it is over.
    pub(super) fn concerns(&self, shared: &Shared) -> Vec<usize> {
        let source = self.asked.node;
        let waits_for_nodes = try_lock(&shared.nodes[source]).is_some_and(|node| node.state.waits_for_nodes);
        let behind = waits_for_nodes.then(|| lock(&shared.wires).behind(source));
        std::iter::once(source).chain(behind.iter().flat_map(|nodes| nodes.iter().copied())).collect()
    }

    /// Tells whoever waits what came of it; `moment` is one of after the end.
    pub(super) fn answer(self, shared: &Shared, result: Result<(), String>, moment: Arc<Moment>) {
        shared.answer(self.asked, result, moment);
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
    node.queued == 0 && node.received <= node.completed + node.lost_of_received()
}
