//! A strand: agents that are run by one thread at a time, and how other threads leave work for them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use crossbeam_utils::CachePadded;
use livetime_runtime::sync::{AtomicU64, Ordering, fence};
use livetime_runtime::{Clock, Control, Doorbell, lock, panic_text};

use super::any_agent::AnyAgent;
use super::failure::{AgentError, Failure};
use super::local::Local;
use super::pool::{Pool, Work};
use super::this_thread::running_on;

/// A request to a strand, carried out between two messages.
pub(crate) type Task = Box<dyn FnOnce(&mut Strand) + Send>;

/// Inputs below this number have a bit of their own in `ready`; the others share [`MANY`].
pub(crate) const OWN_BITS: u32 = 60;
/// Inputs are named in `many`.
pub(crate) const MANY: u64 = 1 << 60;
/// An input for which an agent here waits has room again.
pub(crate) const ROOM: u64 = 1 << 61;
/// The strand waits for a thread of its pool, or has one.
const QUEUED: u64 = 1 << 62;
/// Requests wait.
const TASKS: u64 = 1 << 63;

/// The number of agents that a strand runs before its thread checks for messages from outside.
const RUNS: usize = 64;

/// The part of a strand that other threads use.
pub(crate) struct StrandHandle {
    pub(crate) name: String,
    /// Announcements of work: see the constants above. The thread that sets the first bit wakes the strand's
    /// thread.
    ready: CachePadded<AtomicU64>,
    many: Mutex<Vec<u32>>,
    tasks: Mutex<Vec<Task>>,
    ended: AtomicBool,
    pub(crate) host: Host,
    pub(crate) clock: Clock,
    pub(crate) control: Arc<Control>,
    /// Counts visits with work done; with [`is_idle`](StrandHandle::is_idle) it shows whether all is quiet.
    pub(crate) visits: AtomicU64,
    /// Written by the strand when it has nothing left to do.
    pub(crate) idle: AtomicBool,
}

/// Where a strand is run.
pub(crate) enum Host {
    /// A strand with its own thread, which holds the lock except while it sleeps. It is boxed, because data
    /// that the thread writes for every message must not share cache lines with data that senders read.
    Thread { bell: Arc<Doorbell>, body: Box<CachePadded<Mutex<Option<Strand>>>> },
    /// On any thread of a pool.
    Pool { pool: Arc<Pool>, body: Mutex<Option<Strand>> },
    /// By a simulation, step by step.
    Simulated { body: Mutex<Option<Strand>> },
}

impl StrandHandle {
    pub(crate) fn new(name: String, host: Host, clock: Clock, control: Arc<Control>) -> StrandHandle {
        StrandHandle {
            name,
            ready: CachePadded::new(AtomicU64::new(0)),
            many: Mutex::default(),
            tasks: Mutex::default(),
            ended: AtomicBool::new(false),
            host,
            clock,
            control,
            visits: AtomicU64::new(0),
            idle: AtomicBool::new(true),
        }
    }

    /// Announces work. The caller must have made the work visible, followed by a sequentially consistent
    /// fence.
    pub(crate) fn tell(self: &Arc<StrandHandle>, bits: u64) {
        // The thread that set these bits earlier wakes the strand, which has not read them yet.
        if self.ready.load(Ordering::Relaxed) & bits == bits {
            return;
        }
        match &self.host {
            Host::Thread { bell, .. } => {
                self.ready.fetch_or(bits, Ordering::SeqCst);
                // The bits are stored before the bell is read; pairs with the fence in `Doorbell::prepare`.
                fence(Ordering::SeqCst);
                bell.ring_if_seen_parked();
            }
            Host::Pool { pool, .. } => {
                if self.ready.fetch_or(bits | QUEUED, Ordering::SeqCst) & QUEUED == 0 {
                    pool.push(Work::Strand(self.clone()));
                }
            }
            Host::Simulated { .. } => _ = self.ready.fetch_or(bits, Ordering::SeqCst),
        }
    }

    /// Announces an input without a bit of its own. The caller then sets the bit [`MANY`].
    pub(crate) fn name_input(&self, slot: u32) {
        lock(&self.many).push(slot);
    }

    /// Leaves a request; returns it when the strand has ended and will not carry it out.
    pub(crate) fn send(self: &Arc<StrandHandle>, task: Task) -> Result<(), Task> {
        let mut tasks = lock(&self.tasks);
        if self.ended.load(Ordering::Acquire) {
            return Err(task);
        }
        tasks.push(task);
        drop(tasks);
        // The request is visible before its announcement.
        fence(Ordering::SeqCst);
        self.tell(TASKS);
        Ok(())
    }

    /// The strand, for every kind of host.
    pub(crate) fn with_body<R>(&self, act: impl FnOnce(&mut Option<Strand>) -> R) -> R {
        match &self.host {
            Host::Thread { body, .. } => act(&mut lock(body)),
            Host::Pool { body, .. } | Host::Simulated { body } => act(&mut lock(body)),
        }
    }

    /// Does something to the strand on the calling thread, at once, if no other thread runs the strand; else gives it
    /// back. Waking the strand's thread and waiting for it would take longer than most requests.
    pub(crate) fn act_here<R, F: FnOnce(&mut Strand) -> R>(self: &Arc<StrandHandle>, act: F) -> Result<R, F> {
        let body = match &self.host {
            Host::Thread { body, .. } => body,
            Host::Pool { body, .. } => {
                // With the mark of the pool the strand counts as queued, so that no thread of the pool takes it meanwhile.
                if self.ready.compare_exchange(0, QUEUED, Ordering::SeqCst, Ordering::Relaxed).is_err() {
                    return Err(act);
                }
                body
            }
            Host::Simulated { .. } => return Err(act),
        };
        let done = match body.try_lock().as_deref_mut() {
            Ok(Some(strand)) if !strand.end => Ok(strand.act(act)),
            _ => Err(act),
        };
        let has_more = done.as_ref().is_ok_and(|(_, has_more)| *has_more);
        match &self.host {
            Host::Pool { pool, .. } if has_more || !self.leave_pool() => {
                pool.push(Work::Strand(self.clone()))
            }
            // An empty request: it only makes the strand's thread check for work.
            Host::Thread { .. } if has_more => {
                fence(Ordering::SeqCst);
                self.tell(TASKS);
            }
            _ => {}
        }
        done.map(|(result, _)| result)
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// True when work was announced.
    #[inline]
    pub(crate) fn has_work(&self) -> bool {
        self.ready.load(Ordering::Relaxed) & !QUEUED != 0
    }

    /// True when work other than `bits` was announced.
    #[inline]
    pub(crate) fn has_work_beside(&self, bits: u64) -> bool {
        self.ready.load(Ordering::Relaxed) & !QUEUED & !bits != 0
    }

    /// The strand is about to work, whether or not work was announced.
    #[inline]
    pub(crate) fn set_busy(&self) {
        if self.idle.load(Ordering::Relaxed) {
            self.idle.store(false, Ordering::SeqCst);
        }
    }

    /// True when the strand has handled everything that was announced to it.
    pub(crate) fn is_idle(&self) -> bool {
        self.idle.load(Ordering::SeqCst) && !self.has_work()
    }

    /// Takes the announcements, and leaves the pool's mark unchanged.
    pub(super) fn take_ready(&self) -> u64 {
        if !self.has_work() {
            return 0;
        }
        // A strand that has work is not idle, whichever of the two is looked at first.
        self.set_busy();
        let bits = self.ready.fetch_and(QUEUED, Ordering::SeqCst) & !QUEUED;
        // The thread that takes a bit sees everything that was put before the bit was set, and before other
        // senders saw it set.
        fence(Ordering::SeqCst);
        bits
    }

    /// After a visit by a thread of the pool: true when no work was announced meanwhile.
    pub(crate) fn leave_pool(&self) -> bool {
        self.ready.compare_exchange(QUEUED, 0, Ordering::SeqCst, Ordering::Relaxed).is_ok()
    }
}

/// The agents of one strand, and the messages between them.
pub(crate) struct Strand {
    pub(crate) local: Local,
    pub(crate) agents: Vec<Option<Box<dyn AnyAgent>>>,
    pub(crate) end: bool,
    /// Agents that have not ended.
    pub(crate) live: usize,
    /// The strand ends with its last agent.
    pub(crate) ends_with_agents: bool,
    /// Agents that will be rebuilt after a delay.
    pub(crate) restarting: Vec<u32>,
    /// Messages that an agent may handle before others have their turn.
    batch: usize,
}

impl Strand {
    pub(crate) fn new(local: Local, batch: usize) -> Strand {
        Strand {
            batch: batch.max(1),
            local,
            agents: Vec::new(),
            end: false,
            live: 0,
            ends_with_agents: false,
            restarting: Vec::new(),
        }
    }

    /// One turn: takes the messages from outside, then runs agents that have messages, at most `runs` of them, each for at
    /// most `batch` messages. Returns whether there was anything to do.
    pub(crate) fn visit(&mut self, runs: usize, batch: usize) -> bool {
        let ready = self.local.take_told();
        if ready != 0 {
            self.take_in(ready);
        }
        if self.local.needs_clock && (ready != 0 || self.has_local_work()) {
            self.local.read_clock();
        }
        let ran = (0..runs).take_while(|_| self.run_next(batch)).count();
        let progressed = ready != 0 || ran > 0;
        self.note_visit(progressed);
        progressed
    }

    /// Publishes whether the strand is idle, for threads that wait for a quiet system.
    #[inline]
    fn note_visit(&self, progressed: bool) {
        if progressed {
            let visits = &self.local.handle.visits;
            visits.store(visits.load(Ordering::Relaxed) + 1, Ordering::SeqCst);
        }
        if !self.has_local_work() && !self.local.handle.idle.load(Ordering::Relaxed) {
            let is_idle = self.local.outbox.is_empty() && self.local.in_flight == 0;
            self.local.handle.idle.store(is_idle, Ordering::SeqCst);
        }
    }

    /// Carries out a request on another thread while no thread runs the strand. Also returns whether that
    /// left work to do.
    fn act<R>(&mut self, act: impl FnOnce(&mut Strand) -> R) -> (R, bool) {
        self.local.handle.set_busy();
        let before = running_on(Arc::as_ptr(&self.local.handle) as usize);
        let result = act(self);
        running_on(before);
        self.note_visit(true);
        (result, self.has_local_work() || self.end)
    }

    /// A turn of the usual length.
    pub(crate) fn turn(&mut self) -> bool {
        self.visit(RUNS, self.batch)
    }

    pub(crate) fn has_local_work(&self) -> bool {
        !self.local.run.is_empty()
    }

    #[cold]
    fn take_in_rare(&mut self, ready: u64) {
        if ready & TASKS != 0 {
            let tasks = std::mem::take(&mut *lock(&self.local.handle.tasks));
            tasks.into_iter().for_each(|task| task(self));
        }
        if ready & MANY != 0 {
            let named = std::mem::take(&mut *lock(&self.local.handle.many));
            named.into_iter().for_each(|slot| self.local.schedule_named(slot));
        }
        if ready & ROOM != 0 {
            self.local.send_parked();
        }
    }

    fn take_in(&mut self, ready: u64) {
        if ready & (TASKS | MANY | ROOM) != 0 {
            self.take_in_rare(ready);
        }
        let mut inputs = ready & ((1 << OWN_BITS) - 1);
        while inputs != 0 {
            self.local.schedule_input(inputs.trailing_zeros());
            inputs &= inputs - 1;
        }
    }

    /// Runs the agent whose turn it is; false when there is none.
    fn run_next(&mut self, batch: usize) -> bool {
        let Some(number) = self.local.next_to_run() else { return false };
        if let Some(agent) = self.agents.get_mut(number as usize).and_then(Option::as_mut) {
            let local = &mut self.local;
            let result = catch_unwind(AssertUnwindSafe(|| agent.run(local, batch)));
            self.after_run(number, result);
        }
        true
    }

    #[inline(always)]
    fn after_run(&mut self, number: u32, result: std::thread::Result<Result<(), AgentError>>) {
        self.local.tell_peers();
        match result {
            Ok(Ok(())) => {}
            Ok(Err(error)) => self.fail(number, Failure::Error(error)),
            Err(panic) => self.fail(number, Failure::Panic(panic_text(&*panic))),
        }
        if self.local.has_changes {
            self.settle();
        }
    }

    /// Adds new agents, and removes ended ones.
    #[cold]
    pub(crate) fn settle(&mut self) {
        self.local.has_changes = false;
        while let Some((number, agent)) = self.local.newborn.pop() {
            self.insert(number, agent);
        }
        while let Some(number) = self.local.ending.pop() {
            self.remove(number);
        }
    }

    pub(crate) fn insert(&mut self, number: u32, agent: Box<dyn AnyAgent>) {
        let number = number as usize;
        if self.agents.len() <= number {
            self.agents.resize_with(number + 1, || None);
        }
        self.agents[number] = Some(agent);
        self.live += 1;
    }

    /// Ends an agent: its `stop` hook, its accounts, its inputs.
    pub(crate) fn remove(&mut self, number: u32) {
        if let Some(mut agent) = self.agents.get_mut(number as usize).and_then(Option::take) {
            let local = &mut self.local;
            // A hook that panics must not keep the accounts open.
            if catch_unwind(AssertUnwindSafe(|| agent.stop(local))).is_err() {
                let name = &agent.care().name;
                self.local.core.tell(true, format!("agent `{name}` panicked while stopping"));
            }
            agent.end(&mut self.local);
            self.local.tell_peers();
            self.local.free_agent(number);
            self.restarting.retain(|n| *n != number);
            self.live -= 1;
        }
        if self.local.has_changes {
            self.settle();
        }
        self.end |= self.ends_with_agents && self.live == 0;
    }

    /// Calls the `drain` hooks.
    pub(crate) fn drain(&mut self) {
        for number in 0..self.agents.len() {
            if let Some(agent) = self.agents[number].as_mut() {
                let local = &mut self.local;
                let result = catch_unwind(AssertUnwindSafe(|| agent.drain(local))).map(Ok);
                self.after_run(number as u32, result);
            }
        }
    }

    /// The strand ends: no further request is carried out; waiting requests are dropped, which their senders
    /// notice.
    pub(crate) fn close(&mut self) {
        (0..self.agents.len()).for_each(|number| self.remove(number as u32));
        let handle = &self.local.handle;
        let mut tasks = lock(&handle.tasks);
        handle.ended.store(true, Ordering::Release);
        let left = std::mem::take(&mut *tasks);
        // Requests are dropped outside the lock: their destructors may send further requests.
        drop(tasks);
        drop(left);
        handle.idle.store(true, Ordering::SeqCst);
    }
}
