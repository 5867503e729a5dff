//! Work on several threads, with the results in the order of the input.
//!
//! The threads take turns: one reads the next piece of input and works on it while the next one reads; whoever has the
//! oldest result gives it away, and all that wait behind it. So a piece stays with one thread, in its cache, nothing is handed
//! over on the way, and the input is read and the output written by one thread at a time.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::{Error, Result};

/// How often the calling thread looks.
const WATCH: Duration = Duration::from_millis(100);

/// What one thread does with a job. Each has its own, with its working memory.
pub trait Worker<J>: Send {
    /// Works on `job`.
    ///
    /// # Errors
    /// What ends the work of all.
    fn work(&mut self, job: &mut J) -> Result<()>;
}

/// Runs `workers`, one on each thread, until `take` says that there is nothing more.
///
/// `take` fills a job and says whether there was something to fill it with; `give` gets the jobs in the same order. Neither is called by two
/// threads at once. `jobs` are used again and again: they bound the memory, and there should be a few more than workers.
/// The calling thread asks `watch` ten times a second whether to go on. Returns the jobs; those that were given away last are as they
/// were then. A thread gets a job again that has just been given away, if it can: what is in it may still be in the cache.
///
/// ```
/// use livetime_formats::parallel::{Worker, in_order};
///
/// struct Square;
/// impl Worker<u64> for Square {
///     fn work(&mut self, job: &mut u64) -> livetime_formats::Result<()> {
///         *job *= *job;
///         Ok(())
///     }
/// }
/// let (mut numbers, mut squares) = (0..100, Vec::new());
/// let take = |job: &mut u64| Ok(numbers.next().map(|n| *job = n).is_some());
/// let give = |job: &mut u64| Ok(squares.push(*job));
/// in_order(vec![0; 4], &mut [Square, Square], take, give, || true)?;
/// assert!(squares.into_iter().eq((0..100).map(|n| n * n)));
/// # Ok::<(), livetime_formats::Error>(())
/// ```
///
/// # Errors
/// The first one of `take`, a worker or `give`; or that `watch` said no; or that there are no jobs.
pub fn in_order<J: Send, W: Worker<J>>(
    jobs: Vec<J>,
    workers: &mut [W],
    take: impl FnMut(&mut J) -> Result<bool> + Send,
    give: impl FnMut(&mut J) -> Result<()> + Send,
    mut watch: impl FnMut() -> bool,
) -> Result<Vec<J>> {
    if jobs.len() < workers.len() || workers.is_empty() {
        let found = format!("{} for {} workers", jobs.len(), workers.len());
        return Err(Error::new("at least one worker, and a job for each", found));
    }
    let state = State { spare: jobs, running: workers.len(), ..State::default() };
    let hall = Hall { state: Mutex::new(state), changed: Condvar::new(), left: Condvar::new() };
    let (take, give) = (Mutex::new((0, take)), Mutex::new(give));
    std::thread::scope(|scope| {
        for worker in workers {
            let (hall, take, give) = (&hall, &take, &give);
            scope.spawn(move || {
                let _leave = Leave(hall);
                while let Some(job) = hall.spare() {
                    one(hall, job, worker, take, give).unwrap_or_else(|error| hall.end(Some(error)));
                }
            });
        }
        hall.watch(&mut watch);
    });
    let mut state = lock(&hall.state);
    match state.failed.take() {
        Some(error) => Err(error),
        None => Ok(std::mem::take(&mut state.spare)),
    }
}

/// The way of one job.
fn one<J: Send, W: Worker<J>>(
    hall: &Hall<J>,
    mut job: J,
    worker: &mut W,
    take: &Mutex<(u64, impl FnMut(&mut J) -> Result<bool>)>,
    give: &Mutex<impl FnMut(&mut J) -> Result<()>>,
) -> Result<()> {
    let number = {
        let (count, take) = &mut *lock(take);
        // Another one may have come to the end while this one waited for its turn.
        if lock(&hall.state).is_over || !take(&mut job)? {
            lock(&hall.state).spare.push(job);
            hall.end(None);
            return Ok(());
        }
        *count += 1;
        *count - 1
    };
    worker.work(&mut job)?;
    hall.hand_in(number, job, |job| lock(give)(job))
}

struct Hall<J> {
    state: Mutex<State<J>>,
    /// For workers: a job is spare, or there is nothing more to do.
    changed: Condvar,
    /// For who watches: a worker has left.
    left: Condvar,
}

struct State<J> {
    spare: Vec<J>,
    /// Results from number `next` on, as far as they are there.
    ready: VecDeque<Option<J>>,
    next: u64,
    /// Somebody gives away what is ready.
    is_giving: bool,
    /// Nothing more is taken.
    is_over: bool,
    failed: Option<Error>,
    running: usize,
}

impl<J> Default for State<J> {
    fn default() -> State<J> {
        State {
            spare: Vec::new(),
            ready: VecDeque::new(),
            next: 0,
            is_giving: false,
            is_over: false,
            failed: None,
            running: 0,
        }
    }
}

impl<J> Hall<J> {
    /// A job to fill, as soon as there is one; `None` when nothing more is to be taken.
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

    /// Puts a result into its place, and gives away all whose turn has come, unless somebody does.
    fn hand_in(&self, number: u64, job: J, mut give: impl FnMut(&mut J) -> Result<()>) -> Result<()> {
        let mut state = lock(&self.state);
        let place = (number - state.next) as usize;
        if state.ready.len() <= place {
            state.ready.resize_with(place + 1, || None);
        }
        state.ready[place] = Some(job);
        while !state.is_giving && state.failed.is_none() {
            let Some(mut job) = state.ready.front_mut().and_then(Option::take) else { break };
            state.is_giving = true;
            drop(state);
            let given = give(&mut job);
            state = lock(&self.state);
            state.is_giving = false;
            given?;
            state.ready.pop_front();
            state.next += 1;
            state.spare.push(job);
            self.changed.notify_one();
        }
        Ok(())
    }

    fn end(&self, error: Option<Error>) {
        let mut state = lock(&self.state);
        state.is_over = true;
        if state.failed.is_none() {
            state.failed = error;
        }
        self.changed.notify_all();
    }

    /// Waits until all workers have left.
    fn watch(&self, go_on: &mut dyn FnMut() -> bool) {
        loop {
            let state = lock(&self.state);
            let is_busy = |state: &mut State<J>| state.running > 0;
            let waited = self.left.wait_timeout_while(state, WATCH, is_busy);
            let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            if state.running == 0 {
                return;
            }
            drop(state);
            if !go_on() {
                self.end(Some(Error::new("the work to come to its end", "that it was stopped")));
            }
        }
    }
}

/// Says that a worker has left, also if it panics: nobody must wait for it then.
struct Leave<'a, J>(&'a Hall<J>);

impl<J> Drop for Leave<'_, J> {
    fn drop(&mut self) {
        let mut state = lock(&self.0.state);
        state.running -= 1;
        state.is_over |= std::thread::panicking();
        self.0.changed.notify_all();
        self.0.left.notify_all();
    }
}

/// What a panic left behind is never used: the panic goes on in the calling thread.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Works longer on some jobs than on others.
    struct Uneven;

    impl Worker<u64> for Uneven {
        fn work(&mut self, job: &mut u64) -> Result<()> {
            (0..*job % 7).for_each(|_| std::thread::yield_now());
            if *job == 777 { Err(Error::new("another number", "777")) } else { Ok(()) }
        }
    }

    fn run(from: u64, to: u64, workers: usize, jobs: usize) -> (Result<Vec<u64>>, Vec<u64>) {
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
        assert!(result.is_err());
    }

    #[test]
    fn a_panic_ends_it_too() {
        struct Panics;
        impl Worker<u64> for Panics {
            fn work(&mut self, _: &mut u64) -> Result<()> {
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
