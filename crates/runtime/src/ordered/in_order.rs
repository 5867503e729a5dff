//! Reading, working and writing by several threads, in the order of reading.
//!
//! The threads take turns: one reads the next piece of input and works on it while the next thread reads. The
//! thread with the oldest result writes it, and then all finished results that follow it. A piece therefore
//! stays with one thread, in its cache, and only one thread at a time reads the input or writes the output.

use std::fmt;
use std::sync::PoisonError;
use std::time::Duration;

use super::Places;
use crate::sync::{Condvar, Mutex, lock};

/// How often the calling thread calls `watch`.
const WATCH: Duration = Duration::from_millis(100);

/// The work of one thread on a job. Each thread has its own value, with its working memory.
pub trait Worker<J>: Send {
    /// Why something fails.
    type Error: Send;

    /// Works on `job`.
    ///
    /// # Errors
    /// An error ends the work of all threads.
    fn work(&mut self, job: &mut J) -> Result<(), Self::Error>;
}

/// Why work was not done to its end.
#[derive(Debug)]
pub enum Interrupted<E> {
    /// The first error of reading, working or writing.
    Failed(E),
    /// `watch` asked to stop.
    Stopped,
    /// There was no worker, or not a job for each.
    TooFew {
        /// Jobs that there were.
        jobs: usize,
        /// Workers that there were.
        workers: usize,
    },
}

impl<E: fmt::Display> fmt::Display for Interrupted<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Interrupted::Failed(error) => error.fmt(f),
            Interrupted::Stopped => {
                f.write_str("wanted the work to come to its end, found that it was stopped")
            }
            Interrupted::TooFew { jobs, workers } => {
                write!(
                    f,
                    "wanted at least one worker, and a job for each, found {jobs} for {workers} workers"
                )
            }
        }
    }
}

impl<E: std::error::Error> std::error::Error for Interrupted<E> {}

/// Runs `workers`, one on each thread, until `take` returns that the input has ended.
///
/// `take` fills a job and returns whether there was input for it; `give` receives the jobs in the same order.
/// Neither is called by two threads at once. `jobs` are reused: their number bounds the memory, and should be
/// slightly larger than the number of workers. The calling thread asks `watch` ten times a second whether to
/// continue. The jobs are returned, with the content that `give` saw last. A thread reuses the job that was
/// given most recently, if possible, because its memory may still be in the cache.
///
/// ```
/// use std::num::TryFromIntError;
///
/// use livetime_runtime::ordered::{Interrupted, Worker, in_order};
///
/// struct Square;
/// impl Worker<u64> for Square {
///     type Error = TryFromIntError;
///
///     fn work(&mut self, job: &mut u64) -> Result<(), TryFromIntError> {
///         *job = u64::from(u32::try_from(*job)?).pow(2);
///         Ok(())
///     }
/// }
/// let (mut numbers, mut squares) = (0..100, Vec::new());
/// let take = |job: &mut u64| Ok(numbers.next().map(|n| *job = n).is_some());
/// let give = |job: &mut u64| Ok(squares.push(*job));
/// in_order(vec![0; 4], &mut [Square, Square], take, give, || true)?;
/// assert!(squares.into_iter().eq((0..100).map(|n| n * n)));
/// # Ok::<(), Interrupted<TryFromIntError>>(())
/// ```
///
/// # Errors
/// [`Interrupted`]: the first error of `take`, a worker or `give`; that `watch` asked to stop; or that there are no jobs.
pub fn in_order<J: Send, W: Worker<J>>(
    jobs: Vec<J>,
    workers: &mut [W],
    take: impl FnMut(&mut J) -> Result<bool, W::Error> + Send,
    give: impl FnMut(&mut J) -> Result<(), W::Error> + Send,
    mut watch: impl FnMut() -> bool,
) -> Result<Vec<J>, Interrupted<W::Error>> {
    if jobs.len() < workers.len() || workers.is_empty() {
        return Err(Interrupted::TooFew { jobs: jobs.len(), workers: workers.len() });
    }
    let hall = Hall::new(jobs, workers.len());
    // `take` and `give` have locks of their own: one thread reads while another one writes.
    let (take, give) = (Mutex::new((0, take)), Mutex::new(give));
    std::thread::scope(|scope| {
        for worker in workers {
            let (hall, take, give) = (&hall, &take, &give);
            scope.spawn(move || hall.serve(worker, take, give));
        }
        hall.watch(&mut watch);
    });
    hall.into_jobs()
}

/// The state that the threads share.
pub(super) struct Hall<J, E> {
    state: Mutex<State<J, E>>,
    /// For workers: a job is spare, or there is nothing more to do.
    changed: Condvar,
    /// Notifies the watching thread that a worker has left.
    left: Condvar,
}

struct State<J, E> {
    spare: Vec<J>,
    /// Jobs in work, and finished jobs that wait for their turn.
    places: Places<J>,
    /// Set while a thread gives finished jobs.
    is_giving: bool,
    /// Nothing more is taken.
    is_over: bool,
    failed: Option<Interrupted<E>>,
    running: usize,
}

impl<J, E> Hall<J, E> {
    pub(super) fn new(jobs: Vec<J>, workers: usize) -> Hall<J, E> {
        let state = State {
            places: Places::with_capacity(jobs.len()),
            spare: jobs,
            is_giving: false,
            is_over: false,
            failed: None,
            running: workers,
        };
        Hall { state: Mutex::new(state), changed: Condvar::new(), left: Condvar::new() }
    }

    /// The loop of a thread.
    pub(super) fn serve(
        &self,
        worker: &mut impl Worker<J, Error = E>,
        take: &Mutex<(u64, impl FnMut(&mut J) -> Result<bool, E>)>,
        give: &Mutex<impl FnMut(&mut J) -> Result<(), E>>,
    ) {
        // Dropped after a panic, too: the watching thread waits until no worker is running.
        let _leave = Leave(self);
        while let Some(job) = self.spare() {
            let done = self.one(job, worker, take, give);
            done.unwrap_or_else(|error| self.end(Some(Interrupted::Failed(error))));
        }
    }

    /// The way of one job.
    fn one(
        &self,
        mut job: J,
        worker: &mut impl Worker<J, Error = E>,
        take: &Mutex<(u64, impl FnMut(&mut J) -> Result<bool, E>)>,
        give: &Mutex<impl FnMut(&mut J) -> Result<(), E>>,
    ) -> Result<(), E> {
        // The lock of `take` is held until the number is given, so that numbers follow the order of the
        // input.
        let number = {
            let (count, take) = &mut *lock(take);
            // Another thread may have reached the end of the input while this one waited for its turn.
            if lock(&self.state).is_over || !take(&mut job)? {
                // The job goes back, so that the caller gets all jobs.
                lock(&self.state).spare.push(job);
                self.end(None);
                return Ok(());
            }
            *count += 1;
            *count - 1
        };
        worker.work(&mut job)?;
        self.hand_in(number, job, |job| lock(give)(job));
        Ok(())
    }

    /// Waits for a free job to fill; `None` when the input has ended or the work was stopped.
    fn spare(&self) -> Option<J> {
        let mut state = lock(&self.state);
        loop {
            if state.is_over {
                return None;
            }
            match state.spare.pop() {
                Some(job) => return Some(job),
                None => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }

    /// Puts a result into its place, and gives all results whose turn has come, unless another thread is
    /// doing that. After a result that could not be given, no later one is given.
    fn hand_in(&self, number: u64, job: J, mut give: impl FnMut(&mut J) -> Result<(), E>) {
        let mut state = lock(&self.state);
        state.places.fill(number, job);
        while !state.is_giving && state.failed.is_none() {
            let Some(mut job) = state.places.take_next() else { return };
            state.is_giving = true;
            // `give` may take long: other threads hand in their results meanwhile.
            drop(state);
            let given = give(&mut job);
            state = lock(&self.state);
            state.is_giving = false;
            state.spare.push(job);
            match given {
                // One spare job is enough for one waiting thread.
                Ok(()) => self.changed.notify_one(),
                Err(error) => self.end_in(&mut state, Some(Interrupted::Failed(error))),
            }
        }
    }

    fn end(&self, error: Option<Interrupted<E>>) {
        self.end_in(&mut lock(&self.state), error);
    }

    fn end_in(&self, state: &mut State<J, E>, error: Option<Interrupted<E>>) {
        state.is_over = true;
        // The first error is the cause; later ones may be its consequences.
        if state.failed.is_none() {
            state.failed = error;
        }
        self.changed.notify_all();
    }

    /// Waits until all workers have left.
    fn watch(&self, go_on: &mut dyn FnMut() -> bool) {
        loop {
            let state = lock(&self.state);
            if state.running == 0 {
                return;
            }
            // The wait is limited, because `watch` must be called even while no worker leaves.
            let waited = self.left.wait_timeout(state, WATCH);
            drop(waited.unwrap_or_else(PoisonError::into_inner));
            if !go_on() {
                self.end(Some(Interrupted::Stopped));
            }
        }
    }

    /// When all workers have left.
    pub(super) fn into_jobs(self) -> Result<Vec<J>, Interrupted<E>> {
        let mut state = lock(&self.state);
        match state.failed.take() {
            Some(error) => Err(error),
            None => Ok(std::mem::take(&mut state.spare)),
        }
    }
}

/// Reports that a worker has left, also when it panics, so that no thread waits for it.
struct Leave<'a, J, E>(&'a Hall<J, E>);

impl<J, E> Drop for Leave<'_, J, E> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.running -= 1;
        // A panicking worker leaves its place empty, and later results would wait for it for ever.
        state.is_over |= std::thread::panicking();
        self.0.changed.notify_all();
        self.0.left.notify_all();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// Works longer on some jobs than on others.
    struct Uneven;

    impl Worker<u64> for Uneven {
        type Error = &'static str;

        fn work(&mut self, job: &mut u64) -> Result<(), &'static str> {
            (0..*job % 7).for_each(|_| std::thread::yield_now());
            if *job == 777 { Err("wanted another number, found 777") } else { Ok(()) }
        }
    }

    type Ran = Result<Vec<u64>, Interrupted<&'static str>>;

    fn run(from: u64, to: u64, workers: usize, jobs: usize) -> (Ran, Vec<u64>) {
        let (mut numbers, mut given) = (from..to, Vec::new());
        let take = |job: &mut u64| Ok(numbers.next().map(|n| *job = n).is_some());
        let give = |job: &mut u64| {
            given.push(*job);
            Ok(())
        };
        let mut uneven: Vec<Uneven> = (0..workers).map(|_| Uneven).collect();
        let result = in_order(vec![0; jobs], &mut uneven, take, give, || true);
        (result, given)
    }

    #[test]
    fn results_come_in_order_whatever_the_number_of_workers() {
        for (workers, jobs) in [(1, 1), (1, 4), (2, 2), (3, 5), (8, 9)] {
            let (result, given) = run(0, 500, workers, jobs);
            assert!(given.into_iter().eq(0..500), "{workers} workers, {jobs} jobs");
            assert_eq!(result.unwrap().len(), jobs);
        }
    }

    #[test]
    fn an_error_ends_the_work_of_all() {
        let (result, given) = run(700, 10_000, 3, 6);
        assert_eq!(result.unwrap_err().to_string(), "wanted another number, found 777");
        assert!(given.into_iter().zip(700..777).all(|(a, b)| a == b));
        assert!(run(0, 1, 2, 1).0.is_err() && run(0, 1, 0, 1).0.is_err());
    }

    #[test]
    fn whoever_watches_can_stop_it() {
        let take = |job: &mut u64| {
            *job = 1;
            Ok(true)
        };
        let result = in_order(vec![0; 3], &mut [Uneven, Uneven], take, |_| Ok(()), || false);
        assert!(matches!(result, Err(Interrupted::Stopped)));
    }

    #[test]
    fn a_panic_ends_it_too() {
        struct Panics;
        impl Worker<u64> for Panics {
            type Error = ();

            fn work(&mut self, _: &mut u64) -> Result<(), ()> {
                panic!("as this test wants");
            }
        }
        let mut workers = [Panics, Panics];
        let work = std::panic::AssertUnwindSafe(|| {
            in_order(vec![0; 2], &mut workers, |_| Ok(true), |_| Ok(()), || true)
        });
        assert!(std::panic::catch_unwind(work).is_err());
    }
}
