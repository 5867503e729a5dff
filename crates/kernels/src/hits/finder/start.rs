//! Pedestal and noise from the first samples.

use super::filter::{FilterBlock, smooth_plain};
use super::setup::FinderSetup;

/// The number of ticks that are examined.
pub(super) const TICKS: usize = 64;
/// Ticks until the filter has forgotten that it began with zeros.
const SETTLED: usize = 6;

/// `samples`: [`TICKS`] rows of 32 channels for each of `blocks`.
pub(super) fn start(samples: &[i16], blocks: &mut [FilterBlock], setup: &FinderSetup) {
    let channels = blocks.len() * 32;
    for channel in 0..channels {
        let mut row = [0; TICKS];
        for (tick, value) in row.iter_mut().enumerate() {
            *value = samples[tick * channels + channel];
        }
        let median = median(&mut row.clone());
        let mut filtered =
            smooth_plain(row.map(|v| v.wrapping_sub(median)), setup.bits.shift()).map(i16::wrapping_abs);
        let block = &mut blocks[channel / 32];
        block.median.0[channel % 32] = median;
        block.noise.0[channel % 32] = self::median(&mut filtered[SETTLED..]);
    }
    for block in blocks {
        block.renew_threshold(setup);
    }
}

/// The value in the middle, the lower one of two; `values` are put into another order.
fn median(values: &mut [i16]) -> i16 {
    let middle = values.len().saturating_sub(1) / 2;
    values.select_nth_unstable(middle).1.to_owned()
}
