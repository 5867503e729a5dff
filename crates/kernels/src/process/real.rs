//! The two types that images are processed in.

use crate::Pixel;
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
    Pixel + sealed::Sealed + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
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
}

macro_rules! real {
    ($($t:ty, $mask:ty;)*) => {$(
        impl Real for $t {
            type Mask = $mask;
            #[inline(always)]
            fn mask(keep: bool) -> $mask { if keep { <$mask>::MAX } else { 0 } }
            #[inline(always)]
            fn masked(self, mask: $mask) -> $t { <$t>::from_bits(self.to_bits() & mask) }
        }
    )*};
}

real! { f32, u32; f64, u64; }
