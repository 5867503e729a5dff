//! The chain of processors of tpglibs (DUNE-DAQ, 2024), bit for bit.

use super::frugal::{Frugal, Limit};
use super::rows::Row;
use super::walk::{self, Filter, Filtered, Follow, Samples, walk};
use super::{Hit, HitBuffer, check};
use crate::lanes::{Lanes, Portable};
use crate::{LengthError, Level};

/// Where every pedestal begins, above any sample, so that nothing is over a threshold.
const FIRST_PEDESTAL: i16 = 0x4000;
/// A tenth, for `mul_rounded`.
const TENTH: i16 = 3276;

/// The processing between the pedestal and the threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunningSum {
    /// Nothing: the threshold is on the sample over the pedestal.
    None,
    /// r = r/10·memory + x/10·scale, each part rounded.
    Signed,
    /// The same of |x|.
    Absolute,
}

/// The settings of a [`TpgHits`]. The numbers per plane are in the order of the planes: 0 and 1 induction, 2
/// collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TpgSetup {
    /// Net steps beyond which a pedestal moves, 1 to 100; 10 in most configurations.
    pub limit: i16,
    /// Ticks after which the pedestals are frozen; `None`: never.
    pub fixed_after: Option<u64>,
    /// Whether a running sum is taken.
    pub running_sum: RunningSum,
    /// Ten times the fraction of the running sum that is kept each tick, per plane, 0 to 10.
    pub memory: [i16; 3],
    /// Ten times the weight of a new sample in it, per plane, 0 to 10.
    pub scale: [i16; 3],
    /// Threshold per plane, counts, at least 0.
    pub threshold: [i16; 3],
    /// Pedestals begin at the first sample. The original's begin at 16384, and nothing is found until they have come down.
    pub from_first: bool,
}

impl Default for TpgSetup {
    /// The simple threshold: 60 counts on every plane.
    fn default() -> TpgSetup {
        TpgSetup {
            limit: 10,
            fixed_after: None,
            running_sum: RunningSum::None,
            memory: [8, 8, 0],
            scale: [5, 5, 10],
            threshold: [60; 3],
            from_first: false,
        }
    }
}

/// The trigger primitives of tpglibs, compatible bit by bit.
///
/// Frugal or fixed pedestal, running sum of values or of absolute values, threshold; peak and its tick are measured, the
/// sum ends at 65535 and with it the hit, which then starts a tick early as in the original. All pedestals begin at 16384
/// and need 11 ticks per count to come down (with limit 10), and |x| is over the threshold all that time: 85 ms of WIB1 data. With
/// [`TpgSetup::from_first`] they begin at the first sample.
///
/// ```
/// use livetime_kernels::{Level, hits::{HitBuffer, TpgHits, TpgSetup}};
/// let setup = TpgSetup { limit: 1, ..TpgSetup::default() };
/// let mut finder = TpgHits::new(&[2; 64], setup)?;
/// let mut hits = HitBuffer::with_capacity(100);
/// let mut samples = vec![16000i16; 64 * 1000]; // the pedestals arrive there after 768 ticks
/// samples[900 * 64 + 5] += 100;
/// samples[901 * 64 + 5] += 200;
/// finder.find(Level::best(), &samples, 0, &mut hits)?;
/// let [hit] = hits.hits() else { panic!("{hits:?}") };
/// assert_eq!((hit.channel, hit.start, hit.over, hit.to_peak, hit.peak), (5, 900, 2, 1, 199));
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
#[derive(Debug)]
pub struct TpgHits {
    setup: TpgSetup,
    filters: Vec<FilterBlock>,
    follows: Vec<FollowBlock>,
    /// Ticks seen.
    count: u64,
}

/// Filter state and configuration of 32 channels.
#[derive(Debug, Clone)]
struct FilterBlock {
    pedestal: Row,
    steps: Row,
    running: Row,
    memory: Row,
    scale: Row,
    threshold: Row,
}

/// Open hits of 32 channels; unsigned but for the peak.
#[derive(Debug, Clone, Default)]
struct FollowBlock {
    sum: Row,
    over: Row,
    peak: Row,
    to_peak: Row,
}

impl TpgHits {
    /// For as many channels as there are `planes`, which are 0, 1 or 2 (more is taken for 2).
    ///
    /// # Errors
    /// The number of channels is not a multiple of 32 between 32 and 65536.
    pub fn new(planes: &[u8], setup: TpgSetup) -> Result<TpgHits, LengthError> {
        let blocks = check::blocks(planes.len())?;
        let block = |planes: &[u8; 32]| {
            let of = |values: [i16; 3], most: i16| {
                Row(planes.map(|plane| values[usize::from(plane.min(2))].clamp(0, most)))
            };
            FilterBlock {
                pedestal: Row([FIRST_PEDESTAL; 32]),
                steps: Row::ZERO,
                running: Row::ZERO,
                memory: of(setup.memory, 10),
                scale: of(setup.scale, 10),
                threshold: of(setup.threshold, i16::MAX),
            }
        };
        Ok(TpgHits {
            setup,
            filters: planes.as_chunks().0.iter().map(block).collect(),
            follows: vec![FollowBlock::default(); blocks],
            count: 0,
        })
    }

    /// Finds the hits that end in `samples`, rows of all channels in the frame's order, one row per tick; 0 to 16383
    /// counts. `first` is the tick of the first row. Any number of rows; the state goes on to the next call.
    ///
    /// # Errors
    /// `samples` is not whole rows; nothing was processed.
    pub fn find(
        &mut self,
        level: Level,
        samples: &[i16],
        first: i64,
        hits: &mut HitBuffer,
    ) -> Result<(), LengthError> {
        let channels = check::rows(samples, self.filters.len())?;
        if self.count == 0 && self.setup.from_first {
            let rows = self.filters.iter_mut().zip(samples.as_chunks::<32>().0);
            rows.for_each(|(block, first)| block.pedestal = Row(*first));
        }
        let samples = Samples { rows: samples, channels, first, count: self.count };
        let ticks = samples.rows.len() / channels;
        self.count += ticks as u64;
        let from = hits.hits().len();
        find(level, &mut self.filters, &mut self.follows, samples, &self.setup, hits);
        hits.order(from, first, ticks);
        Ok(())
    }

    /// Ends every open hit, marked with [`Hit::GAP`], because the rows from `tick` on are missing. Pedestals
    /// stay; the running sums are reset.
    pub fn interrupt(&mut self, tick: i64, hits: &mut HitBuffer) {
        walk::interrupt::<TpgFollow<Portable>>(&mut self.follows, tick, &(), hits);
        self.filters.iter_mut().for_each(|block| block.running = Row::ZERO);
    }

    /// The earliest start that a hit still to come can have, when `tick` is the next row.
    pub fn open_since(&self, tick: i64) -> i64 {
        // Hits whose sum reaches its end start a tick early.
        tick.wrapping_sub(i64::from(walk::longest_open::<TpgFollow<Portable>>(&self.follows)) + 1)
    }

    /// The pedestal of a channel; `None` beyond the last channel.
    pub fn pedestal(&self, channel: usize) -> Option<i16> {
        Some(self.filters.get(channel / 32)?.pedestal.0[channel % 32])
    }
}

per_level! {
    fn find(
        filters: &mut [FilterBlock],
        follows: &mut [FollowBlock],
        samples: Samples<'_>,
        setup: &TpgSetup,
        hits: &mut HitBuffer,
    ) = body::<Portable> | body::<crate::lanes::Avx2> | body::<crate::lanes::Avx512>;
}

#[inline(always)]
fn body<L: Lanes>(
    filters: &mut [FilterBlock],
    follows: &mut [FollowBlock],
    samples: Samples<'_>,
    setup: &TpgSetup,
    hits: &mut HitBuffer,
) {
    let limit = Limit::<L>::new(setup.limit);
    let fixed_after = setup.fixed_after.unwrap_or(u64::MAX);
    // One compilation for each, so that nothing is decided tick by tick.
    match setup.running_sum {
        RunningSum::None => {
            let setup = ChainSetup::<L, Plain> { limit, fixed_after, stage: Plain };
            walk::<L, Chain<L, Plain>, TpgFollow<L>>(filters, follows, samples, (&setup, &()), hits);
        }
        RunningSum::Signed => {
            let setup = ChainSetup::<L, Signed> { limit, fixed_after, stage: Signed };
            walk::<L, Chain<L, Signed>, TpgFollow<L>>(filters, follows, samples, (&setup, &()), hits);
        }
        RunningSum::Absolute => {
            let setup = ChainSetup::<L, Absolute> { limit, fixed_after, stage: Absolute };
            walk::<L, Chain<L, Absolute>, TpgFollow<L>>(filters, follows, samples, (&setup, &()), hits);
        }
    }
}

/// A [`RunningSum`] as a type.
trait Stage: Copy {
    /// Processes a sample over the pedestal; returns the value that is compared with the threshold.
    fn apply<L: Lanes>(self, sample: L, state: &mut RunningState<L>) -> L;
}

#[derive(Clone, Copy)]
struct Plain;
#[derive(Clone, Copy)]
struct Signed;
#[derive(Clone, Copy)]
struct Absolute;

impl Stage for Plain {
    #[inline(always)]
    fn apply<L: Lanes>(self, sample: L, _: &mut RunningState<L>) -> L {
        sample
    }
}

impl Stage for Signed {
    #[inline(always)]
    fn apply<L: Lanes>(self, sample: L, state: &mut RunningState<L>) -> L {
        state.add(sample)
    }
}

impl Stage for Absolute {
    #[inline(always)]
    fn apply<L: Lanes>(self, sample: L, state: &mut RunningState<L>) -> L {
        state.add(sample.abs())
    }
}

struct RunningState<L> {
    sum: L,
    memory: L,
    scale: L,
}

impl<L: Lanes> RunningState<L> {
    #[inline(always)]
    fn add(&mut self, sample: L) -> L {
        let tenth = L::splat(TENTH);
        let kept = self.sum.mul_rounded(tenth).mul_low(self.memory);
        self.sum = kept.add_saturating(sample.mul_rounded(tenth).mul_low(self.scale));
        self.sum
    }
}

#[derive(Clone, Copy)]
struct ChainSetup<L, S> {
    limit: Limit<L>,
    fixed_after: u64,
    stage: S,
}

struct Chain<L, S> {
    pedestal: Frugal<L>,
    running: RunningState<L>,
    threshold: L,
    stage: std::marker::PhantomData<S>,
}

impl<L: Lanes, S: Stage> Filter<L> for Chain<L, S> {
    type Block = FilterBlock;
    type Setup = ChainSetup<L, S>;

    #[inline(always)]
    fn load(block: &FilterBlock, lane: usize, setup: &Self::Setup) -> Self {
        Chain {
            pedestal: Frugal::load(&block.pedestal, &block.steps, lane, &setup.limit),
            running: RunningState {
                sum: block.running.load(lane),
                memory: block.memory.load(lane),
                scale: block.scale.load(lane),
            },
            threshold: block.threshold.load(lane),
            stage: std::marker::PhantomData,
        }
    }

    #[inline(always)]
    fn store(&self, block: &mut FilterBlock, lane: usize, setup: &Self::Setup) {
        self.pedestal.store(&mut block.pedestal, &mut block.steps, lane, &setup.limit);
        block.running.store(lane, self.running.sum);
    }

    #[inline(always)]
    fn filter(&mut self, sample: L, count: u64, setup: &Self::Setup) -> Filtered<L> {
        if count < setup.fixed_after {
            self.pedestal.step(sample, &setup.limit);
        }
        let value = setup.stage.apply(sample.sub(self.pedestal.value), &mut self.running);
        let over = value.greater(self.threshold);
        Filtered { value, begins: over, stays: over }
    }
}

struct TpgFollow<L> {
    one: L,
    sum: L,
    over: L,
    peak: L,
    to_peak: L,
}

impl<L: Lanes> Follow<L> for TpgFollow<L> {
    type Block = FollowBlock;
    type Setup = ();

    #[inline(always)]
    fn open(block: &FollowBlock, lane: usize) -> bool {
        // Values over a threshold of 0 or more are positive: a hit that has begun has a peak.
        L::any(block.peak.load::<L>(lane).greater(L::splat(0)))
    }

    #[inline(always)]
    fn load(block: &FollowBlock, lane: usize) -> Self {
        TpgFollow {
            one: L::one(),
            sum: block.sum.load(lane),
            over: block.over.load(lane),
            peak: block.peak.load(lane),
            to_peak: block.to_peak.load(lane),
        }
    }

    #[inline(always)]
    fn store(&self, block: &mut FollowBlock, lane: usize) {
        block.sum.store(lane, self.sum);
        block.over.store(lane, self.over);
        block.peak.store(lane, self.peak);
        block.to_peak.store(lane, self.to_peak);
    }

    #[inline(always)]
    fn near_limit(&self, _: usize) -> bool {
        // A single sample may be half of the highest sum.
        true
    }

    #[inline(always)]
    fn follow<const LIMITED: bool>(&mut self, found: &Filtered<L>) -> L::Mask {
        let ended = self.peak.greater(L::splat(0)) & !found.begins;
        let value = found.value.only(found.begins);
        self.sum = self.sum.add_saturating_unsigned(value);
        self.to_peak = self.over.select(value.greater(self.peak), self.to_peak);
        self.peak = self.peak.max(value);
        self.over = self.over.count(found.begins, self.one);
        // −1 is 65535 without sign, the highest sum, at which the original ends a hit.
        ended | self.sum.equal(L::splat(-1))
    }

    #[inline(always)]
    fn hit(block: &FollowBlock, lane: usize, tick: i64, (): &()) -> Option<Hit> {
        let [sum, over, to_peak] = [&block.sum, &block.over, &block.to_peak].map(|row| row.0[lane] as u16);
        let start = tick.wrapping_sub(i64::from(over));
        Some(Hit { start, sum: i32::from(sum), over, to_peak, peak: block.peak.0[lane], ..Hit::default() })
    }

    #[inline(always)]
    fn forget(&mut self, lanes: L::Mask) {
        let zero = L::splat(0);
        self.sum = zero.select(lanes, self.sum);
        self.over = zero.select(lanes, self.over);
        self.peak = zero.select(lanes, self.peak);
        self.to_peak = zero.select(lanes, self.to_peak);
    }

    #[inline(always)]
    fn span(block: &FollowBlock, lane: usize) -> u16 {
        block.over.0[lane] as u16
    }
}
