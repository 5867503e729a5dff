//! The channels of each block that hits have marked.

use std::collections::VecDeque;
use std::ops::RangeInclusive;

/// Ticks of a block, as in the ROI readout of ProtoDUNE-SP.
pub(super) const TICKS: usize = 12;
/// Channels of a group: the bits of a `u16`, and the samples of one vector.
pub(super) const LANES: usize = 16;
/// Most groups of a frame: a link has at most 256 channels.
pub(super) const GROUPS: usize = 16;

/// Bit `n` of group `g`: channel 16 · g + n.
pub(super) type Masks = [u16; GROUPS];

/// Most marked blocks that are kept, 8 MiB: hits with a long duration, or watermarks that stand still, cannot fill the
/// memory.
const MOST: usize = 1 << 18;

/// Marked blocks, by number.
#[derive(Debug, Default)]
pub(super) struct Marks {
    blocks: VecDeque<(u64, Masks)>,
    /// Blocks before this one are done with.
    first: u64,
}

/// The fate of a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marked {
    /// The hit marked all its blocks that are not done with.
    Yes,
    /// All its blocks are done with.
    TooLate,
    /// Too many blocks are marked.
    NoRoom,
}

impl Marks {
    /// Marks `masks` in these blocks. Hits come nearly in order, so a wanted block is near the end.
    pub(super) fn mark(&mut self, blocks: RangeInclusive<u64>, masks: &Masks) -> Marked {
        if *blocks.end() < self.first {
            return Marked::TooLate;
        }
        let first = self.first.max(*blocks.start());
        if self.blocks.len() as u64 + (blocks.end() - first) >= MOST as u64 {
            return Marked::NoRoom;
        }
        let begin = self.blocks.partition_point(|(number, _)| *number < first);
        for (number, place) in (first..=*blocks.end()).zip(begin..) {
            if self.blocks.get(place).is_none_or(|(found, _)| *found != number) {
                self.blocks.insert(place, (number, [0; GROUPS]));
            }
            let marked = &mut self.blocks[place].1;
            marked.iter_mut().zip(masks).for_each(|(marked, mask)| *marked |= mask);
        }
        Marked::Yes
    }

    /// The marks of a block; it and earlier blocks are then finished.
    pub(super) fn take(&mut self, number: u64) -> Masks {
        self.done(number);
        let own = self.blocks.pop_front_if(|(found, _)| *found == number);
        self.first = self.first.max(number.saturating_add(1));
        own.map_or([0; GROUPS], |(_, masks)| masks)
    }

    /// Blocks before this one are done with.
    pub(super) fn done(&mut self, number: u64) {
        self.first = self.first.max(number);
        while self.blocks.pop_front_if(|(found, _)| *found < number).is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(channel: usize) -> Masks {
        let mut masks = [0; GROUPS];
        masks[channel / LANES] = 1 << (channel % LANES);
        masks
    }

    #[test]
    fn blocks_are_marked_in_any_order_and_taken_in_order() {
        let mut marks = Marks::default();
        assert_eq!(marks.mark(5..=6, &one(0)), Marked::Yes);
        assert_eq!(marks.mark(2..=5, &one(17)), Marked::Yes);
        assert_eq!(marks.mark(9..=9, &one(1)), Marked::Yes);
        assert_eq!(marks.take(1), [0; GROUPS]);
        assert_eq!(marks.take(2), one(17));
        let both = marks.take(5);
        assert_eq!((both[0], both[1]), (1, 2));
        assert_eq!(marks.take(5), [0; GROUPS], "taken");
        assert_eq!(marks.mark(3..=5, &one(2)), Marked::TooLate);
        assert_eq!(marks.mark(3..=6, &one(2)), Marked::Yes);
        assert_eq!(marks.take(6)[0], 0b101);
        assert_eq!(marks.take(9), one(1));
    }

    #[test]
    fn no_hit_marks_without_bounds() {
        let mut marks = Marks::default();
        assert_eq!(marks.mark(0..=MOST as u64, &one(0)), Marked::NoRoom);
        assert_eq!(marks.mark(0..=MOST as u64 - 2, &one(0)), Marked::Yes);
        assert_eq!(marks.mark(1_000_000..=1_000_001, &one(0)), Marked::NoRoom);
        assert_eq!(marks.blocks.len(), MOST - 1);
    }
}
