//! The ten types of elements, as they lie in files.

use super::words::Words;
use crate::Pixel;

/// An element of a frame that is given as little-endian bytes.
pub trait Element: Pixel {
    /// `L` elements from the one at `at` on. The caller has checked that they are there; otherwise they are zero.
    #[doc(hidden)]
    fn load<const L: usize>(frame: &[u8], at: usize) -> [Self; L];
}

macro_rules! element {
    ($($t:ty)*) => {$(
        impl Element for $t {
            #[inline(always)]
            fn load<const L: usize>(frame: &[u8], at: usize) -> [Self; L] {
                let mut elements = [Self::default(); L];
                // One check for all elements: an index would check each.
                let bytes = frame.as_chunks().0.get(at..at + L).unwrap_or_default();
                for (element, bytes) in elements.iter_mut().zip(bytes) {
                    *element = Self::from_le_bytes(*bytes);
                }
                elements
            }
        }
    )*};
}

element!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);

/// An integer of up to 32 bits, whose sums are exact.
pub trait Exact: Element {
    /// Holds sums of squares.
    type Square: Copy + Default + Send + Sync + Into<u128> + std::ops::AddAssign + std::fmt::Debug + 'static;

    /// Adds the `L` elements from `at` on of all frames, at most 2^15, to the sums.
    #[doc(hidden)]
    #[allow(private_bounds, reason = "called by this crate only")]
    fn add_group<W: Words, const L: usize>(
        frames: &[&[u8]],
        at: usize,
        sums: &mut [i64],
        squares: &mut [Self::Square],
    );

    /// The same without squares.
    #[doc(hidden)]
    fn sum_group<const L: usize>(frames: &[&[u8]], at: usize, sums: &mut [i64]);
}
