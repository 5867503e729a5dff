//! Extremes, sums and background.

use super::blocks::BlockSums;
use super::measure::Measure;
use super::results::Basic;
use super::sums::Sums;
use super::wanted::Wanted;
use crate::{Pixel, Plane};

/// Gathers the parts of [`Basic`], row by row.
pub(super) struct Gatherer<'a, T: Measure> {
    image: Plane<'a, T>,
    sums: T::Sums,
    min: Extreme<T>,
    max: Extreme<T>,
    border: Border,
}

/// An extreme so far, and the first row that may have it (0 when none has yet).
struct Extreme<T> {
    value: T,
    y: usize,
}

impl<'a, T: Measure> Gatherer<'a, T> {
    pub(super) fn new(image: Plane<'a, T>, wanted: &Wanted) -> Self {
        Gatherer {
            image,
            sums: T::Sums::default(),
            min: Extreme { value: T::ABOVE_ALL, y: 0 },
            max: Extreme { value: T::BELOW_ALL, y: 0 },
            border: Border::new(image, wanted),
        }
    }

    /// Takes row `y` in and gives its sum.
    #[inline(always)]
    pub(super) fn add_row(&mut self, y: usize, row: &[T]) -> f64 {
        let (min, max) = T::extremes(row);
        self.add_extremes(y, min, max);
        let sum = self.sums.add_row(row);
        self.border.add_row(y, row, sum);
        sum
    }

    /// The running sums, for loops over blocks.
    #[inline(always)]
    pub(super) fn sums(&mut self) -> &mut T::Sums {
        &mut self.sums
    }

    /// Takes in the results of a block whose first row is `y`, but for the sums.
    #[inline(always)]
    pub(super) fn add_block(&mut self, y: usize, block: Plane<T>, found: &BlockSums<T>) {
        self.add_extremes(y, found.min, found.max);
        if self.border.width > 0 {
            for (i, (row, &sum)) in block.rows().zip(&found.all).enumerate() {
                self.border.add_row(y + i, row, sum);
            }
        }
    }

    #[inline(always)]
    fn add_extremes(&mut self, y: usize, min: T, max: T) {
        if min < self.min.value {
            self.min = Extreme { value: min, y };
        }
        if max > self.max.value {
            self.max = Extreme { value: max, y };
        }
    }

    #[inline(always)]
    pub(super) fn finish(&self) -> Basic {
        let count = self.image.len();
        let (min, min_x, min_y) = find(self.image, &self.min);
        let (max, max_x, max_y) = find(self.image, &self.max);
        let mut total = self.sums.total();
        let mut sigma = self.sums.variance(count).sqrt();
        if count == 0 {
            sigma = f64::NAN;
        } else if T::FLOAT && out_of_range(min, max) {
            (total, sigma) = scaled_sums(self.image, min, max);
        }
        let mean = total / count as f64;
        let net = self.border.net(total, count);
        Basic { min, max, min_x, min_y, max_x, max_y, mean, sigma, total, net }
    }
}

/// Pixels that are compared at once.
const PIECE: usize = 256;

/// Value and position of the first pixel that equals `extreme`; NaN when there is none.
#[inline(always)]
fn find<T: Pixel>(image: Plane<T>, extreme: &Extreme<T>) -> (f64, usize, usize) {
    for y in extreme.y..image.height() {
        let row = image.row(y);
        // Without a branch for each pixel, so that vectors compare.
        let has = |piece: &[T]| piece.iter().fold(false, |has, &v| has | (v == extreme.value));
        let start = PIECE * row.chunks(PIECE).take_while(|piece| !has(piece)).count();
        let rest = row.get(start..).unwrap_or_default();
        if let Some(x) = rest.iter().position(|&v| v == extreme.value) {
            return (rest[x].to_f64(), start + x, y);
        }
    }
    (f64::NAN, 0, 0)
}

/// True when squares of such values leave the range of `f64`.
fn out_of_range(min: f64, max: f64) -> bool {
    let largest = max.abs().max(min.abs());
    // Squares from 1e-280 to 1e280 leave room for the number of pixels.
    largest.is_finite() && (largest > 1e140 || (max - min < 1e-140 && max > min))
}

/// Total and sigma with every pixel taken relative to the middle and the span of the values.
fn scaled_sums<T: Pixel>(image: Plane<T>, min: f64, max: f64) -> (f64, f64) {
    // Halved first, because the sum or the difference of the largest values would overflow.
    let (middle, span) = (min / 2.0 + max / 2.0, max / 2.0 - min / 2.0);
    let count = image.len() as f64;
    if span == 0.0 {
        let nan = image.rows().flatten().any(|v| v.to_f64().is_nan());
        return if nan { (f64::NAN, f64::NAN) } else { (middle * count, 0.0) };
    }
    let values = || image.rows().flatten().map(|v| (v.to_f64() - middle) / span);
    let mean = values().sum::<f64>() / count;
    let variance = values().map(|v| (v - mean).powi(2)).sum::<f64>() / count;
    ((middle + mean * span) * count, variance.sqrt() * span)
}

/// Sum and number of the border pixels.
struct Border {
    width: usize,
    rows: usize,
    /// There are rows above and below.
    has_slabs: bool,
    corners_twice: bool,
    sum: f64,
    count: f64,
}

impl Border {
    fn new<T: Pixel>(image: Plane<T>, wanted: &Wanted) -> Border {
        let width = if wanted.basic { wanted.background_width } else { 0 };
        let rows = image.height();
        let corners_twice = wanted.quirks.corners_twice;
        let has_slabs = rows > 1 || corners_twice && !wanted.is_line;
        Border { width, rows, has_slabs, corners_twice, sum: 0.0, count: 0.0 }
    }

    #[inline(always)]
    fn add_row<T: Pixel>(&mut self, y: usize, row: &[T], sum: f64) {
        if self.width == 0 {
            return;
        }
        let top = self.has_slabs && y < self.width;
        let bottom = self.has_slabs && y >= self.rows.saturating_sub(self.width);
        if self.corners_twice {
            let times = f64::from(u8::from(top) + u8::from(bottom));
            self.sum += times * sum;
            self.count += times * row.len() as f64;
            self.add_ends(row, row.len().saturating_sub(self.width));
        } else if top || bottom {
            self.sum += sum;
            self.count += row.len() as f64;
        } else {
            // In a narrow image the right end begins behind the left one, so that no pixel counts twice.
            self.add_ends(row, row.len().saturating_sub(self.width).max(self.width));
        }
    }

    /// Adds the first `width` pixels and those from `right` on.
    #[inline(always)]
    fn add_ends<T: Pixel>(&mut self, row: &[T], right: usize) {
        let left = row.iter().take(self.width);
        let ends = left.chain(row.iter().skip(right));
        for v in ends {
            self.sum += v.to_f64();
            self.count += 1.0;
        }
    }

    fn net(&self, total: f64, count: usize) -> f64 {
        if self.count == 0.0 { total } else { total - self.sum / self.count * count as f64 }
    }
}
