//! The hit finder of ours: thresholds in units of the filtered noise, times without delay, peaks measured.

mod filter;
mod follow;
mod setup;
mod start;

use super::walk::{self, Samples, walk};
use super::{HitBuffer, check};
use crate::lanes::{Lanes, Portable};
use crate::{LengthError, Level};
use filter::{FilterBlock, FilterSetup, FinderFilter};
use follow::{FinderFollow, FollowBlock};

pub use setup::{FinderSetup, SampleBits};

/// Finds hits on all channels of a link.
///
/// Per channel a frugal median as pedestal, the seed's binomial filter, the noise as the median of the absolute filtered
/// signal, a threshold in units of it. Against the seed's algorithm:
///
/// - The filter's delay is taken off: [`Hit::start`](super::Hit::start) is when the samples were over the threshold.
///   A pulse in the first rows, or in the first after [`HitFinder::interrupt`], may so start up to 3 ticks before them.
/// - A hit begins over the threshold and ends under half of it, so that noise on a pulse's edges does not split it.
/// - Peak and tick of the peak are measured, in the filtered signal; sums are of 32 bits, in fractions of a count.
/// - Pedestal and noise are renewed every 8th tick, which halves the work.
/// - The first 64 ticks are kept until they are all there; pedestal and noise start from them.
/// - A hit that lasts 4000 ticks is ended with [`Hit::CUT`](super::Hit::CUT), so the time of a hit is known within 2 ms of its end.
///
/// ```
/// use livetime_kernels::{Level, hits::{FinderSetup, HitBuffer, HitFinder, SampleBits}};
/// let mut finder = HitFinder::new(&[2; 32], FinderSetup::new(SampleBits::Twelve))?;
/// let mut hits = HitBuffer::with_capacity(100);
/// let mut samples = vec![900i16; 32 * 120];
/// for (tick, value) in [(99, 30), (100, 100), (101, 110), (102, 60), (103, 20)] {
///     samples[tick * 32 + 7] += value;
/// }
/// finder.find(Level::best(), &samples, 0, &mut hits)?;
/// let [hit] = hits.hits() else { panic!("{hits:?}") };
/// assert_eq!((hit.channel, hit.start + i64::from(hit.to_peak)), (7, 101));
/// assert!((305..=325).contains(&hit.sum));
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
#[derive(Debug)]
pub struct HitFinder {
    setup: FinderSetup,
    filters: Vec<FilterBlock>,
    follows: Vec<FollowBlock>,
    /// The first samples, until there are enough to start from.
    starting: Vec<i16>,
    /// Ticks that have been searched.
    count: u64,
}

impl HitFinder {
    /// For as many channels as there are `planes`, which are 0, 1 or 2 (more is taken for 2).
    ///
    /// # Errors
    /// The number of channels is not a multiple of 32 between 32 and 65536.
    pub fn new(planes: &[u8], setup: FinderSetup) -> Result<HitFinder, LengthError> {
        check::blocks(planes.len())?;
        let planes = planes.as_chunks().0;
        Ok(HitFinder {
            setup,
            filters: planes.iter().map(|planes| FilterBlock::new(planes, &setup)).collect(),
            follows: planes.iter().map(|planes| FollowBlock::new(planes, &setup)).collect(),
            starting: Vec::with_capacity(start::TICKS * planes.len() * 32),
            count: 0,
        })
    }

    /// Finds the hits that end in `samples`, rows of all channels in the frame's order, one row per tick.
    /// `first` is the tick of the first row. Any number of rows; the state is kept for the next call. Hits of
    /// the first 64 ticks are returned when all of these ticks have arrived. Samples with more than
    /// [`FinderSetup::bits`] give wrong hits.
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
        let missing = start::TICKS * channels - self.starting.len();
        if missing == 0 {
            self.search(level, samples, first, hits);
            return Ok(());
        }
        let (now, rest) = samples.split_at(missing.min(samples.len()));
        self.starting.extend_from_slice(now);
        if now.len() == missing {
            let starting = std::mem::take(&mut self.starting);
            start::start(&starting, &mut self.filters, &self.setup);
            let ticks = (now.len() / channels) as i64;
            // The first of the kept rows came `TICKS` before the next one.
            self.search(level, &starting, first.wrapping_add(ticks - start::TICKS as i64), hits);
            // Kept, because its length says that the finder has started.
            self.starting = starting;
            self.search(level, rest, first.wrapping_add(ticks), hits);
        }
        Ok(())
    }

    fn search(&mut self, level: Level, samples: &[i16], first: i64, hits: &mut HitBuffer) {
        let channels = self.filters.len() * 32;
        let samples = Samples { rows: samples, channels, first, count: self.count };
        let ticks = samples.rows.len() / channels;
        self.count += ticks as u64;
        let from = hits.hits().len();
        find(level, &mut self.filters, &mut self.follows, samples, &self.setup, hits);
        hits.order(from, first, ticks);
    }

    /// Ends every open hit, marked with [`Hit::GAP`](super::Hit::GAP), because the rows from `tick` on are missing.
    /// Pedestal and noise stay; the filter forgets the last samples, which would look like a hit after the gap. If the
    /// first 64 ticks have not all come they are forgotten too, without a hit.
    pub fn interrupt(&mut self, tick: i64, hits: &mut HitBuffer) {
        let fraction = self.setup.bits.fraction();
        // Gaps are kept in rows, so this form fits planes without them too.
        walk::interrupt::<FinderFollow<Portable, true>>(&mut self.follows, tick, &fraction, hits);
        self.filters.iter_mut().for_each(FilterBlock::forget);
        if !self.has_started() {
            self.starting.clear();
        }
    }

    /// The earliest start that a hit still to come can have, when `tick` is the next row.
    pub fn open_since(&self, tick: i64) -> i64 {
        let waiting = if self.has_started() { 0 } else { self.starting.len() / (self.filters.len() * 32) };
        let open = walk::longest_open::<FinderFollow<Portable, true>>(&self.follows);
        tick.wrapping_sub(waiting.max(open.into()) as i64 + follow::DELAY)
    }

    /// Whether pedestals and noise are known: the first 64 ticks have come.
    pub fn has_started(&self) -> bool {
        self.starting.len() == start::TICKS * self.filters.len() * 32
    }

    /// Pedestal of a channel in counts, 0 before the first 64 ticks; `None` beyond the last channel.
    pub fn pedestal(&self, channel: usize) -> Option<i16> {
        Some(self.filters.get(channel / 32)?.median.0[channel % 32])
    }

    /// Standard deviation of a channel's noise behind the filter, counts; `None` beyond the last channel.
    pub fn noise(&self, channel: usize) -> Option<f32> {
        let median = self.filters.get(channel / 32)?.noise.0[channel % 32];
        Some(f32::from(median) * filter::SIGMA / (1 << self.setup.bits.fraction()) as f32)
    }

    /// Threshold of a channel in counts; `None` beyond the last channel.
    pub fn threshold(&self, channel: usize) -> Option<f32> {
        let threshold = self.filters.get(channel / 32)?.threshold.0[channel % 32];
        Some(f32::from(threshold) / (1 << self.setup.bits.fraction()) as f32)
    }
}

per_level! {
    fn find(
        filters: &mut [FilterBlock],
        follows: &mut [FollowBlock],
        samples: Samples<'_>,
        setup: &FinderSetup,
        hits: &mut HitBuffer,
    ) = body::<Portable> | body::<crate::lanes::Avx2> | body::<crate::lanes::Avx512>;
}

#[inline(always)]
fn body<L: Lanes>(
    filters: &mut [FilterBlock],
    follows: &mut [FollowBlock],
    samples: Samples<'_>,
    setup: &FinderSetup,
    hits: &mut HitBuffer,
) {
    let filter = FilterSetup::new(setup);
    let fraction = setup.bits.fraction();
    // One compilation for each, so that nothing is decided tick by tick.
    match (setup.bits, setup.bipolar.contains(&true)) {
        (SampleBits::Twelve, false) => {
            walk::<L, FinderFilter<L, 0, false>, FinderFollow<L, false>>(
                filters,
                follows,
                samples,
                (&filter, &fraction),
                hits,
            );
        }
        (SampleBits::Twelve, true) => {
            walk::<L, FinderFilter<L, 0, true>, FinderFollow<L, true>>(
                filters,
                follows,
                samples,
                (&filter, &fraction),
                hits,
            );
        }
        (SampleBits::Fourteen, false) => {
            walk::<L, FinderFilter<L, 2, false>, FinderFollow<L, false>>(
                filters,
                follows,
                samples,
                (&filter, &fraction),
                hits,
            );
        }
        (SampleBits::Fourteen, true) => {
            walk::<L, FinderFilter<L, 2, true>, FinderFollow<L, true>>(
                filters,
                follows,
                samples,
                (&filter, &fraction),
                hits,
            );
        }
    }
}
