//! Means of a few pixels, in the type of the pixels.

/// A pixel type whose values can be averaged, a few at a time.
///
/// Sums are exact for integers. The mean of integers is cut towards zero; the mean of floats is computed in `f64`.
pub trait Mix: Copy {
    /// Mean of two values.
    fn mean2(values: [Self; 2]) -> Self;
    /// Mean of three values.
    fn mean3(values: [Self; 3]) -> Self;
    /// Mean of four values.
    fn mean4(values: [Self; 4]) -> Self;
}

macro_rules! mix {
    ($($pixel:ty => $sum:ty),*) => {$(
        impl Mix for $pixel {
            #[inline(always)]
            fn mean2([a, b]: [Self; 2]) -> Self {
                ((a as $sum + b as $sum) / (2 as $sum)) as Self
            }
            #[inline(always)]
            fn mean3([a, b, c]: [Self; 3]) -> Self {
                ((a as $sum + b as $sum + c as $sum) / (3 as $sum)) as Self
            }
            #[inline(always)]
            fn mean4([a, b, c, d]: [Self; 4]) -> Self {
                ((a as $sum + b as $sum + c as $sum + d as $sum) / (4 as $sum)) as Self
            }
        }
    )*};
}

mix!(u8 => u16, i8 => i16, u16 => u32, i16 => i32, u32 => u64, i32 => i64, u64 => u128, i64 => i128,
     f32 => f64, f64 => f64);
