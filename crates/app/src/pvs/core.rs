//! What the threads that serve a run share.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use livetime_engine::Run;

use super::acquire::{Waiting, done_if_quiet};
use super::node::NodePvs;
use super::picture::Pictures;
use super::run_pvs::RunPvs;

/// What the threads that serve a run share.
pub(super) struct Core {
    pub(super) run: Arc<Run>,
    pub(super) nodes: Vec<Mutex<NodePvs>>,
    pub(super) whole: Mutex<RunPvs>,
    pub(super) pictures: Mutex<Pictures>,
    /// Which node sends to which.
    pub(super) wires: Mutex<Vec<(usize, usize)>>,
    /// Held by who re-wires the graph.
    pub(super) wiring: Mutex<()>,
    pub(super) waiting: Mutex<Vec<Waiting>>,
    pub(super) alarm: Arc<Alarm>,
    /// Time between two updates.
    pub(super) period: Duration,
}

/// Wakes the thread that updates.
#[derive(Default)]
pub(super) struct Alarm {
    rung: Mutex<Rung>,
    bell: Condvar,
    pub(super) ended: AtomicBool,
}

/// Why the thread is to wake.
#[derive(Default)]
struct Rung {
    /// Something happened that clients should see.
    is_alarm: bool,
    /// Somebody waits for an acquisition.
    is_wish: bool,
}

impl Alarm {
    pub(super) fn ring(&self) {
        lock(&self.rung).is_alarm = true;
        self.bell.notify_all();
    }

    fn wish(&self) {
        lock(&self.rung).is_wish = true;
        self.bell.notify_all();
    }

    pub(super) fn end(&self) {
        self.ended.store(true, Ordering::Release);
        self.ring();
    }

    /// Waits for a ring, at most for `limit`. Returns whether it was an alarm.
    fn wait(&self, limit: Duration) -> bool {
        let rung = lock(&self.rung);
        let is_quiet = |rung: &mut Rung| !rung.is_alarm && !rung.is_wish;
        let waited = self.bell.wait_timeout_while(rung, limit, is_quiet);
        let (mut rung, _) = waited.unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *rung).is_alarm
    }
}

/// Locks, whether or not a thread panicked while it held the lock.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks if nobody holds the lock.
pub(super) fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// Alarms come at once, but not more often than this.
const SHORTEST: Duration = Duration::from_millis(10);

impl Core {
    /// Brings all PVs up to date again and again, until the end.
    pub(super) fn update(&self) {
        let mut updated = Instant::now();
        let mut is_alarm = false;
        self.update_once();
        while !self.alarm.ended.load(Ordering::Acquire) {
            let pause = if is_alarm { SHORTEST } else { self.period };
            let until_next = pause.saturating_sub(updated.elapsed());
            let limit = self.shortest_wait().unwrap_or(until_next).min(until_next);
            match is_alarm {
                // Of a node that fails on every frame one alarm is enough.
                true => std::thread::sleep(limit),
                false => is_alarm = self.alarm.wait(limit),
            }
            let is_over = self.take_over();
            let pause = if is_alarm { SHORTEST } else { self.period };
            if !is_over.is_empty() || updated.elapsed() >= pause {
                (updated, is_alarm) = (Instant::now(), false);
                self.update_once();
            }
            // Now that all that belongs to the acquisition is shown.
            is_over.into_iter().for_each(Waiting::accept);
        }
        self.update_once();
        lock(&self.waiting).drain(..).for_each(|w| w.refuse("the run has ended"));
    }

    /// Nodes are asked first and waited for then: none waits for another.
    fn update_once(&self) {
        let nodes = || self.nodes.iter().filter_map(try_lock);
        nodes().for_each(|mut node| node.ask(&self.run));
        let deadline = Instant::now() + self.period / 2;
        nodes().for_each(|mut node| node.show_answer(deadline));
        let report = self.run.report();
        for mut node in nodes() {
            let behind = if node.state.is_source { self.behind(node.number) } else { Vec::new() };
            let queued = behind.iter().filter_map(|n| report.nodes.get(*n)).map(|n| n.queued).sum();
            let waits = node.state.waits_for_plugins && done_if_quiet(&report, &behind).is_none();
            node.state.is_busy = node.state.is_acquiring || waits;
            node.state.queued_behind = queued;
            node.show_report(&report);
        }
        lock(&self.whole).show(&report);
        lock(&self.pictures).update(&self.run, &report);
    }

    pub(super) fn wait_for(&self, waiting: Waiting) {
        lock(&self.waiting).push(waiting);
        self.alarm.wish();
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

    /// The nodes that frames of `node` come to.
    pub(super) fn behind(&self, node: usize) -> Vec<usize> {
        let wires = lock(&self.wires);
        let mut found = Vec::new();
        let mut open = vec![node];
        while let Some(from) = open.pop() {
            for &(_, to) in wires.iter().filter(|w| w.0 == from) {
                if !found.contains(&to) {
                    found.push(to);
                    open.push(to);
                }
            }
        }
        found
    }

    /// Notes that `node` has its frames from another one.
    pub(super) fn rewired(&self, node: usize, old: &str, new: &str) {
        let graph = self.run.graph();
        let (Ok(old), Ok(new)) = (graph.node(old), graph.node(new)) else { return };
        let mut wires = lock(&self.wires);
        if let Some(wire) = wires.iter_mut().find(|w| **w == (old, node)) {
            wire.0 = new;
        }
    }
}
