//! A pool: several threads that run the strands which have work, each strand on one thread at a time.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use livetime_runtime::sync::{Ordering, fence};
use livetime_runtime::{Doorbell, Waiting, lock};

use super::core::Core;
use super::host::prepare_thread;
use super::placement::ThreadOptions;
use super::strand::{Host, StrandHandle};
use super::this_thread::running_on;

/// Turns of one strand before a thread takes the next one.
const TURNS: usize = 4;

/// The next step of a thread of a pool.
pub(crate) enum Work {
    /// Run a strand.
    Strand(Arc<StrandHandle>),
    /// Run one handler beside its strand.
    Job(Arc<dyn Job>),
}

/// Something that any thread may do at any time.
pub(crate) trait Job: Send + Sync {
    fn run(&self);
}

/// Work that waits for a thread.
pub(crate) struct Pool {
    queue: Mutex<VecDeque<Work>>,
    /// How much of it: so that threads need not take the lock to see that there is nothing.
    waiting: std::sync::atomic::AtomicUsize,
    bells: Box<[Arc<Doorbell>]>,
    ended: std::sync::atomic::AtomicBool,
    options: ThreadOptions,
}

impl Pool {
    pub(crate) fn new(threads: usize, options: ThreadOptions) -> Pool {
        Pool {
            queue: Mutex::default(),
            waiting: Default::default(),
            bells: (0..threads.max(1)).map(|_| Arc::default()).collect(),
            ended: Default::default(),
            options,
        }
    }

    pub(crate) fn threads(&self) -> usize {
        self.bells.len()
    }

    /// Adds a strand that has work, or a job.
    pub(crate) fn push(&self, work: Work) {
        let mut queue = lock(&self.queue);
        queue.push_back(work);
        self.waiting.store(queue.len(), Ordering::Relaxed);
        drop(queue);
        // `waiting` is stored before the bells are read; pairs with the fence in `Doorbell::prepare`.
        fence(Ordering::SeqCst);
        // One thread is enough for one piece of work.
        for bell in &self.bells {
            if bell.ring_if_seen_parked() {
                break;
            }
        }
    }

    fn pop(&self) -> Option<Work> {
        // Relaxed: `push` rings after its store, so that a thread that reads an old 0 looks again.
        if self.waiting.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let mut queue = lock(&self.queue);
        let work = queue.pop_front();
        self.waiting.store(queue.len(), Ordering::Relaxed);
        work
    }

    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
        self.bells.iter().for_each(|bell| bell.ring());
    }

    /// Starts its threads.
    pub(crate) fn start(
        self: &Arc<Pool>,
        core: &Arc<Core>,
        name: &str,
    ) -> std::io::Result<Vec<JoinHandle<()>>> {
        (0..self.bells.len())
            .map(|number| {
                let (pool, core, name) = (self.clone(), core.clone(), format!("{name}/{number}"));
                livetime_runtime::spawn(&name.clone(), move || pool.run(number, &core, &name))
            })
            .collect()
    }

    fn run(&self, number: usize, core: &Core, name: &str) {
        let bell = &self.bells[number];
        bell.adopt_thread();
        prepare_thread(core, name, &self.options.cpus);
        let mut waiting = Waiting::new(self.options.wait, core.may_spin());
        let has_work = || self.waiting.load(Ordering::Relaxed) > 0 || self.ended.load(Ordering::Relaxed);
        while !self.ended.load(Ordering::SeqCst) {
            match self.pop() {
                Some(Work::Strand(strand)) => self.serve(strand),
                Some(Work::Job(job)) => job.run(),
                None => {
                    waiting.may_spin = core.may_spin();
                    waiting.wait(&core.clock, bell, |_| has_work(), || None);
                }
            }
        }
    }

    fn serve(&self, strand: Arc<StrandHandle>) {
        let Host::Pool { body, .. } = &strand.host else { return };
        let mut body = lock(body);
        let Some(running) = body.as_mut() else { return };
        running_on(Arc::as_ptr(&strand) as usize);
        let has_more = (0..TURNS).all(|_| running.turn());
        running_on(0);
        if running.end {
            running.close();
            *body = None;
            return;
        }
        let has_more = has_more || running.has_local_work();
        // Unlocked before other threads can find the strand.
        drop(body);
        if has_more || !strand.leave_pool() {
            self.push(Work::Strand(strand));
        }
    }
}
