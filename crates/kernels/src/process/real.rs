//! The two types that images are processed in.

use super::{Coefficients, Corrections, steps};
use crate::{Level, Pixel};
use std::ops::{Add, Div, Mul, Sub};

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A type that [`process`](crate::process()) calculates in: `f32` or `f64`.
///
/// `f32` moves half the memory and is exact for integers up to 2^24; `f64` is what areaDetector
/// uses.
pub trait Real:
    Pixel
    + sealed::Sealed
    + FilterFrom<i8>
    + FilterFrom<u8>
    + FilterFrom<i16>
    + FilterFrom<u16>
    + FilterFrom<i32>
    + FilterFrom<u32>
    + FilterFrom<i64>
    + FilterFrom<u64>
    + FilterFrom<f32>
    + FilterFrom<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    /// An unsigned integer of the same size, used as a mask.
    #[doc(hidden)]
    type Mask: Copy;
    /// A mask that keeps a value (`true`) or makes it 0 (`false`).
    #[doc(hidden)]
    fn mask(keep: bool) -> Self::Mask;
    /// The value or 0.
    #[doc(hidden)]
    fn masked(self, mask: Self::Mask) -> Self;
    /// Makes all corrections on the pixels from number `start` on.
    #[doc(hidden)]
    fn correct(level: Level, corrections: &Corrections<'_, Self>, start: usize, block: &mut [Self]);
}

macro_rules! real {
    ($($t:ty, $mask:ty;)*) => {$(
        impl Real for $t {
            type Mask = $mask;
            #[inline(always)]
            fn mask(keep: bool) -> $mask { if keep { <$mask>::MAX } else { 0 } }
            #[inline(always)]
            fn masked(self, mask: $mask) -> $t { <$t>::from_bits(self.to_bits() & mask) }
            #[inline(never)]
            fn correct(level: Level, corrections: &Corrections<'_, $t>, start: usize, block: &mut [$t]) {
                steps::correct(level, corrections, start, block);
            }
        }
    )*};
}

real! { f32, u32; f64, u64; }

/// A state that pixels of type `I` are filtered with.
pub trait FilterFrom<I>: Sized {
    /// Brings the state forward and makes the output.
    fn filter(level: Level, c: &Coefficients<Self>, pixels: &[I], state: &mut [Self], output: &mut [Self]);
    /// As `filter`, with an output of the input's type.
    fn filter_in_kind(
        level: Level,
        c: &Coefficients<Self>,
        pixels: &[I],
        state: &mut [Self],
        output: &mut [I],
    );
    /// Only brings the state forward.
    fn follow(level: Level, c: &Coefficients<Self>, pixels: &[I], state: &mut [Self]);
}

macro_rules! filter_from {
    ($s:ty: $($i:ty)*) => {$(
        impl FilterFrom<$i> for $s {
            #[inline(never)]
            fn filter(level: Level, c: &Coefficients<$s>, pixels: &[$i], state: &mut [$s], output: &mut [$s]) {
                steps::filter(level, c, pixels, state, output);
            }
            #[inline(never)]
            fn filter_in_kind(
                level: Level, c: &Coefficients<$s>, pixels: &[$i], state: &mut [$s], output: &mut [$i],
            ) {
                steps::filter_in_kind(level, c, pixels, state, output);
            }
            #[inline(never)]
            fn follow(level: Level, c: &Coefficients<$s>, pixels: &[$i], state: &mut [$s]) {
                steps::follow(level, c, pixels, state);
            }
        }
    )*};
}

filter_from!(f32: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);
filter_from!(f64: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);
