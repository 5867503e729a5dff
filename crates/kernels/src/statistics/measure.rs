//! What the statistics need to know of each pixel type.

use super::blocks::{Blocks, Bytes, RowByRow, Singles, Words};
use super::direct::Direct;
use super::lanes::reduce;
use super::narrow::{Narrow8, Narrow16};
use super::projections::Project;
use super::sums::{Approximate, Exact, ExactSums, PivotSums, Sums, Wide, WideSums};

/// How a pixel type is summed, compared and projected. An inner matter of
/// [`statistics`](super::statistics()), implemented for the ten pixel types.
pub trait Measure: Copy + PartialOrd {
    #[doc(hidden)]
    type Sums: Sums<Self>;
    #[doc(hidden)]
    type Projector: Project<Self>;
    #[doc(hidden)]
    type Blocks: Blocks<Self>;
    #[doc(hidden)]
    const ABOVE_ALL: Self;
    #[doc(hidden)]
    const BELOW_ALL: Self;

    /// The smallest value `v` with `v ≥ threshold`; none when no value reaches it.
    #[doc(hidden)]
    fn least_passing(threshold: f64) -> Option<Self>;

    /// Smallest and largest pixel of a row, NaN passed over; what lies beyond all when there is
    /// none.
    #[doc(hidden)]
    fn extremes(row: &[Self]) -> (Self, Self);

    /// True when every value is an `f32`.
    #[doc(hidden)]
    const FITS_SINGLE: bool;

    /// The value as `f32`; exact when [`Self::FITS_SINGLE`].
    #[doc(hidden)]
    fn single(self) -> f32;

    /// The lowest 8 bits of an integer; a whole pixel of one byte.
    #[doc(hidden)]
    fn low_byte(self) -> u8;

    /// The pixel of one byte with these bits.
    #[doc(hidden)]
    fn from_low_byte(byte: u8) -> Self;
}

macro_rules! integer {
    ($($t:ty, $sums:ty, $projector:ty, $blocks:ty;)*) => {$(
        impl Measure for $t {
            type Sums = $sums;
            type Projector = $projector;
            type Blocks = $blocks;
            const FITS_SINGLE: bool = size_of::<$t>() <= 2;
            const ABOVE_ALL: Self = <$t>::MAX;
            const BELOW_ALL: Self = <$t>::MIN;

            #[inline(always)]
            fn single(self) -> f32 {
                self as f32
            }

            #[inline(always)]
            fn low_byte(self) -> u8 {
                self as u8
            }

            fn from_low_byte(byte: u8) -> Self {
                byte as $t
            }

            fn least_passing(threshold: f64) -> Option<Self> {
                let least = threshold.ceil();
                if least.is_nan() || least as i128 > <$t>::MAX as i128 {
                    return None;
                }
                Some(least as $t)
            }

            #[inline(always)]
            fn extremes(row: &[Self]) -> (Self, Self) {
                let (mut min, mut max) = (Self::ABOVE_ALL, Self::BELOW_ALL);
                for &v in row {
                    min = min.min(v);
                    max = max.max(v);
                }
                (min, max)
            }
        }
    )*};
}

integer! {
    u8, ExactSums, Narrow8, Bytes;
    i8, ExactSums, Narrow8, RowByRow;
    u16, ExactSums, Narrow16, Words;
    i16, ExactSums, Narrow16, RowByRow;
    u32, ExactSums, Direct, RowByRow;
    i32, ExactSums, Direct, RowByRow;
    u64, WideSums, Direct, RowByRow;
    i64, WideSums, Direct, RowByRow;
}

macro_rules! float {
    ($($t:ty, $lanes:literal, $blocks:ty;)*) => {$(
        impl Measure for $t {
            type Sums = PivotSums;
            type Projector = Direct;
            type Blocks = $blocks;
            const FITS_SINGLE: bool = size_of::<$t>() == 4;
            const ABOVE_ALL: Self = <$t>::INFINITY;
            const BELOW_ALL: Self = <$t>::NEG_INFINITY;

            #[inline(always)]
            fn single(self) -> f32 {
                self as f32
            }

            #[inline(always)]
            fn low_byte(self) -> u8 {
                self as u8
            }

            fn from_low_byte(byte: u8) -> Self {
                byte as $t
            }

            fn least_passing(threshold: f64) -> Option<Self> {
                let nearest = threshold as $t;
                let up = f64::from(nearest) < threshold;
                (!threshold.is_nan()).then_some(if up { nearest.next_up() } else { nearest })
            }

            // A comparison with NaN is false, which keeps what was found so far.
            #[inline(always)]
            fn extremes(row: &[Self]) -> (Self, Self) {
                let low = |v: Self, found: Self| if v < found { v } else { found };
                let high = |v: Self, found: Self| if v > found { v } else { found };
                (
                    reduce::<_, _, $lanes>(row, Self::ABOVE_ALL, low, low),
                    reduce::<_, _, $lanes>(row, Self::BELOW_ALL, high, high),
                )
            }
        }

        impl Approximate for $t {
            #[inline(always)]
            fn value(self) -> f64 {
                f64::from(self)
            }
        }
    )*};
}

float! {
    f32, 64, Singles;
    f64, 32, RowByRow;
}

macro_rules! exact8 {
    ($($t:ty)*) => {$(
        impl Exact for $t {
            #[inline(always)]
            fn sum_and_squares(row: &[Self]) -> (i64, u128) {
                let (mut sum, mut squares) = (0, 0);
                // 2¹⁵ · 255² fits an i32.
                for piece in row.chunks(1 << 15) {
                    sum += i64::from(piece.iter().map(|&v| i32::from(v)).sum::<i32>());
                    squares += piece.iter().map(|&v| i32::from(v) * i32::from(v)).sum::<i32>() as u128;
                }
                (sum, squares)
            }
        }
    )*};
}

macro_rules! exact16 {
    ($($t:ty)*) => {$(
        impl Exact for $t {
            #[inline(always)]
            fn sum_and_squares(row: &[Self]) -> (i64, u128) {
                let (mut sum, mut squares) = (0, 0u128);
                // 2¹⁵ · 65535 fits an i32.
                for piece in row.chunks(1 << 15) {
                    sum += i64::from(piece.iter().map(|&v| i32::from(v)).sum::<i32>());
                    let square = |&v: &$t| u64::from((i32::from(v) as u32).wrapping_mul(i32::from(v) as u32));
                    squares += u128::from(piece.iter().map(square).sum::<u64>());
                }
                (sum, squares)
            }
        }
    )*};
}

macro_rules! exact32 {
    ($($t:ty, $magnitude:expr;)*) => {$(
        impl Exact for $t {
            #[inline(always)]
            fn sum_and_squares(row: &[Self]) -> (i64, u128) {
                let (mut sum, mut squares) = (0, 0);
                // 2³⁰ halves of 32 bits fit 64 bits.
                for piece in row.chunks(1 << 30) {
                    let (mut high, mut low) = (0u64, 0u64);
                    for &v in piece {
                        let square = u64::from($magnitude(v)) * u64::from($magnitude(v));
                        sum += i64::from(v);
                        high += square >> 32;
                        low += square & 0xffff_ffff;
                    }
                    squares += (u128::from(high) << 32) + u128::from(low);
                }
                (sum, squares)
            }
        }
    )*};
}

exact8!(u8 i8);
exact16!(u16 i16);
exact32! {
    u32, std::convert::identity;
    i32, i32::unsigned_abs;
}

impl Wide for u64 {
    const RAISE: i128 = 0;

    #[inline(always)]
    fn raised(self) -> u64 {
        self
    }
}

impl Wide for i64 {
    const RAISE: i128 = 1 << 63;

    #[inline(always)]
    fn raised(self) -> u64 {
        self as u64 ^ (1 << 63)
    }
}
