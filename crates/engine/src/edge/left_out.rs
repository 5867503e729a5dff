//! Which frames an edge has left out on purpose, by their numbers.

use std::ops::RangeInclusive;
use std::sync::OnceLock;

use livetime_runtime::sync::{AtomicU64, Ordering, fence};

/// Runs of numbers that are remembered. A frame that passes ends a run, so that this is more than the queues on the way
/// of a frame hold. The oldest one counts as gone: the next may be written over it.
const RUNS: u64 = if cfg!(loom) { 3 } else { 4096 };

/// First and last number of a run.
type Run = [AtomicU64; 2];

/// Numbers of frames that were not offered because of decimation, a limit of the rate, or a pause.
///
/// The sender enters the numbers before it puts the next frame into the queue, so that a receiver of that frame finds
/// them here. The sender waits for no reader, and allocates once. A reader compares `begun` before and after, to notice
/// that a run was overwritten while it read.
#[derive(Default)]
pub(crate) struct LeftOut {
    /// Made with the first number: most edges leave out none.
    runs: OnceLock<Box<[Run]>>,
    /// How many runs there were; number `n` is at `n % RUNS`.
    begun: AtomicU64,
}

impl LeftOut {
    /// The frame of this number was left out. Only the sender of the edge calls this.
    pub(super) fn add(&self, number: u64) {
        let runs = self.runs.get_or_init(|| (0..RUNS).map(|_| Run::default()).collect());
        // Relaxed: only the sender writes.
        let begun = self.begun.load(Ordering::Relaxed);
        if begun > 0 {
            // A number that follows the last run extends it, so that a pause takes one run.
            let [_, last] = run(runs, begun - 1);
            if last.load(Ordering::Relaxed).checked_add(1) == Some(number) {
                return last.store(number, Ordering::Release);
            }
        }
        // A reader that sees one of the new values below also sees this `begun`, and so notices that its run was replaced.
        fence(Ordering::Release);
        run(runs, begun).iter().for_each(|place| place.store(number, Ordering::Relaxed));
        self.begun.store(begun + 1, Ordering::Release);
    }

    /// How many of these numbers were left out.
    pub(crate) fn count(&self, numbers: &RangeInclusive<u64>) -> u64 {
        let Some(runs) = self.runs.get() else { return 0 };
        let begun = self.begun.load(Ordering::Acquire);
        let mut count = 0;
        // Newest first: a receiver asks for numbers just below its current frame.
        for number in (begun.saturating_sub(RUNS)..begun).rev() {
            let [first, last] = run(runs, number);
            let (first, last) = (first.load(Ordering::Relaxed), last.load(Ordering::Acquire));
            fence(Ordering::Acquire);
            if number + RUNS <= self.begun.load(Ordering::Relaxed) || last < *numbers.start() {
                break;
            }
            let (first, last) = (first.max(*numbers.start()), last.min(*numbers.end()));
            // Runs above the asked numbers have no number in common with them.
            count += if first > last { 0 } else { last - first + 1 };
        }
        count
    }
}

fn run(runs: &[Run], number: u64) -> &Run {
    &runs[(number % RUNS) as usize]
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn runs_are_counted_as_far_as_they_are_asked_for() {
        let left_out = LeftOut::default();
        assert_eq!(left_out.count(&(0..=100)), 0);
        (0..100).filter(|number| number % 10 != 0).for_each(|number| left_out.add(number));
        assert_eq!(left_out.count(&(11..=19)), 9);
        assert_eq!(left_out.count(&(15..=25)), 10);
        assert_eq!((left_out.count(&(20..=20)), left_out.count(&(95..=200))), (0, 5));
    }

    #[test]
    fn old_runs_are_forgotten() {
        let left_out = LeftOut::default();
        (0..2 * RUNS).step_by(2).for_each(|number| left_out.add(number));
        assert_eq!((left_out.count(&(0..=1)), left_out.count(&(2..=3))), (0, 1));
    }
}

#[cfg(all(test, loom))]
mod models {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_reader_counts_only_what_was_left_out() {
        loom::model(|| {
            let left_out = Arc::new(LeftOut::default());
            left_out.add(1);
            let sender = left_out.clone();
            // Further runs; the last of them overwrites the first one.
            let thread = loom::thread::spawn(move || [2, 4, 6, 8].map(|number| sender.add(number)));
            // Never 3 or 5, even if a run is read while it changes.
            assert!(left_out.count(&(1..=2)) <= 2);
            assert_eq!((left_out.count(&(3..=3)), left_out.count(&(5..=5))), (0, 0));
            thread.join().unwrap();
            assert_eq!(
                (left_out.count(&(5..=6)), left_out.count(&(8..=9)), left_out.count(&(1..=2))),
                (1, 1, 0)
            );
        });
    }
}
