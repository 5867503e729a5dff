//! Which leaves a partial result has.

use std::ops::Range;

use crate::{Error, Result};

/// Ranges of leaves, in their order, which neither overlap nor touch.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Leaves(Vec<Range<usize>>);

impl Leaves {
    pub(crate) fn of(range: Range<usize>) -> Leaves {
        Leaves(Some(range).filter(|range| !range.is_empty()).into_iter().collect())
    }

    pub(crate) fn ranges(&self) -> &[Range<usize>] {
        &self.0
    }

    /// Takes in others.
    ///
    /// # Errors
    /// If some are there already; then nothing has changed.
    pub(crate) fn add(&mut self, others: &Leaves) -> Result<()> {
        let mut all: Vec<Range<usize>> = self.0.iter().chain(&others.0).cloned().collect();
        all.sort_by_key(|range| range.start);
        if let Some([_, twice]) = all.array_windows().find(|[a, b]| b.start < a.end) {
            return Err(Error::refused("every leaf once", format!("leaf {} twice", twice.start)));
        }
        self.0.clear();
        for range in all {
            match self.0.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => self.0.push(range),
            }
        }
        Ok(())
    }

    /// The numbers of `0..leaves` that are missing.
    pub(crate) fn missing(&self, leaves: usize) -> Vec<Range<usize>> {
        let starts = std::iter::once(0).chain(self.0.iter().map(|range| range.end));
        let ends = self.0.iter().map(|range| range.start).chain([leaves]);
        starts.zip(ends).map(|(start, end)| start..end).filter(|gap| !gap.is_empty()).collect()
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "lists of ranges, some of which have one")]
mod tests {
    use super::*;

    #[test]
    fn every_leaf_is_there_once() {
        let mut leaves = Leaves::of(3..5);
        leaves.add(&Leaves::of(7..9)).unwrap();
        leaves.add(&Leaves::of(0..0)).unwrap();
        assert_eq!(leaves.missing(10), [0..3, 5..7, 9..10]);
        assert_eq!(
            leaves.add(&Leaves::of(4..6)).unwrap_err().to_string(),
            "wanted every leaf once, found leaf 4 twice"
        );
        leaves.add(&Leaves::of(5..7)).unwrap();
        assert_eq!(leaves.ranges(), std::slice::from_ref(&(3..9)));
        assert_eq!((leaves.missing(9), Leaves::default().missing(0)), (vec![0..3], vec![]));
    }
}
