//! The types that sums are made in.

use super::values::Overflow;
use crate::{Level, Pixel};

/// This many pixels of 16 bits add up to less than 2^31.
pub(super) const SHORT_SUM: usize = 1 << 15;

/// A type that sums are made in.
pub trait Accumulator: Copy + Default {
    fn plus(self, other: Self) -> Self;
    fn to_f64(self) -> f64;
    fn saturating<O: Pixel>(self) -> O;
    fn wrapping<O: Pixel>(self) -> O;
    /// Converts [`BLOCK`](super::values::BLOCK) sums at most.
    fn store<O: Pixel>(level: Level, sums: &[Self], to: &mut [O], overflow: Overflow);
    fn divide(level: Level, sums: &[Self], divisor: f64, to: &mut [f64]);
}

/// A type that sums of values of type `I` are made in.
pub trait SumOf<I>: Accumulator {
    fn of(value: I) -> Self;

    /// Adds a line of bins of `bin` pixels with this many samples each to the sums.
    fn add_bins(level: Level, row: &[I], sums: &mut [Self], bin: usize, samples: usize);
}

/// A pixel type, and the types in which sums of it are exact.
pub trait Summed: Pixel {
    /// Holds the sum of 2^15 pixels (floats: their `f64` sum).
    #[doc(hidden)]
    type Sum: SumOf<Self>;
    /// Holds the sum of any image.
    #[doc(hidden)]
    type LongSum: SumOf<Self>;
}
