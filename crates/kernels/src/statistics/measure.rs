//! Which loops sum a pixel type and project it.

use super::blocks::{Blocks, Bytes, RowByRow, Singles, Words};
use super::compare::Compare;
use super::direct::Direct;
use super::narrow::{Narrow8, Narrow16};
use super::projections::Project;
use super::sums::{Approximate, Exact, ExactSums, PivotSums, Sums, Wide, WideSums};

/// How a pixel type is summed, compared and projected. An inner matter of
/// [`statistics`](super::statistics()), implemented for the ten pixel types.
pub trait Measure: Compare {
    #[doc(hidden)]
    type Sums: Sums<Self>;
    #[doc(hidden)]
    type Projector: Project<Self>;
    #[doc(hidden)]
    type Blocks: Blocks<Self, Sums = Self::Sums>;
}

macro_rules! measure {
    ($($t:ty, $sums:ty, $projector:ty, $blocks:ty;)*) => {$(
        impl Measure for $t {
            type Sums = $sums;
            type Projector = $projector;
            type Blocks = $blocks;
        }
    )*};
}

measure! {
    u8, ExactSums, Narrow8, Bytes;
    i8, ExactSums, Narrow8, RowByRow<ExactSums>;
    u16, ExactSums, Narrow16, Words;
    i16, ExactSums, Narrow16, RowByRow<ExactSums>;
    u32, ExactSums, Direct, RowByRow<ExactSums>;
    i32, ExactSums, Direct, RowByRow<ExactSums>;
    u64, WideSums, Direct, RowByRow<WideSums>;
    i64, WideSums, Direct, RowByRow<WideSums>;
    f32, PivotSums, Direct, Singles;
    f64, PivotSums, Direct, RowByRow<PivotSums>;
}

macro_rules! approximate {
    ($($t:ty)*) => {$(
        impl Approximate for $t {
            #[inline(always)]
            fn value(self) -> f64 {
                f64::from(self)
            }
        }
    )*};
}

approximate!(f32 f64);

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
                    // The square of a u16 fits 32 bits, but not with a sign.
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
