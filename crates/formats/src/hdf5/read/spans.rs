//! The mappings of a virtual data set, found by the rows that they show.

use super::selection::{Mapping, Rows, Selection};

/// Mappings, and for each row those that may show it: a search tree of spans, so that a row of a million mappings is
/// found at once.
#[derive(Debug)]
pub(super) struct Mappings {
    all: Vec<Mapping>,
    /// Begin, end and number of the mapping, in the order of the begins.
    spans: Vec<(u64, u64, usize)>,
    /// The highest end in the part of the tree whose middle is here.
    most: Vec<u64>,
}

impl Mappings {
    pub(super) fn new(all: Vec<Mapping>) -> Mappings {
        let span = |(number, mapping): (usize, &Mapping)| span(mapping).map(|(from, to)| (from, to, number));
        let mut spans: Vec<(u64, u64, usize)> = all.iter().enumerate().filter_map(span).collect();
        spans.sort_unstable();
        let mut most = vec![0; spans.len()];
        fill(&spans, &mut most);
        Mappings { all, spans, most }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Mapping> {
        self.all.iter()
    }

    /// The mappings that may show a row, in their order in the file: a later one lies over an earlier one.
    pub(super) fn near(&self, row: u64) -> Vec<&Mapping> {
        let mut numbers = Vec::new();
        find(&self.spans, &self.most, row, &mut numbers);
        numbers.sort_unstable();
        numbers.into_iter().filter_map(|number| self.all.get(number)).collect()
    }
}

/// The first row that a mapping shows, and the one behind the last; `None` if it shows none.
fn span(mapping: &Mapping) -> Option<(u64, u64)> {
    let Selection::Some { rows, .. } = &mapping.target else { return Some((0, u64::MAX)) };
    match rows {
        Rows::Regular { start, count: None, .. } => Some((*start, u64::MAX)),
        Rows::Regular { start, stride, count: Some(count), block } => {
            let last = start.saturating_add(count.checked_sub(1)?.saturating_mul(*stride));
            Some((*start, last.saturating_add(*block)))
        }
        Rows::Blocks(blocks) => {
            let end = blocks.iter().map(|(start, length)| start.saturating_add(*length)).max()?;
            Some((blocks.iter().map(|(start, _)| *start).min()?, end))
        }
    }
}

/// The highest end of all spans.
fn fill(spans: &[(u64, u64, usize)], most: &mut [u64]) -> u64 {
    let middle = spans.len() / 2;
    let Some((_, end, _)) = spans.get(middle) else { return 0 };
    let (before, behind) = most.split_at_mut(middle);
    let below = fill(&spans[..middle], before);
    let above = fill(&spans[middle + 1..], &mut behind[1..]);
    behind[0] = below.max(above).max(*end);
    behind[0]
}

fn find(spans: &[(u64, u64, usize)], most: &[u64], row: u64, numbers: &mut Vec<usize>) {
    let middle = spans.len() / 2;
    let Some((begin, end, number)) = spans.get(middle) else { return };
    // No span of this part ends behind the row.
    if most[middle] <= row {
        return;
    }
    find(&spans[..middle], &most[..middle], row, numbers);
    if *begin > row {
        return;
    }
    if *end > row {
        numbers.push(*number);
    }
    find(&spans[middle + 1..], &most[middle + 1..], row, numbers);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn mapping(start: u64, stride: u64, count: u64, block: u64) -> Mapping {
        let rows = Rows::Regular { start, stride, count: Some(count), block };
        let target = Selection::Some { rows, others: vec![] };
        Mapping { file: ".".into(), data_set: String::new(), source: Selection::All, target }
    }

    proptest! {
        /// Each mapping that has a row is among the near ones, and none that ends before it or begins behind it.
        #[test]
        fn a_row_has_all_of_its_mappings(
            parts in prop::collection::vec((0..50u64, 1..9u64, 0..6u64, 1..9u64), 0..40),
            row in 0..120u64,
        ) {
            let make = |(start, stride, count, block): &(u64, u64, u64, u64)| {
                mapping(*start, *stride.max(block), *count, *block)
            };
            let all: Vec<Mapping> = parts.iter().map(make).collect();
            let has = |mapping: &&Mapping| mapping.target.rows().unwrap().position(row).is_some();
            let wanted: Vec<&Mapping> = all.iter().filter(has).collect();
            let mappings = Mappings::new(all.clone());
            let near = mappings.near(row);
            prop_assert_eq!(near.iter().copied().filter(|m| has(m)).collect::<Vec<_>>(), wanted);
            let spans = near.iter().map(|mapping| span(mapping).unwrap());
            spans.for_each(|(from, to)| assert!((from..to).contains(&row)));
        }
    }
}
