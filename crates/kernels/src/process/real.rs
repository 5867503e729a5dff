//! The two types that images are processed in.

use super::corrections::Corrections;
use super::setup::Coefficients;
use crate::{Level, Pixel};
use std::ops::{Add, Div, Mul, Sub};

// Sealed, because the loops are compiled for these two types.
mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// A type that [`process`](crate::process()) calculates in: `f32` or `f64`.
///
/// `f32` moves half the memory and is exact for integers up to 2^24; areaDetector calculates in `f64`.
pub trait Real:
    Filtered
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

/// A pixel type whose frames [`process`](crate::process()) takes: one of the ten.
pub trait Filtered: Pixel {
    /// Brings the state forward, and makes the output if there is one.
    #[doc(hidden)]
    fn filter<S: Real>(
        level: Level,
        c: &Coefficients<S>,
        pixels: &[Self],
        state: &mut [S],
        output: Option<&mut [S]>,
    );

    /// As `filter`, with an output of the type of the pixels.
    #[doc(hidden)]
    fn filter_in_kind<S: Real>(
        level: Level,
        c: &Coefficients<S>,
        pixels: &[Self],
        state: &mut [S],
        output: &mut [Self],
    );
}
