//! Statistics of an image in one pass: extremes, sums, centroid, profiles and histogram.
//!
//! The quantities and their names follow areaDetector's `NDPluginStats`. Every row is read from memory once; the short
//! loops over a row find it in the nearest cache.
//!
//! Where `NDPluginStats` is wrong this kernel is right by default; [`Quirks`] brings the old results back, for
//! comparisons with old data:
//!
//! | quantity | here | `NDPluginStats` |
//! |---|---|---|
//! | sigma | exact integer sums up to 32 bits, running pivot beyond: no cancellation | √(Σv²/N − mean²), may be NaN |
//! | central moments | sums about the centroid | from raw moments: cancellation |
//! | background | every border pixel once | corners twice ([`Quirks::corners_twice`]) |
//! | eccentricity | ((μ20−μ02)² + 4μ11²)/(μ20+μ02)² | minus sign ([`Quirks::eccentricity_minus`]) |
//! | histogram axis | centres of the bins | `min + i·(max−min)/bins` ([`Quirks::axis_of_edges`]) |
//! | spot without width | skew and kurtosis 0 | NaN |
//! | NaN pixel | in no extreme, no bin, not in the centroid | undefined |
//!
//! ```
//! use livetime_kernels::{Level, Plane, statistics::{Scratch, Wanted, statistics}};
//! let pixels = [0u8, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 2];
//! let image = Plane::packed(&pixels, 3, 4)?;
//! let mut scratch = Scratch::default();
//! let wanted = Wanted { basic: true, centroid: true, threshold: 1.0, ..Wanted::default() };
//! let found = statistics(Level::best(), image, &wanted, &mut scratch);
//! let basic = found.basic.unwrap_or_default();
//! assert_eq!((basic.max, basic.max_x, basic.max_y, basic.total), (4.0, 1, 1, 6.0));
//! assert!((found.centroid.unwrap_or_default().y - 10.0 / 6.0).abs() < 1e-12);
//! # Ok::<(), livetime_kernels::PlaneError>(())
//! ```

mod aligned;
mod basic;
mod blocks;
mod compare;
mod direct;
mod histogram;
mod lanes;
mod measure;
mod moments;
mod narrow;
mod narrow_sums;
mod profiles;
mod projecting;
mod projections;
mod results;
mod scratch;
mod slots;
mod sums;
mod wanted;

#[cfg(test)]
mod tests;

pub use measure::Measure;
pub use results::{Basic, Centroid, Histogram, Profiles, Statistics};
pub use scratch::Scratch;
pub use wanted::{Cursor, HistogramRange, Quirks, Wanted};

use crate::{Level, Plane};
use blocks::Blocks;

/// The statistics of `image` that `wanted` names.
///
/// Profiles, histogram counts and the histogram axis are left in `scratch`, where
/// [`Scratch::profiles`], [`Scratch::counts`] and [`Scratch::axis`] show them until the next call.
/// Nothing is allocated once `scratch` has seen an image of this size and a histogram of this many
/// bins.
///
/// - `image`: any of the ten pixel types, any size and stride; colour images with interleaved
///   colours are passed as a plane of `3 · width` columns, for basic statistics and histogram only.
/// - Everything is `f64` in counts, pixels and degrees. Integers up to 32 bits are summed exactly.
/// - NaN pixels: `min` and `max` pass over them, `total`, `net`, `mean` and `sigma` become NaN, the
///   centroid and the threshold profiles leave them out, the histogram counts them apart.
/// - Infinite pixels: `total` and `mean` are infinite, `sigma` is NaN; above the threshold they make
///   the centroid NaN.
/// - Empty image: sums and counts are 0, `min`, `max`, `mean`, `sigma` are NaN, the centroid is 0.
///
/// Never fails and never panics. See the [module](self) for an example.
pub fn statistics<T: Measure>(
    level: Level,
    image: Plane<T>,
    wanted: &Wanted,
    scratch: &mut Scratch,
) -> Statistics {
    gather(level, level, image, wanted, scratch)
}

per_level! {
    fn gather<T: Measure>(kernels: Level, image: Plane<T>, wanted: &Wanted, scratch: &mut Scratch) -> Statistics
        = pass;
}

#[inline(always)]
fn pass<T: Measure>(level: Level, image: Plane<T>, wanted: &Wanted, scratch: &mut Scratch) -> Statistics {
    let summing = wanted.basic || wanted.profiles.is_some();
    let projecting = wanted.centroid || wanted.profiles.is_some();
    // For the centroid alone, row by row is faster.
    let in_blocks = summing && T::Blocks::exist(level);
    let least = T::least_passing(wanted.threshold);
    let Scratch { projections, columns, bins, profiles } = scratch;
    let mut basic = basic::Gatherer::new(image, wanted);
    projections.start(image, projecting, wanted.profiles.is_some(), in_blocks);
    bins.start::<T>(wanted.histogram);
    if in_blocks {
        T::Blocks::start(level, columns, image.width(), least);
    }
    for y in (0..image.height()).step_by(blocks::ROWS) {
        let block = image.rows_from(y, blocks::ROWS);
        if in_blocks {
            let found = T::Blocks::add(level, y, block, least, basic.sums(), columns, projections);
            basic.add_block(y, block, &found);
            projections.add_block(y, &found, least);
        } else {
            for (y, row) in (y..).zip(block.rows()) {
                if summing {
                    let sum = basic.add_row(y, row);
                    projections.add_average(y, row, sum);
                }
                projections.add_passing(y, row, least);
            }
        }
        for row in block.rows() {
            bins.add_row(row);
        }
    }
    if in_blocks {
        T::Blocks::finish(columns, projections);
    } else {
        projections.finish::<T>();
    }
    let centroid = projecting.then(|| moments::centroid(projections, wanted.quirks));
    Statistics {
        basic: wanted.basic.then(|| basic.finish()),
        cursor_value: profiles.fill(image, wanted.profiles, projections, centroid),
        centroid: centroid.filter(|_| wanted.centroid),
        histogram: bins.finish::<T>(image.len(), wanted.quirks),
    }
}
