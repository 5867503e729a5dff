//! One thread of a run and the nodes on it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use livetime_runtime::{Clock, Doorbell, Event, ThreadTimes, WaitStrategy, Waiting, lock, prepare_thread};

use crate::control::RunControl;
use crate::rehearsal::Disturbance;
use crate::runner::Runner;

/// A request to a worker, carried out between frames.
pub(crate) type Task = Box<dyn FnOnce(&mut Worker) + Send>;

/// The part of a worker that other threads use.
pub(crate) struct WorkerHandle {
    pub(crate) name: String,
    pub(crate) bell: Arc<Doorbell>,
    pub(crate) wait: WaitStrategy,
    pub(crate) cpus: Vec<usize>,
    tasks: Mutex<Vec<Task>>,
    /// Set when the worker takes no tasks any more.
    pub(crate) ended: AtomicBool,
    pub(crate) times: ThreadTimes,
}

impl WorkerHandle {
    pub(crate) fn new(name: String, wait: WaitStrategy, cpus: Vec<usize>) -> WorkerHandle {
        WorkerHandle {
            name,
            bell: Arc::default(),
            wait,
            cpus,
            tasks: Mutex::default(),
            ended: AtomicBool::new(false),
            times: ThreadTimes::default(),
        }
    }

    /// Leaves a request; false when the worker has ended and will not carry it out.
    pub(crate) fn send(&self, task: Task) -> bool {
        let mut tasks = lock(&self.tasks);
        if self.ended.load(Ordering::Acquire) {
            return false;
        }
        // The mark is set under the lock, as `take_tasks` clears it: a mark that is cleared never hides a request.
        tasks.push(task);
        self.bell.has_tasks.store(true, Ordering::Release);
        drop(tasks);
        self.bell.ring();
        true
    }

    fn take_tasks(&self) -> Vec<Task> {
        let mut tasks = lock(&self.tasks);
        self.bell.has_tasks.store(false, Ordering::Release);
        std::mem::take(&mut *tasks)
    }

    /// No further request is carried out; waiting requests are dropped, which their senders notice.
    fn close(&self) {
        let mut tasks = lock(&self.tasks);
        self.ended.store(true, Ordering::Release);
        tasks.clear();
    }
}

/// The nodes of one thread.
pub(crate) struct Worker {
    pub(crate) handle: Arc<WorkerHandle>,
    pub(crate) runners: Vec<Runner>,
    /// By number of a node, which of `runners` it is, or which of them it runs inside.
    pub(crate) places: HashMap<usize, usize>,
    pub(crate) clock: Clock,
    pub(crate) control: Arc<RunControl>,
    /// Whether there are enough cores for threads that poll instead of sleeping.
    pub(crate) may_spin: bool,
    /// The disturbance of a rehearsal.
    pub(crate) disturbance: Option<Disturbance>,
}

impl Worker {
    /// The node with this number, if it runs here.
    pub(crate) fn find(&mut self, id: usize) -> Option<&mut Runner> {
        self.runners.get_mut(*self.places.get(&id)?)?.find(id)
    }

    /// Notes which nodes run here, once all are: a request must not search a group of a thousand nodes.
    pub(crate) fn note_places(&mut self) {
        let mut ids = Vec::new();
        for (place, runner) in self.runners.iter_mut().enumerate() {
            runner.ids(&mut ids);
            self.places.extend(ids.drain(..).map(|id| (id, place)));
        }
    }

    /// Runs until all nodes have ended.
    pub(crate) fn run(mut self) {
        self.enter_thread();
        let mut waiting = Waiting::new(self.handle.wait, self.may_spin);
        while self.runners.iter().any(|r| !r.finished) {
            // Before each turn and not only when idle: a busy thread must answer too.
            self.run_tasks();
            let burst = self.disturbance.as_mut().and_then(Disturbance::turn);
            if !self.step(burst) {
                let is_ready = |now_ns| self.is_ready(now_ns);
                waiting.wait(&self.clock, &self.handle.bell, is_ready, || self.deadline_ns());
            }
        }
        self.handle.close();
        self.handle.times.leave();
    }

    /// One turn of all nodes; returns whether any had something to do.
    pub(crate) fn step(&mut self, burst: Option<usize>) -> bool {
        let mut progressed = false;
        for runner in &mut self.runners {
            // `|=` does not stop at the first node that had work: each node has its turn.
            progressed |= runner.step(burst);
        }
        progressed
    }

    pub(crate) fn run_tasks(&mut self) {
        // The mark is read without the lock, which a turn without requests need not take.
        if self.handle.bell.has_tasks.load(Ordering::Acquire) {
            for task in self.handle.take_tasks() {
                task(self);
            }
        }
    }

    pub(crate) fn is_ready(&self, now_ns: u64) -> bool {
        self.handle.bell.has_tasks.load(Ordering::Acquire) || self.runners.iter().any(|r| r.is_ready(now_ns))
    }

    pub(crate) fn deadline_ns(&self) -> Option<u64> {
        self.runners.iter().filter_map(Runner::deadline_ns).min()
    }

    fn enter_thread(&self) {
        self.handle.bell.adopt_thread();
        self.handle.times.enter();
        if let Err(error) = prepare_thread(&self.handle.cpus) {
            // A thread that is not pinned still works, so that this is no error.
            let message = format!("thread {}: cannot pin or time precisely: {error}", self.handle.name);
            let (at_ns, node) = (self.clock.now_ns(), String::new());
            self.control.tell(Event { at_ns, node, is_error: false, message, cause: None });
        }
    }
}
