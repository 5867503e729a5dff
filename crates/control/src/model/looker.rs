//! The one thread that looks at a run, and what it shares with those that act.
//!
//! | lock | held | while holding it, these may be taken |
//! |---|---|---|
//! | a node's | by whoever acts on it, which may take seconds | `wires`, `publishing` |
//! | `publishing` | while a moment is made | a node's, only if it is free |
//! | all others | to read or change one value | none |

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use livetime_engine::{Report, Run};

use super::acquire::{Waiting, done_if_quiet};
use super::act::READBACK;
use super::bell::{Heard, Waker};
use super::caller::Caller;
use super::locks::{lock, try_lock};
use super::log::Log;
use super::losses::{LossBook, LossWatch};
use super::moment::{Moment, NodeMoment};
use super::node::Node;
use super::rates::RunPace;
use super::refused::Refused;
use super::wires::Wires;
use crate::report::rates::RunRates;

/// Alarms come at once, but not more often than this: of a node that fails on every frame one is enough.
const SHORTEST: Duration = Duration::from_millis(10);

/// Time between two looks while nobody watches. What faces ask for and alarms come at once all the same.
const UNWATCHED: Duration = Duration::from_secs(1);

/// All nodes together have this long to answer; one that needs longer is shown as it was, and asked no second question meanwhile.
const PATIENCE: Duration = Duration::from_millis(50);

/// Called when an acquisition begins, before the source is told, with the moment that says so and the number of the source. The source
/// waits meanwhile.
pub type Begun = Arc<dyn Fn(&Moment, usize) + Send + Sync>;

/// The knowledge of the time before that a moment needs.
#[derive(Default)]
struct Followed {
    pace: RunPace,
    losses: LossWatch,
}

/// What the looker shares with those that act.
pub(super) struct Shared {
    pub(super) run: Arc<Run>,
    pub(super) nodes: Vec<Mutex<Node>>,
    pub(super) wires: Mutex<Wires>,
    waiting: Mutex<Vec<Waiting>>,
    heard: Arc<Heard>,
    /// Held by who makes a moment, so that counts never go back from one to the next.
    publishing: Mutex<Followed>,
    newest: Mutex<Arc<Moment>>,
    /// Rings for a newer moment, and at the end.
    is_newer: Condvar,
    /// The looker has looked for the last time.
    is_over: AtomicBool,
    /// Time between looks that each of those who watch wants.
    periods: Mutex<Vec<(u64, Duration)>>,
    begun: Mutex<Vec<Begun>>,
}

impl Shared {
    pub(super) fn new(run: &Arc<Run>, heard: Arc<Heard>) -> Shared {
        let graph = run.graph();
        let nodes = Node::all(graph);
        let moments = nodes.iter().map(Node::moment).collect();
        let moment = Moment::new(0, run.report(), moments, RunRates::default(), 1.0, LossBook::default());
        Shared {
            run: run.clone(),
            wires: Mutex::new(Wires::new(graph)),
            nodes: nodes.into_iter().map(Mutex::new).collect(),
            waiting: Mutex::default(),
            heard,
            publishing: Mutex::default(),
            newest: Mutex::new(Arc::new(moment)),
            is_newer: Condvar::new(),
            is_over: AtomicBool::new(false),
            periods: Mutex::default(),
            begun: Mutex::default(),
        }
    }

    pub(super) fn waker(&self) -> &Waker {
        &self.heard.waker
    }

    pub(super) fn log(&self) -> &Log {
        &self.heard.log
    }

    // ---- Moments ----

    pub(super) fn newest(&self) -> Arc<Moment> {
        lock(&self.newest).clone()
    }

    pub(super) fn newer_than(&self, version: u64, limit: Duration) -> Option<Arc<Moment>> {
        let newest = lock(&self.newest);
        let is_old = |newest: &mut Arc<Moment>| newest.version <= version && !self.is_over();
        let waited = self.is_newer.wait_timeout_while(newest, limit, is_old);
        let (newest, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (newest.version > version).then(|| newest.clone())
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }

    /// Makes a moment in which `node` alone is looked at anew. Whoever calls holds its lock.
    pub(super) fn publish_one(&self, node: &mut Node, look: impl FnOnce(&mut Node, &Report)) -> Arc<Moment> {
        let mut followed = lock(&self.publishing);
        let report = self.run.report();
        look(node, &report);
        let mut nodes = self.newest().nodes.clone();
        nodes[node.number] = node.moment();
        self.publish(report, nodes, &mut followed)
    }

    /// Makes a moment in which `by` has taken note of so many unintended losses.
    pub(super) fn acknowledge(&self, unintended: u64, by: Caller) -> Arc<Moment> {
        let mut followed = lock(&self.publishing);
        followed.losses.acknowledge(unintended, by);
        let nodes = self.newest().nodes.clone();
        self.publish(self.run.report(), nodes, &mut followed)
    }

    /// Makes a moment of all nodes on which nobody acts just now.
    fn publish_all(&self) -> Arc<Moment> {
        let mut followed = lock(&self.publishing);
        let report = self.run.report();
        let old = self.newest();
        let look = |(node, old): (&Mutex<Node>, &Arc<NodeMoment>)| match try_lock(node) {
            Some(mut node) => {
                node.count(&report);
                self.follow_capture(&mut node, &report);
                self.count_behind(&mut node, &report);
                node.moment()
            }
            None => old.clone(),
        };
        let nodes = self.nodes.iter().zip(&old.nodes).map(look).collect();
        self.publish(report, nodes, &mut followed)
    }

    /// What depends on the nodes behind a source.
    fn count_behind(&self, node: &mut Node, report: &Report) {
        let mut is_busy = node.state.is_acquiring;
        if node.state.is_source {
            let behind = lock(&self.wires).behind(node.number);
            let queued = behind.iter().filter_map(|n| report.nodes.get(*n)).map(|n| n.queued).sum();
            node.state.queued_behind = queued;
            is_busy |= node.state.waits_for_nodes && done_if_quiet(report, &behind).is_none();
        }
        node.state.is_busy = is_busy;
    }

    fn publish(&self, report: Report, nodes: Vec<Arc<NodeMoment>>, followed: &mut Followed) -> Arc<Moment> {
        let losses = followed.losses.look(&report);
        let (rates, live) =
            (followed.pace.rates(&report), followed.pace.live(&report, losses.sums.unintended));
        let moment = Arc::new(Moment::new(self.newest().version + 1, report, nodes, rates, live, losses));
        let old = std::mem::replace(&mut *lock(&self.newest), moment.clone());
        self.is_newer.notify_all();
        // Not under the lock: it may be the last reference.
        drop(old);
        moment
    }

    // ---- Those who watch ----

    pub(super) fn watch(&self, period: Duration) -> u64 {
        let mut periods = lock(&self.periods);
        let number = periods.iter().map(|(number, _)| number + 1).max().unwrap_or(0);
        periods.push((number, period));
        drop(periods);
        self.waker().wish();
        number
    }

    pub(super) fn unwatch(&self, number: u64) {
        lock(&self.periods).retain(|(known, _)| *known != number);
    }

    fn period(&self) -> Duration {
        lock(&self.periods).iter().map(|(_, period)| *period).min().unwrap_or(UNWATCHED)
    }

    pub(super) fn on_begun(&self, begun: Begun) {
        lock(&self.begun).push(begun);
    }

    pub(super) fn begun(&self, moment: &Moment, node: usize) {
        // Not under the lock: they may act.
        let begun = lock(&self.begun).clone();
        begun.iter().for_each(|begun| begun(moment, node));
    }

    // ---- The looker ----

    /// Looks again and again, until the end.
    pub(super) fn look_on(&self) {
        let mut looked = Instant::now();
        let mut is_alarm = false;
        self.look(&[]);
        while !self.waker().is_ended() {
            let until_next = self.pause(is_alarm).saturating_sub(looked.elapsed());
            let limit = self.shortest_wait().unwrap_or(until_next).min(until_next);
            match is_alarm {
                true => std::thread::sleep(limit),
                false => is_alarm = self.waker().wait(limit),
            }
            let over = self.take_over();
            if !over.is_empty() || looked.elapsed() >= self.pause(is_alarm) {
                (looked, is_alarm) = (Instant::now(), false);
                let concerned: Vec<usize> = over.iter().flat_map(|waiting| waiting.concerns(self)).collect();
                let moment = self.look(&concerned);
                // Now that all that belongs to the acquisition is known.
                for waiting in over {
                    let result = waiting.result(self);
                    waiting.answer(self, result, moment.clone());
                }
                self.end_captures(&moment);
            }
        }
        let moment = self.look(&[]);
        let left = std::mem::take(&mut *lock(&self.waiting));
        let refuse = |w: Waiting| w.answer(self, Err(Refused::RunEnded), moment.clone());
        left.into_iter().for_each(refuse);
        let newest = lock(&self.newest);
        self.is_over.store(true, Ordering::Release);
        drop(newest);
        self.is_newer.notify_all();
    }

    fn pause(&self, is_alarm: bool) -> Duration {
        if is_alarm { SHORTEST } else { self.period() }
    }

    /// Nodes are asked first and waited for then: none waits for another. Whoever waited for an acquisition relies on what the nodes that it
    /// concerned say now: an answer to an earlier question is not good enough, and they are waited for longer.
    fn look(&self, concerned: &[usize]) -> Arc<Moment> {
        let nodes = || self.nodes.iter().filter_map(try_lock);
        let concerned = || concerned.iter().filter_map(|number| try_lock(&self.nodes[*number]));
        concerned().for_each(|mut node| node.forget_question());
        nodes().for_each(|mut node| node.ask(&self.run));
        let started = Instant::now();
        concerned().for_each(|mut node| node.take_answer(started + READBACK));
        let deadline = started + PATIENCE.min(self.period() / 2);
        nodes().for_each(|mut node| node.take_answer(deadline));
        self.publish_all()
    }

    pub(super) fn wait_for(&self, waiting: Waiting) {
        lock(&self.waiting).push(waiting);
        self.waker().wish();
    }

    /// Looks at once at those who wait for the work of a node: somebody has written to it.
    pub(super) fn hurry(&self, node: usize) {
        if lock(&self.waiting).iter().any(|waiting| waiting.is_of(node)) {
            self.waker().wish();
        }
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
        lock(&self.waiting).append(&mut left);
        over
    }
}
