//! The hit finder of ProtoDUNE-SP of 2019, bit for bit.

use super::frugal::{Frugal, Limit};
use super::rows::Row;
use super::walk::{self, Filter, Filtered, Follow, Samples, walk};
use super::{Hit, HitBuffer, check};
use crate::lanes::{Lanes, Portable};
use crate::{LengthError, Level};

/// Net steps that move the median and the quartiles.
const LIMIT: i16 = 10;
/// Highest sample over the median: 64 times this fits 16 bits.
const HIGHEST: i16 = 511;
/// Highest interquartile range: `THRESHOLD` times this fits 16 bits.
const WIDEST: i16 = 102;
/// Five interquartile ranges behind a filter of gain 64.
const THRESHOLD: i16 = 5 * 64;

/// The seed's hit finder, compatible bit by bit; see the [module](super) for the improvements of
/// [`HitFinder`](super::HitFinder).
///
/// Per channel a frugal median and quartiles, a binomial filter of seven taps, a threshold of five interquartile
/// ranges, the sum of the filtered samples and the ticks over the threshold. Its hits start five ticks late (three of
/// filter, two of pipeline), their sum ends at 32767, their peak is not looked for.
///
/// ```
/// use livetime_kernels::{Level, hits::{HitBuffer, SeedHits}};
/// let mut finder = SeedHits::new(32, 3)?;
/// let mut hits = HitBuffer::with_capacity(100);
/// let mut samples = vec![900i16; 32 * 60];
/// for tick in 20..30 {
///     samples[tick * 32 + 7] += 100;
/// }
/// finder.find(Level::best(), &samples, 0, &mut hits)?;
/// let [hit] = hits.hits() else { panic!("{hits:?}") };
/// // Ten samples, made longer by the filter, and late.
/// assert_eq!((hit.channel, hit.start, hit.over), (7, 24, 12));
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
#[derive(Debug)]
pub struct SeedHits {
    filters: Vec<FilterBlock>,
    follows: Vec<FollowBlock>,
    offset: i16,
    /// Ticks seen.
    count: u64,
}

/// Filter state of 32 channels.
#[derive(Debug, Clone, Default)]
struct FilterBlock {
    /// 25 % quartile, median, 75 % quartile.
    values: [Row; 3],
    steps: [Row; 3],
    /// The last two samples over the median.
    delayed: [Row; 2],
    /// The last input of each of the six additions.
    inputs: [Row; 6],
}

/// Open hits of 32 channels.
#[derive(Debug, Clone, Default)]
struct FollowBlock {
    sum: Row,
    over: Row,
}

impl SeedHits {
    /// For `channels` channels. At the start the quartiles lie `offset` below and above the first sample: 3 in the
    /// seed, 50 and 20 in its descendants.
    ///
    /// # Errors
    /// `channels` is not a multiple of 32 between 32 and 65536.
    pub fn new(channels: usize, offset: i16) -> Result<SeedHits, LengthError> {
        let blocks = check::blocks(channels)?;
        Ok(SeedHits {
            filters: vec![FilterBlock::default(); blocks],
            follows: vec![FollowBlock::default(); blocks],
            offset,
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
        if self.count == 0 {
            self.start(samples);
        }
        let samples = Samples { rows: samples, channels, first, count: self.count };
        let ticks = samples.rows.len() / channels;
        self.count += ticks as u64;
        let from = hits.hits().len();
        find(level, &mut self.filters, &mut self.follows, samples, hits);
        hits.order(from, first, ticks);
        Ok(())
    }

    /// Ends every open hit, marked with [`Hit::GAP`], because the rows from `tick` on are missing. Median and quartiles
    /// stay; the filter forgets the last samples, which would look like a hit after the gap.
    pub fn interrupt(&mut self, tick: i64, hits: &mut HitBuffer) {
        walk::interrupt::<SeedFollow<Portable>>(&mut self.follows, tick, &(), hits);
        for block in &mut self.filters {
            (block.delayed, block.inputs) = Default::default();
        }
    }

    /// The earliest start that a hit still to come can have, when `tick` is the next row.
    pub fn open_since(&self, tick: i64) -> i64 {
        tick.wrapping_sub(walk::longest_open::<SeedFollow<Portable>>(&self.follows).into())
    }

    /// Median, 25 % and 75 % quartile of a channel; `None` beyond the last channel.
    pub fn quartiles(&self, channel: usize) -> Option<[i16; 3]> {
        let block = self.filters.get(channel / 32)?;
        let [low, median, high] = block.values.map(|row| row.0[channel % 32]);
        Some([median, low, high])
    }

    fn start(&mut self, samples: &[i16]) {
        for (block, first) in self.filters.iter_mut().zip(samples.as_chunks::<32>().0) {
            block.values = [-self.offset, 0, self.offset].map(|by| Row(first.map(|v| v.wrapping_add(by))));
        }
    }
}

per_level! {
    fn find(filters: &mut [FilterBlock], follows: &mut [FollowBlock], samples: Samples<'_>, hits: &mut HitBuffer)
        = body::<Portable> | body::<crate::lanes::Avx2> | body::<crate::lanes::Avx512>;
}

#[inline(always)]
fn body<L: Lanes>(
    filters: &mut [FilterBlock],
    follows: &mut [FollowBlock],
    samples: Samples<'_>,
    hits: &mut HitBuffer,
) {
    let limit = Limit::new(LIMIT);
    walk::<L, SeedFilter<L>, SeedFollow<L>>(filters, follows, samples, (&limit, &()), hits);
}

struct SeedFilter<L> {
    low: Frugal<L>,
    median: Frugal<L>,
    high: Frugal<L>,
    delayed: [L; 2],
    inputs: [L; 6],
}

impl<L: Lanes> Filter<L> for SeedFilter<L> {
    type Block = FilterBlock;
    type Setup = Limit<L>;

    #[inline(always)]
    fn load(block: &FilterBlock, lane: usize, limit: &Limit<L>) -> Self {
        let (values, steps) = (&block.values, &block.steps);
        let (delayed, inputs) = (&block.delayed, &block.inputs);
        SeedFilter {
            low: Frugal::load(&values[0], &steps[0], lane, limit),
            median: Frugal::load(&values[1], &steps[1], lane, limit),
            high: Frugal::load(&values[2], &steps[2], lane, limit),
            delayed: [delayed[0].load(lane), delayed[1].load(lane)],
            inputs: [
                inputs[0].load(lane),
                inputs[1].load(lane),
                inputs[2].load(lane),
                inputs[3].load(lane),
                inputs[4].load(lane),
                inputs[5].load(lane),
            ],
        }
    }

    #[inline(always)]
    fn store(&self, block: &mut FilterBlock, lane: usize, limit: &Limit<L>) {
        let (values, steps) = (&mut block.values, &mut block.steps);
        self.low.store(&mut values[0], &mut steps[0], lane, limit);
        self.median.store(&mut values[1], &mut steps[1], lane, limit);
        self.high.store(&mut values[2], &mut steps[2], lane, limit);
        for i in 0..2 {
            block.delayed[i].store(lane, self.delayed[i]);
        }
        for i in 0..6 {
            block.inputs[i].store(lane, self.inputs[i]);
        }
    }

    #[inline(always)]
    fn filter(&mut self, sample: L, _: u64, limit: &Limit<L>) -> Filtered<L> {
        let (below, above) = (self.median.value.greater(sample), sample.greater(self.median.value));
        self.low.step_where(sample, below, limit);
        self.high.step_where(sample, above, limit);
        self.median.step(sample, limit);
        let over_median = sample.sub(self.median.value).min(L::splat(HIGHEST));
        // Two ticks late, as the original's pipeline.
        let mut value = self.delayed[1];
        self.delayed = [over_median, self.delayed[0]];
        // (1 + z⁻¹)⁶ has the taps 1, 6, 15, 20, 15, 6, 1.
        for input in &mut self.inputs {
            let sum = value.add(*input);
            *input = value;
            value = sum;
        }
        let range = self.high.value.sub(self.low.value).min(L::splat(WIDEST));
        let over = value.greater(range.mul_low(L::splat(THRESHOLD)));
        Filtered { value, begins: over, stays: over }
    }
}

struct SeedFollow<L> {
    one: L,
    sum: L,
    over: L,
}

impl<L: Lanes> Follow<L> for SeedFollow<L> {
    type Block = FollowBlock;
    type Setup = ();

    #[inline(always)]
    fn open(block: &FollowBlock, lane: usize) -> bool {
        L::any(block.over.load::<L>(lane).greater(L::splat(0)))
    }

    #[inline(always)]
    fn load(block: &FollowBlock, lane: usize) -> Self {
        SeedFollow { one: L::one(), sum: block.sum.load(lane), over: block.over.load(lane) }
    }

    #[inline(always)]
    fn store(&self, block: &mut FollowBlock, lane: usize) {
        block.sum.store(lane, self.sum);
        block.over.store(lane, self.over);
    }

    #[inline(always)]
    fn near_limit(&self, _: usize) -> bool {
        // Sums and ticks saturate: a hit has no longest length.
        false
    }

    #[inline(always)]
    fn follow<const LIMITED: bool>(&mut self, found: &Filtered<L>) -> L::Mask {
        let ended = self.over.greater(L::splat(0)) & !found.begins;
        // The filter's gain is 64.
        self.sum = self.sum.add_saturating(found.value.shift_right(6).only(found.begins));
        self.over = self.over.add_saturating(self.one.only(found.begins));
        ended
    }

    #[inline(always)]
    fn hit(block: &FollowBlock, lane: usize, tick: i64, (): &()) -> Option<Hit> {
        let (sum, over) = (block.sum.0[lane], block.over.0[lane]);
        let start = tick.wrapping_sub(i64::from(over));
        (sum != 0).then_some(Hit { start, sum: i32::from(sum), over: over as u16, ..Hit::default() })
    }

    #[inline(always)]
    fn forget(&mut self, lanes: L::Mask) {
        self.sum = L::splat(0).select(lanes, self.sum);
        self.over = L::splat(0).select(lanes, self.over);
    }

    #[inline(always)]
    fn span(block: &FollowBlock, lane: usize) -> u16 {
        block.over.0[lane] as u16
    }
}
