//! From the first tick over the threshold to the hit.

use super::super::Hit;
use super::super::rows::Row;
use super::super::walk::{Filtered, Follow};
use super::setup::FinderSetup;
use crate::lanes::Lanes;

/// Ticks by which the filter's output is late.
pub(super) const DELAY: i64 = 3;
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

/// `BIPOLAR`: there may be gaps.
pub(super) struct FinderFollow<L: Lanes, const BIPOLAR: bool> {
    one: L,
    open: L::Mask,
    low: L,
    high: L,
    peak: L,
    to_peak: L,
    span: L,
    hold: L,
    gap: L,
}

impl<L: Lanes, const BIPOLAR: bool> Follow<L> for FinderFollow<L, BIPOLAR> {
    type Block = FollowBlock;
    /// The values are in units of 2^−this counts.
    type Setup = u32;

    #[inline(always)]
    fn open(block: &FollowBlock, lane: usize) -> bool {
        L::any(block.span.load::<L>(lane).greater(L::splat(0)))
    }

    #[inline(always)]
    fn load(block: &FollowBlock, lane: usize) -> Self {
        let span: L = block.span.load(lane);
        FinderFollow {
            one: L::one(),
            open: span.greater(L::splat(0)),
            low: block.low.load(lane),
            high: block.high.load(lane),
            peak: block.peak.load(lane),
            to_peak: block.to_peak.load(lane),
            span,
            hold: block.hold.load(lane),
            gap: block.gap.load(lane),
        }
    }

    #[inline(always)]
    fn store(&self, block: &mut FollowBlock, lane: usize) {
        block.low.store(lane, self.low);
        block.high.store(lane, self.high);
        block.peak.store(lane, self.peak);
        block.to_peak.store(lane, self.to_peak);
        block.span.store(lane, self.span);
        block.hold.store(lane, self.hold);
    }

    #[inline(always)]
    fn near_limit(&self, ticks: usize) -> bool {
        L::any(self.span.greater(L::splat(LONGEST - 1 - ticks as i16)))
    }

    #[inline(always)]
    fn follow<const LIMITED: bool>(&mut self, found: &Filtered<L>) -> L::Mask {
        let over = found.begins | found.stays & self.open;
        let value = found.value.only(over);
        self.low = self.low.add(value);
        // Values over the threshold are positive.
        self.high = self.high.count(self.low.less_unsigned(value), self.one);
        // The span before this tick is the distance from the start to it.
        self.to_peak = self.span.select(value.greater(self.peak), self.to_peak);
        self.peak = value.max(self.peak);
        let mut alive = over;
        if BIPOLAR {
            let zero = L::splat(0);
            alive = over | self.open & self.hold.greater(zero);
            self.hold = self.gap.select(over, self.hold.sub(self.one).max(zero));
        }
        self.span = self.span.count(alive, self.one);
        let ended = self.open & !alive;
        self.open = alive;
        if !LIMITED {
            return ended;
        }
        let longest = self.span.greater(L::splat(LONGEST - 1));
        self.open = alive & !longest;
        ended | longest
    }

    #[inline(always)]
    fn hit(block: &FollowBlock, lane: usize, tick: i64, fraction: &u32) -> Option<Hit> {
        let span = block.span.0[lane];
        Some(match span >= LONGEST {
            true => {
                let late = (DELAY - 1) as u16;
                Hit { flags: Hit::CUT, late, ..finished(block, lane, span, tick.wrapping_add(1), fraction) }
            }
            // The ticks of the gap that ended it were under the threshold.
            false => finished(block, lane, span - block.gap.0[lane], tick, fraction),
        })
    }

    #[inline(always)]
    fn forget(&mut self, lanes: L::Mask) {
        let zero = L::splat(0);
        self.low = zero.select(lanes, self.low);
        self.high = zero.select(lanes, self.high);
        // `to_peak` needs no 0: the next hit's first value is over the peak of 0, and sets it.
        self.peak = zero.select(lanes, self.peak);
        self.span = zero.select(lanes, self.span);
        if BIPOLAR {
            self.hold = zero.select(lanes, self.hold);
        }
    }

    #[inline(always)]
    fn span(block: &FollowBlock, lane: usize) -> u16 {
        block.span.0[lane] as u16
    }

    fn interrupted(block: &FollowBlock, lane: usize, tick: i64, fraction: &u32) -> Option<Hit> {
        // Ticks under the threshold so far.
        let under = block.gap.0[lane] - block.hold.0[lane];
        Some(finished(block, lane, block.span.0[lane] - under, tick, fraction))
    }
}

/// The hit of a lane that is over for `over` ticks, known to have ended at `tick`.
#[inline(always)]
fn finished(block: &FollowBlock, lane: usize, over: i16, tick: i64, fraction: &u32) -> Hit {
    let of = |row: &Row| row.0[lane];
    let half = 1 << fraction >> 1;
    let start = tick.wrapping_sub(i64::from(of(&block.span)) + DELAY);
    let sum = i32::from(of(&block.high)) << 16 | i32::from(of(&block.low) as u16);
    Hit {
        start,
        sum: (sum + half) >> fraction,
        over: over as u16,
        to_peak: of(&block.to_peak) as u16,
        peak: ((i32::from(of(&block.peak)) + half) >> fraction) as i16,
        late: tick.wrapping_sub(start).wrapping_sub(over.into()) as u16,
        flags: 0,
        channel: 0,
    }
}
