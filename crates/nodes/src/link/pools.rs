//! The pools of a run, for nodes that handle their results.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use livetime_runtime::lock;

use super::bell::Bell;

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
    /// The pool is in this run, and not in one of another host.
    is_here: AtomicBool,
    has_ended: AtomicBool,
    taken: Mutex<Taken>,
    /// Rings for the pool: a worker or an order has news.
    pub(crate) bell: Arc<Bell>,
}

#[derive(Default)]
struct Taken {
    /// Numbers of the frames that the pool took, as runs in rising order. The run of a frame that it lost is cut.
    runs: VecDeque<Range<u64>>,
    /// The nodes that put results in order, by name.
    orders: BTreeMap<String, Order>,
}

struct Order {
    /// The number that it sends next.
    next: u64,
    /// Frames that may be between the pool and it.
    most: u64,
}

impl Taken {
    fn count(&self, numbers: &Range<u64>) -> u64 {
        let of = |run: &Range<u64>| run.end.min(numbers.end).saturating_sub(run.start.max(numbers.start));
        self.runs.iter().take_while(|run| run.start < numbers.end).map(of).sum()
    }

    /// Forgets the numbers that every order has passed.
    fn forget(&mut self) {
        let Some(passed) = self.orders.values().map(|order| order.next).min() else { return };
        while self.runs.front().is_some_and(|run| run.end <= passed) {
            self.runs.pop_front();
        }
    }
}

impl Progress {
    pub(crate) fn begin(&self) {
        self.is_here.store(true, Ordering::Release);
    }

    pub(crate) fn is_here(&self) -> bool {
        self.is_here.load(Ordering::Acquire)
    }

    /// A node begins to put results in order, from the number `next` on. The pool waits with new frames while `most` have
    /// not passed it: without a bound a lost worker's frame would find all windows full of results that wait for its own.
    pub(crate) fn begin_order(&self, node: &str, next: u64, most: u64) {
        lock(&self.taken).orders.insert(node.to_owned(), Order { next, most });
    }

    /// The node puts no more results in order.
    pub(crate) fn end_order(&self, node: &str) {
        lock(&self.taken).orders.remove(node);
        self.bell.ring();
    }

    /// The node has passed all results before the number `next`.
    pub(crate) fn pass(&self, node: &str, next: u64) {
        let mut taken = lock(&self.taken);
        let Some(order) = taken.orders.get_mut(node).filter(|order| order.next < next) else { return };
        order.next = next;
        taken.forget();
        drop(taken);
        self.bell.ring();
    }

    /// Whether a new frame would be too far before the results.
    pub(crate) fn is_far_ahead(&self) -> bool {
        let taken = lock(&self.taken);
        taken.orders.values().any(|order| taken.count(&(order.next..u64::MAX)) >= order.most)
    }

    /// The pool takes the frame with this number; a number that does not rise is not remembered.
    pub(crate) fn take(&self, number: u64) {
        let taken = &mut lock(&self.taken).runs;
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
        let taken = &mut lock(&self.taken).runs;
        let place = taken.partition_point(|run| run.end <= number);
        let Some(run) = taken.get(place).filter(|run| run.contains(&number)).cloned() else { return };
        taken.remove(place);
        let parts = [run.start..number, number.saturating_add(1)..run.end];
        parts.into_iter().rev().filter(|part| !part.is_empty()).for_each(|part| taken.insert(place, part));
    }

    /// The first taken number from `from` on.
    pub(crate) fn next(&self, from: u64) -> Option<u64> {
        let runs = &lock(&self.taken).runs;
        let place = runs.partition_point(|run| run.end <= from);
        runs.get(place).map(|run| run.start.max(from))
    }

    /// How many of these numbers the pool has taken.
    pub(crate) fn count(&self, numbers: Range<u64>) -> u64 {
        lock(&self.taken).count(&numbers)
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
        assert_eq!((progress.next(4), progress.count(0..10)), (Some(5), 3));
        assert_eq!((progress.next(6), progress.next(11), progress.next(21)), (Some(9), Some(20), None));
    }

    #[test]
    fn a_pool_is_not_far_before_the_slowest_order() {
        let progress = Progress::default();
        progress.begin_order("a", 0, 3);
        progress.begin_order("b", 0, 4);
        [0, 1, 5, 6].into_iter().for_each(|number| progress.take(number));
        assert!(progress.is_far_ahead());
        progress.pass("a", 6);
        assert!(progress.is_far_ahead(), "b has passed none");
        assert_eq!(progress.count(0..100), 4, "b needs them");
        progress.pass("b", 1);
        assert!(!progress.is_far_ahead());
        progress.pass("b", 6);
        assert_eq!(progress.count(0..100), 2, "runs that all have passed are forgotten");
        [7, 8].into_iter().for_each(|number| progress.take(number));
        assert!(progress.is_far_ahead());
        progress.end_order("a");
        assert!(!progress.is_far_ahead());
    }
}
