//! The ten pixel types.

use crate::cast::{Cast, FromAny};
use crate::mix::Mix;

// Sealed, because kernels are compiled for these ten types.
mod sealed {
    pub trait Sealed {}
}

/// One of the ten pixel types: `i8 u8 i16 u16 i32 u32 i64 u64 f32 f64`.
pub trait Pixel:
    sealed::Sealed
    + Mix
    + Cast
    + FromAny
    + Copy
    + Default
    + PartialOrd
    + PartialEq
    + Send
    + Sync
    + std::fmt::Debug
    + 'static
{
    /// The smallest finite value.
    const LOWEST: Self;
    /// The largest finite value.
    const HIGHEST: Self;
    /// True for `f32` and `f64`.
    const FLOAT: bool;

    /// The value as `f64`; 64-bit integers are rounded to the nearest representable value.
    fn to_f64(self) -> f64;

    /// `value` cut towards zero and limited to the range of the type; NaN becomes 0 for integers.
    fn from_f64(value: f64) -> Self;

    /// `self + other`, wrapping round for integers.
    fn add_wrapping(self, other: Self) -> Self;

    /// `self - other`, wrapping round for integers.
    fn sub_wrapping(self, other: Self) -> Self;
}

macro_rules! pixel {
    (int $($t:ty)*) => {$(
        impl sealed::Sealed for $t {}
        impl Pixel for $t {
            const LOWEST: Self = <$t>::MIN;
            const HIGHEST: Self = <$t>::MAX;
            const FLOAT: bool = false;
            #[inline(always)]
            fn to_f64(self) -> f64 { self as f64 }
            #[inline(always)]
            fn from_f64(value: f64) -> Self { value as $t }
            #[inline(always)]
            fn add_wrapping(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn sub_wrapping(self, other: Self) -> Self { self.wrapping_sub(other) }
        }
    )*};
    (float $($t:ty)*) => {$(
        impl sealed::Sealed for $t {}
        impl Pixel for $t {
            const LOWEST: Self = <$t>::MIN;
            const HIGHEST: Self = <$t>::MAX;
            const FLOAT: bool = true;
            #[inline(always)]
            fn to_f64(self) -> f64 { self as f64 }
            #[inline(always)]
            fn from_f64(value: f64) -> Self { value as $t }
            #[inline(always)]
            fn add_wrapping(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn sub_wrapping(self, other: Self) -> Self { self - other }
        }
    )*};
}

pixel!(int i8 u8 i16 u16 i32 u32 i64 u64);
pixel!(float f32 f64);
