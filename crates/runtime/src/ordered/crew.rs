//! Threads that work on jobs as they arrive, and return the results in the order of the jobs.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;

use super::Places;
use crate::sync::{Condvar, Mutex, lock};
use crate::{panic_text, spawn};

/// Threads for jobs that arrive one by one, with one worker each. A job goes to any free thread; results are
/// taken in the order in which the jobs were put.
///
/// Putting never waits, and no job is discarded: the caller bounds the jobs by checking
/// [`under_way`](Crew::under_way) before it puts, and takes results before it puts more. With two jobs per
/// thread, no thread idles while the caller takes.
///
/// ```
/// use livetime_runtime::ordered::Crew;
///
/// let mut crew = Crew::start("square", [|n: u64| n * n, |n: u64| n * n])?;
/// let mut squares = Vec::new();
/// for number in 0..100 {
///     while crew.under_way() >= 4 {
///         squares.extend(crew.take().transpose().unwrap());
///     }
///     crew.put(number);
/// }
/// squares.extend(std::iter::from_fn(|| crew.take()).map(Result::unwrap));
/// assert!(squares.into_iter().eq((0..100).map(|n| n * n)));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Crew<J, R> {
    shared: Arc<Shared<J, R>>,
    threads: Vec<JoinHandle<()>>,
    /// The process that has the threads. A fork of it has none of them.
    process: u32,
}

/// A worker panicked at this job, with this message. The crew continues with the remaining workers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Panicked(pub String);

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wanted a worker that returns, found one that panicked: {}", self.0)
    }
}

impl std::error::Error for Panicked {}

/// The state that the threads share.
pub(super) struct Shared<J, R> {
    state: Mutex<State<J, R>>,
    /// For workers: there is a job, or never will be.
    has_job: Condvar,
    /// Notified when a result is ready to be taken.
    has_result: Condvar,
}

struct State<J, R> {
    /// With their numbers, oldest first.
    waiting: VecDeque<(u64, J)>,
    places: Places<Result<R, Panicked>>,
    /// Workers that have not panicked.
    live: usize,
    is_over: bool,
}

impl<J: Send + 'static, R: Send + 'static> Crew<J, R> {
    /// Starts a thread for each worker, called `name-0`, `name-1`, …
    ///
    /// # Errors
    /// When the operating system cannot create a thread; threads that were already started end.
    pub fn start<W: FnMut(J) -> R + Send + 'static>(
        name: &str,
        workers: impl IntoIterator<Item = W>,
    ) -> std::io::Result<Crew<J, R>> {
        let workers: Vec<W> = workers.into_iter().collect();
        let shared = Arc::new(Shared::new(workers.len()));
        let mut crew = Crew { shared, threads: Vec::new(), process: std::process::id() };
        for (number, worker) in workers.into_iter().enumerate() {
            let shared = crew.shared.clone();
            crew.threads.push(spawn(&format!("{name}-{number}"), move || shared.serve(worker))?);
        }
        Ok(crew)
    }

    /// How many threads were started.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Jobs that were put and whose result was not taken.
    pub fn under_way(&self) -> usize {
        lock(&self.shared.state).places.under_way()
    }

    /// Gives a job to the next free thread.
    pub fn put(&mut self, job: J) {
        self.shared.put(job);
    }

    /// Waits for the result of the oldest job whose result was not taken yet; `None` if no job is under way.
    ///
    /// # Errors
    /// Inside: [`Panicked`], if its worker did, or if no worker is left.
    pub fn take(&mut self) -> Option<Result<R, Panicked>> {
        self.shared.take()
    }

    /// As [`take`](Crew::take), but the caller does not wait while a job is there that no thread has begun: it does that itself by `help`.
    ///
    /// # Errors
    /// As [`take`](Crew::take); a panic of `help` counts as a panic of a worker.
    pub fn take_helping(&mut self, help: impl FnMut(J) -> R) -> Option<Result<R, Panicked>> {
        self.shared.take_helping(help)
    }

    /// As [`take`](Crew::take), without waiting: also `None` if the result is not ready yet.
    pub fn try_take(&mut self) -> Option<Result<R, Panicked>> {
        lock(&self.shared.state).places.take_next()
    }
}

impl<J, R> Drop for Crew<J, R> {
    /// Discards jobs that no thread has begun, and waits for the others. A fork of the process has no such threads, and
    /// one of them may have held the lock at the fork: the fork leaves the state of the crew alone.
    fn drop(&mut self) {
        if self.process != std::process::id() {
            return std::mem::forget(std::mem::take(&mut self.threads));
        }
        self.shared.end();
        self.threads.drain(..).for_each(|thread| _ = thread.join());
    }
}

impl<J, R> Shared<J, R> {
    pub(super) fn new(workers: usize) -> Shared<J, R> {
        let state =
            State { waiting: VecDeque::new(), places: Places::default(), live: workers, is_over: false };
        Shared { state: Mutex::new(state), has_job: Condvar::new(), has_result: Condvar::new() }
    }

    pub(super) fn put(&self, job: J) {
        let mut state = lock(&self.state);
        let number = state.places.open();
        state.waiting.push_back((number, job));
        // Without a worker, no thread would ever fill the place of this job.
        if state.live == 0 {
            state.give_up();
        }
        self.has_job.notify_one();
    }

    pub(super) fn take(&self) -> Option<Result<R, Panicked>> {
        let mut state = lock(&self.state);
        while state.places.under_way() > 0 {
            if let Some(result) = state.places.take_next() {
                return Some(result);
            }
            state = self.has_result.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        None
    }

    pub(super) fn take_helping(&self, mut help: impl FnMut(J) -> R) -> Option<Result<R, Panicked>> {
        let mut state = lock(&self.state);
        while state.places.under_way() > 0 {
            if let Some(result) = state.places.take_next() {
                return Some(result);
            }
            let Some((number, job)) = state.waiting.pop_front() else {
                state = self.has_result.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            // The job is done without the lock, so that the threads continue meanwhile.
            drop(state);
            // A panic is caught: a place that stays empty would let `take` wait for ever.
            let result = catch_unwind(AssertUnwindSafe(|| help(job)));
            state = lock(&self.state);
            state.places.fill(number, result.map_err(|panic| Panicked(panic_text(&*panic))));
        }
        None
    }

    pub(super) fn end(&self) {
        lock(&self.state).is_over = true;
        self.has_job.notify_all();
    }

    /// The loop of a thread.
    pub(super) fn serve(&self, mut worker: impl FnMut(J) -> R) {
        while let Some((number, job)) = self.next_job() {
            // As in `take_helping`: the place of a job is filled even if the worker panics.
            let result = catch_unwind(AssertUnwindSafe(|| worker(job)));
            let has_panicked = result.is_err();
            let mut state = lock(&self.state);
            state.places.fill(number, result.map_err(|panic| Panicked(panic_text(&*panic))));
            if has_panicked {
                // The panic may have left the worker in an invalid state, so it is not used again.
                state.live -= 1;
                state.give_up();
            }
            // Results are taken in order: one behind an unfinished result needs no notification.
            if state.places.is_ready() {
                self.has_result.notify_all();
            }
            if has_panicked {
                return;
            }
        }
    }

    fn next_job(&self) -> Option<(u64, J)> {
        let mut state = lock(&self.state);
        loop {
            // At the end, jobs that no thread has begun are discarded.
            if state.is_over {
                return None;
            }
            match state.waiting.pop_front() {
                Some(job) => return Some(job),
                None => state = self.has_job.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

impl<J, R> State<J, R> {
    /// If no worker is left, waiting jobs fail.
    fn give_up(&mut self) {
        if self.live == 0 {
            for (number, _) in self.waiting.drain(..) {
                self.places.fill(number, Err(Panicked("all workers have".into())));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crew(threads: usize) -> Crew<u64, u64> {
        let worker = |number: u64| {
            (0..number % 5).for_each(|_| std::thread::yield_now());
            assert!(number != 77, "not 77");
            2 * number
        };
        Crew::start("test", (0..threads).map(|_| worker)).unwrap()
    }

    #[test]
    fn results_come_in_the_order_of_the_jobs() {
        for threads in [1, 2, 5] {
            let mut crew = crew(threads);
            let mut taken = Vec::new();
            for number in 100..400 {
                if crew.under_way() >= 2 * crew.threads() {
                    taken.push(crew.take().unwrap().unwrap());
                }
                crew.put(number);
                taken.extend(std::iter::from_fn(|| crew.try_take()).map(Result::unwrap));
            }
            taken.extend(std::iter::from_fn(|| crew.take()).map(Result::unwrap));
            assert!(taken.into_iter().eq((100..400).map(|n| 2 * n)), "{threads} threads");
        }
    }

    #[test]
    fn who_waits_helps() {
        // The only thread is at a job that ends when the caller has done the others.
        let (done, is_done) = std::sync::mpsc::channel();
        let mut crew = Crew::start("test", [move |number: u64| number * is_done.recv().unwrap()]).unwrap();
        crew.put(7);
        while !lock(&crew.shared.state).waiting.is_empty() {
            std::thread::yield_now();
        }
        (8..11).for_each(|number| crew.put(number));
        let mut helped = Vec::new();
        let mut help = |number: u64| {
            helped.push(number);
            if number == 10 {
                done.send(2).unwrap();
            }
            assert!(number != 9, "not 9");
            2 * number
        };
        let all: Vec<_> = (0..4).map(|_| crew.take_helping(&mut help).unwrap()).collect();
        assert_eq!((&all[0], &all[1], &all[3]), (&Ok(14), &Ok(16), &Ok(20)));
        assert!(all[2].as_ref().is_err_and(|panic| panic.0.contains("not 9")), "{:?}", all[2]);
        assert!(crew.take_helping(|_| 0).is_none());
        assert_eq!(helped, [8, 9, 10]);
    }

    #[test]
    fn a_panic_is_the_result_of_its_job_alone_while_a_worker_is_left() {
        let mut two = crew(2);
        (76..79).for_each(|number| two.put(number));
        let all: Vec<_> = std::iter::from_fn(|| two.take()).collect();
        assert_eq!((&all[0], &all[2]), (&Ok(152), &Ok(156)));
        assert!(all[1].as_ref().is_err_and(|panic| panic.0.contains("not 77")), "{:?}", all[1]);
        let mut one = crew(1);
        (76..79).for_each(|number| one.put(number));
        let all: Vec<_> = std::iter::from_fn(|| one.take()).collect();
        assert_eq!(all.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, false]);
        one.put(1);
        assert!(one.take().unwrap().is_err());
    }

    #[test]
    fn a_crew_that_is_dropped_gives_up_what_waits() {
        let mut crew = crew(1);
        (100..200).for_each(|number| crew.put(number));
        assert_eq!(crew.take(), Some(Ok(200)));
    }
}
