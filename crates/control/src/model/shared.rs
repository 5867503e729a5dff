//! State that the looker shares with the threads that act.
//!
//! | lock | held | while holding it, these may be taken |
//! |---|---|---|
//! | a node's | by the thread that acts on it, which may take seconds | `wires`, `publishing` |
//! | `publishing` | while a moment is made | a node's, only if it is free |
//! | all others | to read or change one value | none |

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use livetime_engine::{Report, Run};

use super::action::{Answer, Asked};
use super::bell::{Heard, Waker};
use super::caller::Caller;
use super::locks::{lock, try_lock};
use super::log::Log;
use super::losses::{LossBook, LossWatch};
use super::moment::{Moment, NodeMoment};
use super::node::{Node, READBACK};
use super::rates::RunPace;
use super::refused::Refused;
use super::waiting::Waiting;
use super::wires::Wires;
use crate::report::rates::RunRates;

/// Time between two looks while no face watches. Looks that faces ask for, and alarms, come at once all the same.
const UNWATCHED: Duration = Duration::from_secs(1);

/// Called when an acquisition begins, before the source is told, with the moment that says so and the number of the source. The source
/// waits meanwhile.
pub type Begun = Arc<dyn Fn(&Moment, usize) + Send + Sync>;

/// The knowledge of the time before that a moment needs.
#[derive(Default)]
struct Followed {
    pace: RunPace,
    losses: LossWatch,
}

/// State that the looker shares with the threads that act.
pub(super) struct Shared {
    pub(super) run: Arc<Run>,
    pub(super) nodes: Vec<Mutex<Node>>,
    pub(super) wires: Mutex<Wires>,
    pub(super) waiting: Mutex<Vec<Waiting>>,
    heard: Arc<Heard>,
    /// Held by who makes a moment, so that counts never go back from one to the next.
    publishing: Mutex<Followed>,
    newest: Mutex<Arc<Moment>>,
    /// Rings for a newer moment, and at the end.
    is_newer: Condvar,
    /// The looker has looked for the last time.
    is_over: AtomicBool,
    /// For each watcher, the time between looks that it wants.
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

    /// Makes a moment in which `node` alone is looked at anew. The caller holds its lock.
    pub(super) fn publish_one(&self, node: &mut Node, look: impl FnOnce(&mut Node, &Report)) -> Arc<Moment> {
        let mut followed = lock(&self.publishing);
        let report = self.run.report();
        look(node, &report);
        let mut nodes = self.newest().nodes.clone();
        nodes[node.number] = node.moment();
        self.publish(report, nodes, &mut followed)
    }

    /// Publishes the node as it is after an action, so that the caller of the action reads its result.
    pub(super) fn look_now(&self, node: &mut Node) -> Arc<Moment> {
        node.ask_anew(&self.run);
        node.take_answer(Instant::now() + READBACK);
        self.publish_one(node, |node, report| self.count(node, report))
    }

    /// Takes over what `report` says of the node. The caller holds the node's lock.
    pub(super) fn count(&self, node: &mut Node, report: &Report) {
        node.count(report);
        node.judge(report).iter().for_each(|event| self.log().event(event));
        let number = node.number;
        node.follow_capture(report, || self.ahead(number));
    }

    /// The nodes whose frames reach node `number`.
    pub(super) fn ahead(&self, number: usize) -> Vec<usize> {
        lock(&self.wires).ahead(number)
    }

    /// Makes a moment in which `by` has taken note of so many unintended losses.
    pub(super) fn acknowledge(&self, unintended: u64, by: Caller) -> Arc<Moment> {
        let mut followed = lock(&self.publishing);
        followed.losses.acknowledge(unintended, by);
        let nodes = self.newest().nodes.clone();
        self.publish(self.run.report(), nodes, &mut followed)
    }

    /// Makes a moment of all nodes on which no thread acts just now.
    pub(super) fn publish_all(&self, look: impl Fn(&mut Node, &Report)) -> Arc<Moment> {
        let mut followed = lock(&self.publishing);
        let report = self.run.report();
        let old = self.newest();
        let look = |(node, old): (&Mutex<Node>, &Arc<NodeMoment>)| match try_lock(node) {
            Some(mut node) => {
                look(&mut node, &report);
                node.moment()
            }
            None => old.clone(),
        };
        let nodes = self.nodes.iter().zip(&old.nodes).map(look).collect();
        self.publish(report, nodes, &mut followed)
    }

    fn publish(&self, report: Report, nodes: Vec<Arc<NodeMoment>>, followed: &mut Followed) -> Arc<Moment> {
        let losses = followed.losses.look(&report);
        let (rates, live) =
            (followed.pace.rates(&report), followed.pace.live(&report, losses.sums.unintended));
        let moment = Arc::new(Moment::new(self.newest().version + 1, report, nodes, rates, live, losses));
        let old = std::mem::replace(&mut *lock(&self.newest), moment.clone());
        self.is_newer.notify_all();
        // The old moment is dropped without the lock: it may be the last reference, whose drop takes long.
        drop(old);
        moment
    }

    /// Tells watchers that wait for a newer moment that there will be none.
    pub(super) fn end(&self) {
        let newest = lock(&self.newest);
        self.is_over.store(true, Ordering::Release);
        drop(newest);
        self.is_newer.notify_all();
    }

    // ---- Watchers ----

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

    pub(super) fn period(&self) -> Duration {
        lock(&self.periods).iter().map(|(_, period)| *period).min().unwrap_or(UNWATCHED)
    }

    pub(super) fn on_begun(&self, begun: Begun) {
        lock(&self.begun).push(begun);
    }

    pub(super) fn begun(&self, moment: &Moment, node: usize) {
        // The handlers run without the lock, because they may act on the model.
        let begun = lock(&self.begun).clone();
        begun.iter().for_each(|begun| begun(moment, node));
    }

    // ---- Callers ----

    /// Notes the outcome of an action, and tells the caller that asked for it.
    pub(super) fn answer(&self, asked: Asked, result: Result<(), Refused>, moment: Arc<Moment>) {
        let Asked { caller, node, change, reply } = asked;
        let node = self.run.graph().nodes().get(node).map(|n| n.name.clone()).unwrap_or_default();
        let problem = result.as_ref().err().map(ToString::to_string);
        // Values that follow a PV would fill the log, and restored ones have a line together.
        if caller.is_origin() || problem.is_some() {
            self.log().action(caller, node, &change.to_string(), problem);
        }
        reply(Answer { result, moment });
    }

    pub(super) fn wait_for(&self, waiting: Waiting) {
        lock(&self.waiting).push(waiting);
        self.waker().wish();
    }

    /// Looks at once at the callers that wait for the work of a node: a caller has written to it.
    pub(super) fn hurry(&self, node: usize) {
        if lock(&self.waiting).iter().any(|waiting| waiting.is_of(node)) {
            self.waker().wish();
        }
    }
}
