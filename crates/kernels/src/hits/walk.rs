//! How every algorithm goes over the samples: channels in groups of one vector, and in each group tick after tick.
//!
//! First the samples of a few ticks are filtered, with the filter's state in registers and without a branch; only
//! where something is over the threshold, or was, hits are followed. Hits have no effect on the filter.

use super::{Hit, HitBuffer};
use crate::lanes::{Lanes, MOST, Portable};

/// Ticks that are filtered before hits are looked for.
const CHUNK: usize = 16;

/// A filtered sample of each lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filtered<L: Lanes> {
    pub(super) value: L,
    /// Where it is high enough to begin a hit.
    pub(super) begins: L::Mask,
    /// Where it is high enough to be part of one; holds `begins`.
    pub(super) stays: L::Mask,
}

/// The part of an algorithm that sees every sample. Rows of its state are in a `Block` of 32 channels.
pub(super) trait Filter<L: Lanes>: Sized {
    type Block;
    type Setup: Copy;
    /// The state of the lanes from `lane` on.
    fn load(block: &Self::Block, lane: usize, setup: &Self::Setup) -> Self;
    fn store(&self, block: &mut Self::Block, lane: usize, setup: &Self::Setup);
    /// Takes in the samples of one tick, the `count`th since the stream began.
    fn filter(&mut self, sample: L, count: u64, setup: &Self::Setup) -> Filtered<L>;
}

/// The part that follows hits.
pub(super) trait Follow<L: Lanes>: Sized {
    type Block;
    type Setup: Copy;
    /// Whether a lane from `lane` on is in a hit.
    fn open(block: &Self::Block, lane: usize) -> bool;
    fn load(block: &Self::Block, lane: usize) -> Self;
    fn store(&self, block: &mut Self::Block, lane: usize);
    /// Whether a hit may reach the most that it may be within the next `ticks` ticks.
    fn near_limit(&self, ticks: usize) -> bool;
    /// Takes in one tick; gives the lanes where a hit has ended. Hits that have reached the most that they may be are
    /// ended only with `LIMITED`.
    fn follow<const LIMITED: bool>(&mut self, found: &Filtered<L>) -> L::Mask;
    /// The hit of a lane of the block, whose state has been stored and whose end was found at `tick`; `None` where it
    /// does not count. The caller sets channel and order.
    fn hit(block: &Self::Block, lane: usize, tick: i64, setup: &Self::Setup) -> Option<Hit>;
    /// Forgets the hits of `lanes`.
    fn forget(&mut self, lanes: L::Mask);
    /// Ticks since the hit of a lane began, 0 where there is none.
    fn span(block: &Self::Block, lane: usize) -> u16;
    /// The hit of a lane that is open, as far as it is known before `tick`.
    fn interrupted(block: &Self::Block, lane: usize, tick: i64, setup: &Self::Setup) -> Option<Hit> {
        Self::hit(block, lane, tick, setup)
    }
}

/// Ends every open hit: the row of `tick` and the rows after it are missing.
pub(super) fn interrupt<H: Follow<Portable>>(
    follows: &mut [H::Block],
    tick: i64,
    setup: &H::Setup,
    hits: &mut HitBuffer,
) {
    let all = Portable::splat(1).greater(Portable::splat(0));
    for (i, block) in follows.iter_mut().enumerate() {
        for lane in (0..MOST).filter(|lane| H::span(block, *lane) > 0) {
            if let Some(hit) = H::interrupted(block, lane, tick, setup) {
                hits.push(Hit { channel: (i * MOST + lane) as u16, flags: hit.flags | Hit::GAP, ..hit });
            }
        }
        for lane in (0..MOST).step_by(Portable::COUNT) {
            let mut state = H::load(block, lane);
            state.forget(all);
            state.store(block, lane);
        }
    }
}

/// Ticks since the oldest open hit began; 0 when none is open.
pub(super) fn longest_open<H: Follow<Portable>>(follows: &[H::Block]) -> u16 {
    let spans = follows.iter().flat_map(|block| (0..MOST).map(move |lane| H::span(block, lane)));
    spans.max().unwrap_or(0)
}

/// Rows of samples: `channels` for each tick.
#[derive(Clone, Copy)]
pub(super) struct Samples<'a> {
    pub(super) rows: &'a [i16],
    pub(super) channels: usize,
    /// Tick of the first row.
    pub(super) first: i64,
    /// Rows before the first one, since the stream began.
    pub(super) count: u64,
}

/// Finds the hits of `samples`. There is one block for every 32 channels.
#[inline(always)]
pub(super) fn walk<L, F, H>(
    filters: &mut [F::Block],
    follows: &mut [H::Block],
    samples: Samples,
    setups: (&F::Setup, &H::Setup),
    hits: &mut HitBuffer,
) where
    L: Lanes,
    F: Filter<L>,
    H: Follow<L>,
{
    let nothing = Filtered { value: L::splat(0), begins: L::NONE, stays: L::NONE };
    let mut found = [nothing; CHUNK];
    // Without channels there are no rows, and no ticks.
    let ticks = samples.rows.len() / samples.channels.max(1);
    for (i, (filter_block, follow_block)) in filters.iter_mut().zip(follows).enumerate() {
        for lane in (0..MOST).step_by(L::COUNT) {
            let mut filter = F::load(filter_block, lane, setups.0);
            let channel = i * MOST + lane;
            for from in (0..ticks).step_by(CHUNK) {
                let found = &mut found[..CHUNK.min(ticks - from)];
                let any = filter_chunk(&mut filter, &samples, from, channel, setups.0, found);
                // Most chunks are noise: the state of the hits is not even loaded.
                if L::any(any) || H::open(follow_block, lane) {
                    let place = LanePlace { lane, channel, tick: samples.first.wrapping_add(from as i64) };
                    follow::<L, H>(follow_block, found, place, setups.1, hits);
                }
            }
            filter.store(filter_block, lane, setups.0);
        }
    }
}

/// Ticks that are written one after the other in the program, so that the filter's state need not be moved about.
const UNROLLED: usize = 4;

/// Filters as many ticks as `found` has, from row `from` on; tells the lanes where a hit may begin.
#[inline(always)]
fn filter_chunk<L: Lanes, F: Filter<L>>(
    filter: &mut F,
    samples: &Samples,
    from: usize,
    channel: usize,
    setup: &F::Setup,
    found: &mut [Filtered<L>],
) -> L::Mask {
    let mut any = L::NONE;
    let (unrolled, rest) = found.as_chunks_mut::<UNROLLED>();
    for (i, found) in unrolled.iter_mut().enumerate() {
        for (tick, found) in found.iter_mut().enumerate() {
            *found = filter_tick(filter, samples, from + i * UNROLLED + tick, channel, setup);
            any = any | found.begins;
        }
    }
    let from = from + unrolled.len() * UNROLLED;
    for (tick, found) in rest.iter_mut().enumerate() {
        *found = filter_tick(filter, samples, from + tick, channel, setup);
        any = any | found.begins;
    }
    any
}

#[inline(always)]
fn filter_tick<L: Lanes, F: Filter<L>>(
    filter: &mut F,
    samples: &Samples,
    tick: usize,
    channel: usize,
    setup: &F::Setup,
) -> Filtered<L> {
    let sample = L::load(&samples.rows[tick * samples.channels + channel..]);
    filter.filter(sample, samples.count.wrapping_add(tick as u64), setup)
}

/// Where a group of lanes lies.
#[derive(Clone, Copy)]
struct LanePlace {
    /// First lane in its block.
    lane: usize,
    /// First channel.
    channel: usize,
    /// First tick.
    tick: i64,
}

#[inline(always)]
fn follow<L: Lanes, H: Follow<L>>(
    block: &mut H::Block,
    found: &[Filtered<L>],
    place: LanePlace,
    setup: &H::Setup,
    hits: &mut HitBuffer,
) {
    let mut state = H::load(block, place.lane);
    if state.near_limit(found.len()) {
        follow_state::<L, H, true>(&mut state, block, found, place, setup, hits);
    } else {
        follow_state::<L, H, false>(&mut state, block, found, place, setup, hits);
    }
    state.store(block, place.lane);
}

#[inline(always)]
fn follow_state<L: Lanes, H: Follow<L>, const LIMITED: bool>(
    state: &mut H,
    block: &mut H::Block,
    found: &[Filtered<L>],
    place: LanePlace,
    setup: &H::Setup,
    hits: &mut HitBuffer,
) {
    for (tick, found) in found.iter().enumerate() {
        let ended = state.follow::<LIMITED>(found);
        if L::any(ended) {
            // `hit` reads the block, not the registers.
            state.store(block, place.lane);
            let mut bits = L::bits(ended);
            while bits != 0 {
                let lane = bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let tick = place.tick.wrapping_add(tick as i64);
                if let Some(hit) = H::hit(block, place.lane + lane, tick, setup) {
                    hits.push(Hit { channel: (place.channel + lane) as u16, ..hit });
                }
            }
            state.forget(ended);
        }
    }
}
