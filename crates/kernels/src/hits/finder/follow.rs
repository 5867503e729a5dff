//! From the first tick over the threshold to the hit.

use super::super::Hit;
use super::super::rows::Row;
use super::super::walk::{Filtered, Follow};
use super::FinderSetup;
use crate::lanes::{Lanes, Mask};

/// Ticks by which the filter's output is late.
const DELAY: i64 = 3;
/// Ticks under the threshold that do not end a hit between the lobes of a pulse that swings to both sides.
const GAP: i16 = 4;
/// Ticks after which a hit is ended.
pub(super) const LONGEST: i16 = 4000;

/// Open hits of 32 channels.
#[derive(Debug, Clone)]
pub(super) struct FollowBlock {
    /// Lower and upper 16 bits of the sum.
    low: Row,
    high: Row,
    peak: Row,
    to_peak: Row,
    /// Ticks since the hit began.
    span: Row,
    /// Ticks under the threshold that do not yet end it.
    hold: Row,
    /// The most of `hold`.
    gap: Row,
}

impl FollowBlock {
    pub(super) fn new(planes: &[u8; 32], setup: &FinderSetup) -> FollowBlock {
        let gap = |plane: u8| if setup.bipolar[usize::from(plane.min(2))] { GAP } else { 0 };
        let [low, high, peak, to_peak, span, hold] = [Row::ZERO; 6];
        FollowBlock { low, high, peak, to_peak, span, hold, gap: Row(planes.map(gap)) }
    }
}

/// The tick at which `hit` was found to have ended.
pub(super) fn found(blocks: &[FollowBlock], hit: &Hit) -> i64 {
    let (block, lane) = (usize::from(hit.channel) / 32, usize::from(hit.channel) % 32);
    let gap = blocks.get(block).map_or(0, |block| block.gap.0[lane]);
    hit.end().wrapping_add(if hit.flags & Hit::CUT == 0 { DELAY + i64::from(gap) } else { DELAY - 1 })
}

pub(super) struct FinderFollow<L> {
    low: L,
    high: L,
    peak: L,
    to_peak: L,
    span: L,
    hold: L,
    gap: L,
}

impl<L: Lanes> Follow<L> for FinderFollow<L> {
    type Block = FollowBlock;
    /// The values are in units of 2^−this counts.
    type Setup = u32;

    #[inline(always)]
    fn open(block: &FollowBlock, lane: usize) -> bool {
        L::load(&block.span.0[lane..]).greater(L::splat(0)).any()
    }

    #[inline(always)]
    fn load(block: &FollowBlock, lane: usize) -> Self {
        let load = |row: &Row| L::load(&row.0[lane..]);
        FinderFollow {
            low: load(&block.low),
            high: load(&block.high),
            peak: load(&block.peak),
            to_peak: load(&block.to_peak),
            span: load(&block.span),
            hold: load(&block.hold),
            gap: load(&block.gap),
        }
    }

    #[inline(always)]
    fn store(&self, block: &mut FollowBlock, lane: usize) {
        self.low.store(&mut block.low.0[lane..]);
        self.high.store(&mut block.high.0[lane..]);
        self.peak.store(&mut block.peak.0[lane..]);
        self.to_peak.store(&mut block.to_peak.0[lane..]);
        self.span.store(&mut block.span.0[lane..]);
        self.hold.store(&mut block.hold.0[lane..]);
    }

    #[inline(always)]
    fn follow(&mut self, found: &Filtered<L>, _: &u32) -> L::Mask {
        let (zero, one) = (L::splat(0), L::splat(1));
        let open = self.span.greater(zero);
        let over = found.begins.or(found.stays.and(open));
        let value = found.value.only(over);
        // Values over the threshold are positive: a sum below saturation has no carry.
        let low = self.low.add(value);
        let no_carry = low.equal(self.low.add_saturating_unsigned(value));
        self.high = self.high.add(one).sub(one.only(no_carry));
        self.low = low;
        self.to_peak = self.span.select(value.greater(self.peak), self.to_peak);
        self.peak = self.peak.max(value);
        let alive = over.or(open.and(self.hold.greater(zero)));
        self.hold = self.gap.select(over, self.hold.sub(one).max(zero));
        self.span = self.span.add(one.only(alive));
        open.and_not(alive).or(self.span.greater(L::splat(LONGEST - 1)))
    }

    #[inline(always)]
    fn hit(block: &FollowBlock, lane: usize, tick: i64, fraction: &u32) -> Option<Hit> {
        let of = |row: &Row| row.0[lane];
        let (span, half) = (of(&block.span), 1 << fraction >> 1);
        let cut = span >= LONGEST;
        let (over, end) = match cut {
            true => (span, tick.wrapping_add(1)),
            false => (span - of(&block.gap), tick.wrapping_sub(i64::from(of(&block.gap)))),
        };
        let sum = i32::from(of(&block.high)) << 16 | i32::from(of(&block.low) as u16);
        Some(Hit {
            start: end.wrapping_sub(i64::from(over) + DELAY),
            sum: (sum + half) >> fraction,
            over: over as u16,
            to_peak: of(&block.to_peak) as u16,
            peak: ((i32::from(of(&block.peak)) + half) >> fraction) as i16,
            channel: 0,
            flags: if cut { Hit::CUT } else { 0 },
        })
    }

    #[inline(always)]
    fn forget(&mut self, lanes: L::Mask) {
        let zero = L::splat(0);
        for row in
            [&mut self.low, &mut self.high, &mut self.peak, &mut self.to_peak, &mut self.span, &mut self.hold]
        {
            *row = zero.select(lanes, *row);
        }
    }
}
