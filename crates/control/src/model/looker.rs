//! The one thread that looks at a run.

use std::sync::Arc;
use std::time::{Duration, Instant};

use livetime_engine::Report;

use super::locks::{lock, try_lock};
use super::moment::Moment;
use super::node::{Node, READBACK};
use super::quiet::done_if_quiet;
use super::refused::Refused;
use super::shared::Shared;
use super::waiting::Waiting;

/// Alarms come at once, but not more often than this: of a node that fails on every frame one is enough.
const SHORTEST: Duration = Duration::from_millis(10);

/// All nodes together have this long to answer; one that needs longer is shown as it was, and asked no second question meanwhile.
const PATIENCE: Duration = Duration::from_millis(50);

impl Shared {
    /// Looks again and again, until the end.
    pub(super) fn look_on(&self) {
        let mut looked = Instant::now();
        let mut is_alarm = false;
        self.look(&[]);
        while !self.waker().is_ended() {
            let until_next = self.pause(is_alarm).saturating_sub(looked.elapsed());
            let limit = self.shortest_wait().unwrap_or(until_next).min(until_next);
            match is_alarm {
                // Further alarms would end a wait at once: a look would follow each of them.
                true => std::thread::sleep(limit),
                false => is_alarm = self.waker().wait(limit),
            }
            let over = self.take_over();
            if !over.is_empty() || looked.elapsed() >= self.pause(is_alarm) {
                (looked, is_alarm) = (Instant::now(), false);
                let concerned: Vec<usize> = over.iter().flat_map(|waiting| waiting.concerns(self)).collect();
                let moment = self.look(&concerned);
                // After the look: its moment has all values of the acquisition.
                for waiting in over {
                    let result = waiting.result(self);
                    waiting.answer(self, result, moment.clone());
                }
                self.end_captures(&moment);
            }
        }
        // The last moment has the end of every node.
        let moment = self.look(&[]);
        let left = std::mem::take(&mut *lock(&self.waiting));
        let refuse = |w: Waiting| w.answer(self, Err(Refused::RunEnded), moment.clone());
        left.into_iter().for_each(refuse);
        self.end();
    }

    fn pause(&self, is_alarm: bool) -> Duration {
        if is_alarm { SHORTEST } else { self.period() }
    }

    /// Nodes are asked first and waited for then: none waits for another. A caller that waited for an acquisition
    /// relies on the present values of the nodes concerned: an answer to an earlier question is not good enough, and
    /// they are waited for longer.
    fn look(&self, concerned: &[usize]) -> Arc<Moment> {
        // A locked node is being changed: the look does not wait for it.
        let nodes = || self.nodes.iter().filter_map(try_lock);
        let concerned = || concerned.iter().filter_map(|number| try_lock(&self.nodes[*number]));
        concerned().for_each(|mut node| node.forget_question());
        nodes().for_each(|mut node| node.ask(&self.run));
        let started = Instant::now();
        concerned().for_each(|mut node| node.take_answer(started + READBACK));
        // The other half of the period is for the rest of the look.
        let deadline = started + PATIENCE.min(self.period() / 2);
        nodes().for_each(|mut node| node.take_answer(deadline));
        self.publish_all(|node, report| {
            self.count(node, report);
            self.count_behind(node, report);
        })
    }

    /// Counts the states that depend on the nodes behind a source.
    fn count_behind(&self, node: &mut Node, report: &Report) {
        let mut is_busy = node.state.acquires();
        if node.state.is_source {
            let behind = lock(&self.wires).behind(node.number);
            let queued = behind.iter().filter_map(|n| report.nodes.get(*n)).map(|n| n.queued).sum();
            node.state.queued_behind = queued;
            is_busy |= node.state.waits_for_nodes && done_if_quiet(report, &behind).is_none();
        }
        node.state.is_busy = is_busy;
    }

    fn shortest_wait(&self) -> Option<Duration> {
        lock(&self.waiting).iter().map(Waiting::interval).min()
    }

    /// Takes out those whose acquisition is over.
    fn take_over(&self) -> Vec<Waiting> {
        let mut over = Vec::new();
        let mut left = Vec::new();
        for mut waiting in std::mem::take(&mut *lock(&self.waiting)) {
            let list = if waiting.is_over(self) { &mut over } else { &mut left };
            list.push(waiting);
        }
        // Callers may have begun to wait meanwhile.
        lock(&self.waiting).append(&mut left);
        over
    }
}
