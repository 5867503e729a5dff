//! Threads that carry out what faces ask for, and may wait for nodes meanwhile.
//!
//! Actions on one node are carried out in the order of their requests. Different nodes do not wait for each
//! other: a writer thread is added when all are busy, at most one per node, and a thread without work for a
//! while ends. A run whose nodes all answer has one writer thread.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use super::locks::{join, lock};

/// The most jobs that may wait for one node; a client that requests more has not waited for answers.
pub(super) const WAITING: usize = 100;

/// A thread without work ends after this time. A longer time keeps threads that were only needed because a
/// node hung; a shorter one starts new threads for people who write from time to time.
const IDLE: Duration = Duration::from_secs(5);

/// The threads and the jobs that wait for them.
pub(super) struct Writers<T> {
    shared: Arc<Shared<T>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Shared<T> {
    /// Does a job.
    work: Box<dyn Fn(T) + Send + Sync>,
    pool: Mutex<Pool<T>>,
    bell: Condvar,
}

struct Pool<T> {
    nodes: Vec<Node<T>>,
    /// Nodes with waiting jobs of which none is in progress, in the order in which they got them.
    ready: VecDeque<usize>,
    threads: usize,
    idle: usize,
    is_ended: bool,
}

struct Node<T> {
    jobs: VecDeque<T>,
    /// One of its jobs is in progress, or the node is in the list of ready ones.
    is_taken: bool,
}

impl<T: Send + 'static> Writers<T> {
    /// Threads that do `work` with each job.
    pub(super) fn new(nodes: usize, work: impl Fn(T) + Send + Sync + 'static) -> Writers<T> {
        let node = || Node { jobs: VecDeque::new(), is_taken: false };
        let nodes = std::iter::repeat_with(node).take(nodes).collect();
        let pool = Pool { nodes, ready: VecDeque::new(), threads: 0, idle: 0, is_ended: false };
        let shared = Shared { work: Box::new(work), pool: Mutex::new(pool), bell: Condvar::new() };
        Writers { shared: Arc::new(shared), threads: Mutex::default() }
    }

    /// Lets `job` be done after all that was pushed for `node` before. After the end it is dropped.
    ///
    /// # Errors
    /// The job, when too many wait for this node or the system gives no thread.
    pub(super) fn push(&self, node: usize, job: T) -> Result<(), T> {
        let mut pool = lock(&self.shared.pool);
        if pool.is_ended {
            return Ok(());
        }
        if pool.nodes[node].jobs.len() >= WAITING {
            return Err(job);
        }
        if !std::mem::replace(&mut pool.nodes[node].is_taken, true) {
            pool.ready.push_back(node);
        }
        if pool.ready.len() > pool.idle && pool.threads < pool.nodes.len() && self.add_thread() {
            pool.threads += 1;
        }
        if pool.threads == 0 {
            // Nothing else waits then: a thread ends only when nothing is ready.
            pool.ready.clear();
            pool.nodes[node].is_taken = false;
            return Err(job);
        }
        pool.nodes[node].jobs.push_back(job);
        drop(pool);
        self.shared.bell.notify_one();
        Ok(())
    }

    fn add_thread(&self) -> bool {
        let shared = self.shared.clone();
        let started = Builder::new().name("writer".into()).spawn(move || shared.work_on());
        let mut threads = lock(&self.threads);
        threads.retain(|thread| !thread.is_finished());
        started.map(|thread| threads.push(thread)).is_ok()
    }

    /// Drops waiting jobs, and returns when jobs in progress have ended.
    pub(super) fn end(&self) {
        let mut pool = lock(&self.shared.pool);
        pool.is_ended = true;
        pool.ready.clear();
        let jobs: Vec<_> = pool.nodes.iter_mut().map(|node| std::mem::take(&mut node.jobs)).collect();
        drop(pool);
        // Dropping a job notifies its caller, which may call back.
        drop(jobs);
        self.shared.bell.notify_all();
        let threads = std::mem::take(&mut *lock(&self.threads));
        threads.into_iter().for_each(join);
    }
}

impl<T> Shared<T> {
    fn work_on(&self) {
        while let Some((node, job)) = self.next() {
            // A panic is reported where it happens; the node's other jobs must continue.
            let _ = catch_unwind(AssertUnwindSafe(|| (self.work)(job)));
            self.done(node);
        }
    }

    fn next(&self) -> Option<(usize, T)> {
        let mut pool = lock(&self.pool);
        loop {
            if let Some(node) = pool.ready.pop_front()
                && let Some(job) = pool.nodes[node].jobs.pop_front()
            {
                return Some((node, job));
            }
            if pool.is_ended {
                pool.threads -= 1;
                return None;
            }
            pool.idle += 1;
            let (woken, waited) = self.bell.wait_timeout(pool, IDLE).unwrap_or_else(PoisonError::into_inner);
            pool = woken;
            pool.idle -= 1;
            if waited.timed_out() && pool.ready.is_empty() {
                pool.threads -= 1;
                return None;
            }
        }
    }

    fn done(&self, node: usize) {
        let mut pool = lock(&self.pool);
        match pool.nodes[node].jobs.is_empty() {
            true => pool.nodes[node].is_taken = false,
            false => pool.ready.push_back(node),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    type Job = Box<dyn FnOnce() + Send>;

    fn writers(nodes: usize) -> Writers<Job> {
        Writers::new(nodes, |job: Job| job())
    }

    #[test]
    fn jobs_of_a_node_keep_their_order_and_nodes_do_not_wait_for_each_other() {
        let writers = writers(3);
        let (go, hang) = channel::<()>();
        let (tell, told) = channel();
        assert!(writers.push(0, Box::new(move || _ = hang.recv())).is_ok());
        for node in [0, 1, 2] {
            for number in 0..20 {
                let tell = tell.clone();
                assert!(writers.push(node, Box::new(move || _ = tell.send((node, number)))).is_ok());
            }
        }
        // The jobs of the other nodes are done while the first job hangs.
        let mut early: Vec<(usize, i32)> = told.iter().take(40).collect();
        early.sort_by_key(|(node, _)| *node);
        let wanted: Vec<_> = [1, 2].iter().flat_map(|node| (0..20).map(|n| (*node, n))).collect();
        assert_eq!(early, wanted);
        assert!(lock(&writers.shared.pool).threads <= 3);
        go.send(()).unwrap();
        assert_eq!(told.iter().take(20).collect::<Vec<_>>(), (0..20).map(|n| (0, n)).collect::<Vec<_>>());
    }

    #[test]
    fn too_many_jobs_are_given_back_and_the_end_drops_the_rest() {
        let writers = writers(1);
        let (go, hang) = channel::<()>();
        let (started, is_started) = channel();
        let job = move || {
            started.send(()).unwrap();
            let _ = hang.recv();
        };
        assert!(writers.push(0, Box::new(job)).is_ok());
        is_started.recv().unwrap();
        let (kept, dropped) = channel::<()>();
        for _ in 0..WAITING {
            let kept = kept.clone();
            assert!(writers.push(0, Box::new(move || kept.send(()).unwrap())).is_ok());
        }
        assert!(writers.push(0, Box::new(|| ())).is_err());
        drop(kept);
        std::thread::scope(|scope| {
            scope.spawn(|| writers.end());
            // All senders are gone without having sent.
            assert!(dropped.recv().is_err());
            go.send(()).unwrap();
        });
        assert!(writers.push(0, Box::new(|| panic!("done after the end"))).is_ok());
    }

    #[test]
    fn a_panic_takes_no_other_job_along() {
        let writers = writers(1);
        let (tell, told) = channel();
        assert!(writers.push(0, Box::new(|| std::panic::resume_unwind(Box::new("as wanted")))).is_ok());
        assert!(writers.push(0, Box::new(move || tell.send(7).unwrap())).is_ok());
        assert_eq!(told.recv(), Ok(7));
    }
}
