//! One thread of a run and the nodes on it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::clock::Clock;
use crate::control::{Control, lock};
use crate::doorbell::Doorbell;
use crate::graph::WaitStrategy;
use crate::runner::Runner;
use crate::wait::{Waiting, prepare_thread};

/// A request to a worker, carried out between frames.
pub(crate) type Task = Box<dyn FnOnce(&mut Worker) + Send>;

/// What others know of a worker.
pub(crate) struct WorkerHandle {
    pub(crate) name: String,
    pub(crate) bell: Arc<Doorbell>,
    pub(crate) wait: WaitStrategy,
    pub(crate) cpus: Vec<usize>,
    tasks: Mutex<Vec<Task>>,
    /// Set when the worker takes no tasks any more.
    pub(crate) ended: AtomicBool,
    /// Thread number of the operating system; 0 until the thread runs.
    pub(crate) tid: AtomicU64,
    /// CPU time of a thread that has ended, in ns.
    pub(crate) cpu_ns: AtomicU64,
    /// How long a thread that has ended had waited for a core, in ns.
    pub(crate) delayed_ns: AtomicU64,
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
            tid: AtomicU64::new(0),
            cpu_ns: AtomicU64::new(0),
            delayed_ns: AtomicU64::new(0),
        }
    }

    /// Leaves a request; false when the worker has ended and will not look.
    pub(crate) fn send(&self, task: Task) -> bool {
        let mut tasks = lock(&self.tasks);
        if self.ended.load(Ordering::Acquire) {
            return false;
        }
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

    /// No request will be carried out any more; those that wait are dropped, which their senders notice.
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
    pub(crate) clock: Clock,
    pub(crate) control: Arc<Control>,
    /// Whether there are cores enough for threads that look instead of sleeping.
    pub(crate) may_spin: bool,
}

impl Worker {
    /// The node with this number, if it runs here.
    pub(crate) fn find(&mut self, id: usize) -> Option<&mut Runner> {
        self.runners.iter_mut().find_map(|r| r.find(id))
    }

    /// Runs until all nodes have ended.
    pub(crate) fn run(mut self) {
        self.enter_thread();
        let mut waiting = Waiting::new(self.handle.wait, self.may_spin);
        while self.runners.iter().any(|r| !r.finished) {
            self.run_tasks();
            if !self.step(None) {
                let is_ready = |now_ns| self.is_ready(now_ns);
                waiting.wait(&self.clock, &self.handle.bell, is_ready, || self.deadline_ns());
            }
        }
        self.handle.close();
        self.leave_thread();
    }

    /// One turn of all nodes; returns whether any had something to do.
    pub(crate) fn step(&mut self, burst: Option<usize>) -> bool {
        let mut progressed = false;
        for runner in &mut self.runners {
            progressed |= runner.step(burst);
        }
        progressed
    }

    pub(crate) fn run_tasks(&mut self) {
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
        let tid = rustix::thread::gettid();
        self.handle.tid.store(tid.as_raw_nonzero().get() as u64, Ordering::Release);
        if let Err(error) = prepare_thread(&self.handle.cpus) {
            let message = format!("thread {}: cannot pin or time precisely: {error}", self.handle.name);
            let (at_ns, node) = (self.clock.now_ns(), String::new());
            self.control.tell(crate::control::Event { at_ns, node, is_error: false, message });
        }
    }

    fn leave_thread(&self) {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        let ns = time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64;
        self.handle.delayed_ns.store(scheduled("thread-self").map_or(0, |s| s.1), Ordering::Release);
        self.handle.cpu_ns.store(ns.max(1), Ordering::Release);
    }
}

/// CPU time of a worker's thread so far, and how long it was ready to run and had no core, in ns; `None` where the
/// system does not tell.
pub(crate) fn cpu_and_delay_ns(worker: &WorkerHandle) -> Option<(u64, u64)> {
    match (worker.cpu_ns.load(Ordering::Acquire), worker.tid.load(Ordering::Acquire)) {
        (0, 0) => None,
        (0, tid) => scheduled(&format!("self/task/{tid}")),
        (ended, _) => Some((ended, worker.delayed_ns.load(Ordering::Acquire))),
    }
}

/// What Linux's scheduler notes of a thread: ns on a core, and ns waiting for one.
fn scheduled(thread: &str) -> Option<(u64, u64)> {
    let text = std::fs::read_to_string(format!("/proc/{thread}/schedstat")).ok()?;
    let mut numbers = text.split_whitespace().map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}
