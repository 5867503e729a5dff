//! How the events of a run are cut into blocks, and blocks into leaves.

use std::ops::Range;

/// Most events in a block, so that tiny pictures do not make blocks that take long.
pub(crate) const MOST_EVENTS: usize = 1024;
/// Most blocks in a leaf: 2 GiB of pictures. A partial result as large as a picture of floats is then a hundredth of
/// its pictures.
const MOST_BLOCKS: usize = 64;
/// A run is divided into at least this many leaves if it has that many blocks, because many leaves are shared evenly
/// between workers and parts.
const LEAVES: usize = 128;

/// The events that are wanted, in blocks and leaves. The results depend on it in the last bits of floats, and on nothing else: not on
/// workers, parts, processes or machines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Cut {
    /// Numbers of the events.
    pub(crate) range: Range<usize>,
    /// Uses one event in every `every` (at least 1, which uses all).
    pub(crate) every: usize,
    /// Events in a block, at least 1.
    pub(crate) block: usize,
}

impl Cut {
    pub(crate) fn events(&self) -> usize {
        self.range.len().div_ceil(self.every)
    }

    pub(crate) fn blocks(&self) -> usize {
        self.events().div_ceil(self.block)
    }

    /// Blocks in a leaf: a power of two.
    pub(crate) fn leaf(&self) -> usize {
        match (self.blocks() / LEAVES).min(MOST_BLOCKS) {
            0 => 1,
            // A power of two, so that leaves of parts are whole subtrees.
            blocks => 1 << blocks.ilog2(),
        }
    }

    pub(crate) fn leaves(&self) -> usize {
        self.blocks().div_ceil(self.leaf())
    }

    /// Numbers of all events.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        self.range.clone().step_by(self.every)
    }

    /// Numbers of the events of a block.
    pub(crate) fn events_of_block(&self, block: usize) -> impl Iterator<Item = usize> + use<> {
        self.numbers(block, 1)
    }

    /// Numbers of the events of some blocks.
    pub(crate) fn events_of_blocks(
        &self,
        blocks: Range<usize>,
    ) -> impl ExactSizeIterator<Item = usize> + use<> {
        self.numbers(blocks.start, blocks.len())
    }

    /// The blocks of a leaf.
    pub(crate) fn blocks_of_leaf(&self, leaf: usize) -> Range<usize> {
        let start = leaf * self.leaf();
        start..(start + self.leaf()).min(self.blocks())
    }

    /// Numbers of the events of some leaves, from the first to behind the last.
    pub(crate) fn span_of_leaves(&self, leaves: &Range<usize>) -> Range<usize> {
        let start = self.number(leaves.start.saturating_mul(self.leaf()));
        let Some(others) = self.events_of_leaves(leaves).checked_sub(1) else { return start..start };
        // Behind the last wanted event, not behind events that `every` leaves out.
        start..start + others * self.every + 1
    }

    /// How many events some leaves have.
    pub(crate) fn events_of_leaves(&self, leaves: &Range<usize>) -> usize {
        self.numbers(leaves.start * self.leaf(), leaves.len() * self.leaf()).len()
    }

    /// The numbers of the events in `blocks` blocks, beginning with block `first`.
    fn numbers(&self, first: usize, blocks: usize) -> std::iter::StepBy<Range<usize>> {
        (self.number(first)..self.number(first.saturating_add(blocks))).step_by(self.every)
    }

    /// The number of the first event of a block.
    fn number(&self, block: usize) -> usize {
        let steps = block.saturating_mul(self.block).saturating_mul(self.every);
        self.range.start.saturating_add(steps).min(self.range.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_is_in_one_block_and_every_block_in_one_leaf() {
        for (range, every, block) in
            [(0..1000, 1, 1), (3..5000, 7, 3), (0..1, 1, 9), (5..5, 2, 2), (0..99_999, 1, 3)]
        {
            let cut = Cut { range, every, block };
            let all: Vec<usize> = cut.iter().collect();
            let leaves = (0..cut.leaves()).flat_map(|leaf| cut.blocks_of_leaf(leaf));
            let found: Vec<usize> = leaves.flat_map(|block| cut.events_of_block(block)).collect();
            assert_eq!((found, all.len()), (all.clone(), cut.events()), "{cut:?}");
            let middle = cut.leaves() / 2;
            let [before, behind] = [0..middle, middle..cut.leaves()];
            let counts = [&before, &behind].map(|leaves| cut.events_of_leaves(leaves));
            assert_eq!(counts[0] + counts[1], all.len());
            let spans = [&before, &behind].map(|leaves| cut.span_of_leaves(leaves));
            let found = spans.map(|span| all.iter().filter(|event| span.contains(event)).count());
            assert_eq!(found, counts, "{cut:?}");
            assert_eq!(
                cut.span_of_leaves(&(0..cut.leaves())).end,
                all.last().map_or(cut.range.start, |last| last + 1)
            );
        }
    }

    #[test]
    fn leaves_grow_with_the_run() {
        let leaf = |blocks| Cut { range: 0..blocks, every: 1, block: 1 }.leaf();
        assert_eq!([1, 255, 256, 511, 512, 8192, 31_250].map(leaf), [1, 1, 2, 2, 4, 64, 64]);
        assert_eq!(leaf(0), 1);
    }
}
