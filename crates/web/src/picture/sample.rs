//! The properties of an element that the loops over pixels need.

use livetime_frame::Element;

/// An element of a picture.
pub(crate) trait Sample: Element {
    /// The larger one; a NaN loses against everything.
    fn larger(self, other: Self) -> Self;

    /// As a number; integers above 2^53 are rounded.
    fn number(self) -> f64;
}

macro_rules! sample {
    ($($t:ty),*) => {$(
        impl Sample for $t {
            #[inline(always)]
            fn larger(self, other: Self) -> Self {
                self.max(other)
            }

            #[inline(always)]
            fn number(self) -> f64 {
                self as f64
            }
        }
    )*};
}

sample!(i8, u8, i16, u16, i32, u32, i64, u64, f32, f64);
