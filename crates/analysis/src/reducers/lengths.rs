//! How many events have each element, where the length of arrays differs from event to event.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::{Loader, ReduceError, Saver};

/// Elements, and how many events have them.
pub(super) type Counted = (Range<usize>, u64);
/// Elements, and how many events of two accounts have them.
pub(super) type CountedTwice = (Range<usize>, [u64; 2]);

/// Events by the number of elements that they have. Arrays that are all of one length take one entry.
#[derive(Default)]
pub(super) struct Lengths(BTreeMap<usize, u64>);

impl Lengths {
    pub(super) fn add(&mut self, elements: usize) {
        *self.0.entry(elements).or_default() += 1;
    }

    /// Takes in the lengths of other events and leaves them empty.
    pub(super) fn merge(&mut self, next: &mut Lengths) {
        for (elements, events) in std::mem::take(&mut next.0) {
            *self.0.entry(elements).or_default() += events;
        }
    }

    pub(super) fn events(&self) -> u64 {
        self.0.values().sum()
    }

    pub(super) fn save(&self, out: &mut Saver) {
        out.number(self.0.len() as u64);
        for (elements, events) in &self.0 {
            out.number(*elements as u64);
            out.number(*events);
        }
    }

    /// Loads lengths of arrays with at most `most_elements` elements.
    pub(super) fn load(from: &mut Loader<'_>, most_elements: usize) -> Result<Lengths, ReduceError> {
        let mut lengths = Lengths::default();
        let mut left = from.events();
        for _ in 0..from.at_most(left)? {
            let elements = from.size_at_most(most_elements)?;
            let events = from.at_most(left)?;
            left -= events;
            *lengths.0.entry(elements).or_default() += events;
        }
        Ok(lengths)
    }

    pub(super) fn longest(&self) -> usize {
        self.0.last_key_value().map_or(0, |(elements, _)| *elements)
    }

    /// The elements `0..end` in pieces that the same events have.
    pub(super) fn pieces(&self, end: usize) -> Vec<Counted> {
        let longest = self.longest().min(end);
        let known = self.pieces_with(&Lengths::default()).into_iter();
        let within = known.map(|(piece, [events, _])| (piece.start..piece.end.min(end), events));
        within
            .filter(|(piece, _)| !piece.is_empty())
            .chain((longest < end).then_some((longest..end, 0)))
            .collect()
    }

    /// All elements of both in pieces that the same events have.
    pub(super) fn pieces_with(&self, other: &Lengths) -> Vec<CountedTwice> {
        let mut left = [self, other].map(|lengths| lengths.0.values().sum::<u64>());
        let ends: BTreeSet<usize> = self.0.keys().chain(other.0.keys()).copied().collect();
        let (mut pieces, mut start) = (Vec::new(), 0);
        for end in ends {
            if end > start {
                pieces.push((start..end, left));
            }
            for (left, lengths) in left.iter_mut().zip([self, other]) {
                *left -= lengths.0.get(&end).copied().unwrap_or(0);
            }
            start = end;
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(all: &[usize]) -> Lengths {
        let mut lengths = Lengths::default();
        all.iter().for_each(|n| lengths.add(*n));
        lengths
    }

    #[test]
    fn each_piece_has_the_events_that_reach_it() {
        assert_eq!(lengths(&[3, 5, 3, 0]).pieces(7), [(0..3, 3), (3..5, 1), (5..7, 0)]);
        assert_eq!(lengths(&[3, 5]).pieces(4), [(0..3, 2), (3..4, 1)]);
        assert_eq!(lengths(&[]).pieces(2), [(0..2, 0)]);
        assert!(lengths(&[0]).pieces(0).is_empty());
        let both = lengths(&[3, 5]).pieces_with(&lengths(&[4]));
        assert_eq!(both, [(0..3, [2, 1]), (3..4, [1, 1]), (4..5, [1, 0])]);
    }
}
