//! The loops of the XTC codecs Hist16 and HistN: pixels in a window of values take few bits, the others many, and a map
//! has one bit per pixel that tells which (1: in the window), the first pixel in the lowest bit.
//!
//! Pixels are little-endian `u16` in byte slices of any alignment.

mod bits;
mod bytes;
#[cfg(target_arch = "x86_64")]
mod bytes_avx2;
#[cfg(target_arch = "x86_64")]
mod bytes_avx512;
mod survey;
#[cfg(test)]
mod tests;

pub use bits::{Codes, pack_codes, unpack_codes};
pub use bytes::{pack_bytes, unpack_bytes};
pub use survey::{Survey, count_edges, count_high_bytes, count_values, sum, survey};

/// Pixels in a word of the map.
pub const MAP_BITS: usize = 16;

/// The pixels of a byte slice; an odd byte at the end is left out.
#[inline(always)]
fn pixels(bytes: &[u8]) -> &[[u8; 2]] {
    bytes.as_chunks().0
}

/// How many words of map that many pixels need.
///
/// ```
/// assert_eq!(livetime_kernels::hist::map_words(17), 2);
/// ```
pub const fn map_words(pixels: usize) -> usize {
    pixels.div_ceil(MAP_BITS)
}
