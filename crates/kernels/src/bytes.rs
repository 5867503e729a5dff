//! Pixels seen as bytes, for code that only moves them.

use crate::Pixel;

#[inline(always)]
pub(crate) fn bytes<T: Pixel>(pixels: &[T]) -> &[u8] {
    // SAFETY: a `Pixel` is one of ten numeric types, which have no padding; the bytes belong to the slice and live as
    // long.
    unsafe { std::slice::from_raw_parts(pixels.as_ptr().cast(), size_of_val(pixels)) }
}

#[inline(always)]
pub(crate) fn bytes_mut<T: Pixel>(pixels: &mut [T]) -> &mut [u8] {
    // SAFETY: as in `bytes`; every pattern of bits is a value of each of the ten types, and the
    // mutable borrow is handed on.
    unsafe { std::slice::from_raw_parts_mut(pixels.as_mut_ptr().cast(), size_of_val(pixels)) }
}
