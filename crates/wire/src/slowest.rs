//! The smallest of many numbers that rise.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// Finds the smallest of many numbers, each of which only rises: the watermark of the slowest stream. A number that has
/// risen is found out when it is the smallest, so that a rise costs nothing, and the answer costs a logarithm.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slowest(BinaryHeap<Reverse<(u64, usize)>>);

/// So few numbers are looked through: a heap moves more than that.
const FEW: usize = 12;

impl Slowest {
    /// Number `index` is there too.
    pub(crate) fn add(&mut self, index: usize, number: u64) {
        self.0.push(Reverse((number, index)));
    }

    /// These are all numbers: needed when one of them has fallen, or comes back.
    pub(crate) fn reset(&mut self, numbers: impl Iterator<Item = (usize, u64)>) {
        self.0.clear();
        self.0.extend(numbers.map(|(index, number)| Reverse((number, index))));
    }

    /// The smallest one. `now` tells the value of a number; `None` takes it out.
    #[inline]
    pub(crate) fn least(&mut self, now: impl Fn(usize) -> Option<u64>) -> Option<u64> {
        if self.0.len() <= FEW {
            return self.0.iter().filter_map(|Reverse((_, index))| now(*index)).min();
        }
        self.least_of_many(now)
    }

    fn least_of_many(&mut self, now: impl Fn(usize) -> Option<u64>) -> Option<u64> {
        while let Some(mut top) = self.0.peek_mut() {
            let Reverse((number, index)) = *top;
            match now(index) {
                Some(value) if value == number => return Some(value),
                // Sorted in again when `top` is dropped.
                Some(value) => *top = Reverse((value, index)),
                None => _ = PeekMut::pop(top),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Slowest;

    proptest! {
        #[test]
        fn it_is_the_smallest(steps in prop::collection::vec((0usize..30, 0u64..50, 0u8..20), 1..300)) {
            let (mut slowest, mut numbers) = (Slowest::default(), vec![None; 30]);
            for (index, by, what) in steps {
                match (&mut numbers[index], what) {
                    (None, _) => {
                        numbers[index] = Some(by);
                        let all = numbers.iter().enumerate();
                        slowest.reset(all.filter_map(|(index, number)| Some((index, (*number)?))));
                    }
                    (there, 0) => *there = None,
                    (Some(number), _) => *number += by,
                }
                let least = numbers.iter().flatten().min().copied();
                prop_assert_eq!(slowest.least(|index| numbers[index]), least);
            }
        }
    }
}
