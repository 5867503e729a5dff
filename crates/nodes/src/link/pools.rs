//! The pools of a run, for nodes that handle their results.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use livetime_runtime::lock;

/// The service by which `link_pool` tells its progress to other nodes of its run, by its name.
#[derive(Clone, Default)]
pub(crate) struct Pools(Arc<Mutex<BTreeMap<String, Arc<Progress>>>>);

impl Pools {
    /// The pool of this name, which may begin later.
    pub(crate) fn of(&self, name: &str) -> Arc<Progress> {
        lock(&self.0).entry(name.to_owned()).or_default().clone()
    }
}

/// Runs of numbers that are remembered. Numbers of older runs count as not taken.
const RUNS: usize = 100_000;

/// How far a pool has come.
#[derive(Default)]
pub(crate) struct Progress {
    has_ended: AtomicBool,
    /// Numbers of the frames that it took, as runs in rising order. The run of a frame that it lost is cut.
    taken: Mutex<VecDeque<Range<u64>>>,
}

impl Progress {
    /// The pool takes the frame with this number; a number that does not rise is not remembered.
    pub(crate) fn take(&self, number: u64) {
        let mut taken = lock(&self.taken);
        let end = number.saturating_add(1);
        match taken.back_mut() {
            Some(last) if number < last.end => {}
            Some(last) if number == last.end => last.end = end,
            _ => taken.push_back(number..end),
        }
        if taken.len() > RUNS {
            taken.pop_front();
        }
    }

    /// The pool has lost the frame with this number, and counted it.
    pub(crate) fn lose(&self, number: u64) {
        let mut taken = lock(&self.taken);
        let place = taken.partition_point(|run| run.end <= number);
        let Some(run) = taken.get(place).filter(|run| run.contains(&number)).cloned() else { return };
        taken.remove(place);
        let parts = [run.start..number, number.saturating_add(1)..run.end];
        parts.into_iter().rev().filter(|part| !part.is_empty()).for_each(|part| taken.insert(place, part));
    }

    /// The first taken number from `from` on. Forgets all before it.
    pub(crate) fn next(&self, from: u64) -> Option<u64> {
        let mut taken = lock(&self.taken);
        while taken.front().is_some_and(|run| run.end <= from) {
            taken.pop_front();
        }
        taken.front().map(|run| run.start.max(from))
    }

    /// How many of these numbers the pool has taken.
    pub(crate) fn count(&self, numbers: Range<u64>) -> u64 {
        let taken = lock(&self.taken);
        let of = |run: &Range<u64>| run.end.min(numbers.end).saturating_sub(run.start.max(numbers.start));
        taken.iter().take_while(|run| run.start < numbers.end).map(of).sum()
    }

    /// Whether the pool has ended: no result will follow.
    pub(crate) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    pub(crate) fn end(&self) {
        self.has_ended.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::Progress;

    #[test]
    fn taken_numbers_are_found_and_counted() {
        let progress = Progress::default();
        [3, 4, 5, 9, 4, 10, 20].into_iter().for_each(|number| progress.take(number));
        assert_eq!((progress.next(0), progress.count(0..100)), (Some(3), 6));
        progress.lose(4);
        progress.lose(7);
        assert_eq!((progress.next(4), progress.count(0..10)), (Some(5), 2));
        assert_eq!((progress.next(6), progress.next(11), progress.next(21)), (Some(9), Some(20), None));
        assert_eq!(progress.count(0..100), 0);
    }
}
