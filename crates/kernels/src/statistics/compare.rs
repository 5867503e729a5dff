//! How values of a pixel type are compared, and narrowed to a byte or a float.

use super::lanes::reduce;
use crate::Pixel;

/// The functions of a pixel type for loops over single values.
pub trait Compare: Pixel {
    const ABOVE_ALL: Self;
    const BELOW_ALL: Self;

    /// The smallest value `v` with `v ≥ threshold`; none when no value reaches it.
    fn least_passing(threshold: f64) -> Option<Self>;

    /// Smallest and largest pixel of a row, without NaN; [`Compare::ABOVE_ALL`] and [`Compare::BELOW_ALL`] when there
    /// is no other pixel.
    fn extremes(row: &[Self]) -> (Self, Self);

    /// True when every value is an `f32`.
    const FITS_SINGLE: bool;

    /// The value as `f32`; exact when [`Self::FITS_SINGLE`].
    fn single(self) -> f32;

    /// The lowest 8 bits of an integer; a whole pixel of one byte.
    fn low_byte(self) -> u8;

    /// The pixel of one byte with these bits.
    fn from_low_byte(byte: u8) -> Self;
}

macro_rules! compare {
    ($kind:ident: $($t:ty)*) => {$(
        impl Compare for $t {
            $kind! { $t }

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
        }
    )*};
}

macro_rules! integer {
    ($t:ty) => {
        const FITS_SINGLE: bool = size_of::<$t>() <= 2;
        const ABOVE_ALL: Self = <$t>::MAX;
        const BELOW_ALL: Self = <$t>::MIN;

        fn least_passing(threshold: f64) -> Option<Self> {
            let least = threshold.ceil();
            if least.is_nan() || least as i128 > <$t>::MAX as i128 {
                return None;
            }
            // A threshold below the type becomes its lowest value.
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
    };
}

macro_rules! float {
    ($t:ty) => {
        const FITS_SINGLE: bool = size_of::<$t>() == 4;
        const ABOVE_ALL: Self = <$t>::INFINITY;
        const BELOW_ALL: Self = <$t>::NEG_INFINITY;

        fn least_passing(threshold: f64) -> Option<Self> {
            let nearest = threshold as $t;
            // Rounded down, the threshold would let a value below it pass.
            let up = f64::from(nearest) < threshold;
            (!threshold.is_nan()).then_some(if up { nearest.next_up() } else { nearest })
        }

        // A comparison with NaN is false, which keeps the result so far.
        #[inline(always)]
        fn extremes(row: &[Self]) -> (Self, Self) {
            const LANES: usize = 256 / size_of::<$t>();
            let low = |v: Self, found: Self| if v < found { v } else { found };
            let high = |v: Self, found: Self| if v > found { v } else { found };
            (
                reduce::<_, _, LANES>(row, Self::ABOVE_ALL, low, low),
                reduce::<_, _, LANES>(row, Self::BELOW_ALL, high, high),
            )
        }
    };
}

compare!(integer: u8 i8 u16 i16 u32 i32 u64 i64);
compare!(float: f32 f64);
