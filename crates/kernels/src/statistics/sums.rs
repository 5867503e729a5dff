//! Total and variance, gathered row by row without cancellation.

use super::lanes::{fold, zip};

/// A running total and variance over rows of `T`.
pub trait Sums<T>: Default {
    /// Takes one row in and gives its plain sum.
    fn add_row(&mut self, row: &[T]) -> f64;

    /// Sum of all pixels so far.
    fn total(&self) -> f64;

    /// Σ(v − mean)² / count over the `count` pixels so far.
    fn variance(&self, count: usize) -> f64;
}

/// Pixels whose sums fit integers.
pub trait Exact: Sized {
    /// Σv and Σv² of a row.
    fn sum_and_squares(row: &[Self]) -> (i64, u128);
}

/// Exact integer sums, for pixels up to 32 bits.
#[derive(Default)]
pub struct ExactSums {
    sum: i128,
    squares: u128,
}

impl ExactSums {
    /// Takes in pixels by their Σv and Σv².
    pub fn add(&mut self, sum: u64, squares: u64) {
        self.sum += i128::from(sum);
        self.squares += u128::from(squares);
    }
}

impl<T: Exact> Sums<T> for ExactSums {
    #[inline(always)]
    fn add_row(&mut self, row: &[T]) -> f64 {
        let (sum, squares) = T::sum_and_squares(row);
        self.sum += i128::from(sum);
        self.squares += squares;
        sum as f64
    }

    fn total(&self) -> f64 {
        self.sum as f64
    }

    fn variance(&self, count: usize) -> f64 {
        let n = count as f64;
        let square_of_sum = self.sum.unsigned_abs().checked_mul(self.sum.unsigned_abs());
        match (self.squares.checked_mul(count as u128), square_of_sum) {
            (Some(a), Some(b)) => a.saturating_sub(b) as f64 / n / n,
            // From 2³² pixels of 32 bits on.
            _ => self.squares as f64 / n - (self.sum as f64 / n).powi(2),
        }
    }
}

/// Pixels that are summed as `f64`.
pub trait Approximate: Copy {
    /// The value as `f64`.
    fn value(self) -> f64;
}

/// `f64` sums about a running pivot, for floating-point pixels.
///
/// The pivot of a row is the mean of all rows before. Should the row lie far from it, that distance
/// is itself part of the variance, so the rounding error stays small against the result.
#[derive(Default)]
pub struct PivotSums {
    total: f64,
    count: f64,
    mean: f64,
    squares: f64,
}

/// Independent partial sums, so that the additions of neighbours need not wait for each other.
const LANES: usize = 16;

impl PivotSums {
    /// Σ(v − mean)² so far.
    pub fn squares(&self) -> f64 {
        self.squares
    }

    /// Takes in `len` pixels by their Σ(v − mean so far) and Σ(v − mean so far)².
    fn merge(&mut self, len: usize, distances: f64, squares: f64) {
        self.count += len as f64;
        self.mean += distances / self.count;
        self.squares += squares - distances * distances / self.count;
    }

    /// The pivot for the next pixels, whose first row is `row`.
    #[inline(always)]
    pub fn pivot<T: Approximate>(&mut self, row: &[T]) -> f64 {
        if self.count == 0.0 && !row.is_empty() {
            // Before the first row there is no mean but its own.
            self.mean = about(row, 0.0, T::value)[0] / row.len() as f64;
        }
        self.mean
    }

    /// Takes in `len` pixels of at most 24 bits by their Σv and Σ(v − pivot)².
    pub fn add_about_pivot(&mut self, len: usize, sum: f64, squares: f64) {
        if len > 0 {
            self.merge(len, sum - len as f64 * self.mean, squares);
        }
        self.total += sum;
    }

    /// Takes one row of `value(pixel)` in and gives its sum.
    #[inline(always)]
    pub fn add_values<T: Copy>(&mut self, row: &[T], value: impl Fn(T) -> f64 + Copy) -> f64 {
        if self.count == 0.0 && !row.is_empty() {
            self.mean = about(row, 0.0, value)[0] / row.len() as f64;
        }
        let [sum, distances, squares] = about(row, self.mean, value);
        if !row.is_empty() {
            self.merge(row.len(), distances, squares);
        }
        self.total += sum;
        sum
    }
}

/// Σv, Σ(v − pivot), Σ(v − pivot)².
#[inline(always)]
fn about<T: Copy>(row: &[T], pivot: f64, value: impl Fn(T) -> f64) -> [f64; 3] {
    let [mut sum, mut distances, mut squares] = [[0.0; LANES]; 3];
    let (chunks, tail) = row.as_chunks::<LANES>();
    for chunk in chunks {
        let v = zip(chunk, &[0.0; LANES], |v, _| value(v));
        let d = zip(&v, &[pivot; LANES], |v, pivot| v - pivot);
        sum = zip(&v, &sum, |v, sum| sum + v);
        distances = zip(&d, &distances, |d, sum| sum + d);
        squares = zip(&d, &squares, |d, sum| sum + d * d);
    }
    let mut sums = [sum, distances, squares].map(|lanes| fold(lanes, |a, b| a + b));
    for &v in tail {
        let d = value(v) - pivot;
        sums = [sums[0] + value(v), sums[1] + d, sums[2] + d * d];
    }
    sums
}

impl<T: Approximate> Sums<T> for PivotSums {
    #[inline(always)]
    fn add_row(&mut self, row: &[T]) -> f64 {
        self.add_values(row, T::value)
    }

    fn total(&self) -> f64 {
        self.total
    }

    fn variance(&self, count: usize) -> f64 {
        variance(self.squares, count)
    }
}

/// Never below 0, and NaN stays NaN.
fn variance(squares: f64, count: usize) -> f64 {
    if squares < 0.0 { 0.0 } else { squares / count as f64 }
}

/// 64-bit integers, which `f64` cannot hold.
pub trait Wide: Copy {
    /// The addend of [`Wide::raised`].
    const RAISE: i128;

    /// The value raised by [`Wide::RAISE`], so that it is not negative.
    fn raised(self) -> u64;
}

/// An exact total, and a variance from exact distances to the first pixel.
#[derive(Default)]
pub struct WideSums {
    origin: Option<[f64; 2]>,
    total: i128,
    distances: PivotSums,
}

impl<T: Wide> Sums<T> for WideSums {
    #[inline(always)]
    fn add_row(&mut self, row: &[T]) -> f64 {
        let Some(&first) = row.first() else { return 0.0 };
        let [high0, low0] = *self.origin.get_or_insert(halves(first.raised()));
        self.distances.add_values(row, |v| {
            let [high, low] = halves(v.raised());
            // Both differences are exact, so only this one addition rounds.
            (high - high0) * 4_294_967_296.0 + (low - low0)
        });
        let sum = wide_sum(row);
        self.total += sum;
        sum as f64
    }

    fn total(&self) -> f64 {
        self.total as f64
    }

    fn variance(&self, count: usize) -> f64 {
        variance(self.distances.squares(), count)
    }
}

/// The upper and the lower 32 bits as numbers.
#[inline(always)]
fn halves(v: u64) -> [f64; 2] {
    const BASE: f64 = (1u64 << 52) as f64;
    // 32 bits at the end of the mantissa of 2⁵²: a conversion that every level has.
    let number = |bits| f64::from_bits(BASE.to_bits() | bits) - BASE;
    [number(v >> 32), number(v & 0xffff_ffff)]
}

#[inline(always)]
fn wide_sum<T: Wide>(row: &[T]) -> i128 {
    let mut sum = -T::RAISE * row.len() as i128;
    // 2³⁰ halves of 32 bits fit 64 bits.
    for piece in row.chunks(1 << 30) {
        let (mut high, mut low) = (0u64, 0u64);
        for v in piece {
            high += v.raised() >> 32;
            low += v.raised() & 0xffff_ffff;
        }
        sum += (i128::from(high) << 32) + i128::from(low);
    }
    sum
}
