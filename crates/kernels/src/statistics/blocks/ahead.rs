//! Vectors of a row, which is read from left to right.

use crate::Pixel;
use crate::vector::{self, Vector};
use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

/// How far ahead of the loads memory is asked for, in bytes.
const AHEAD: usize = 256;

/// The first vector of `from`. Asks for the memory of the vectors to the right as well: rows lie too far apart for the
/// processor to see that the loads go on there.
#[inline(always)]
pub(super) fn load<V: Vector, T: Pixel>(from: &[T]) -> V {
    let ahead = from.as_ptr().cast::<u8>().wrapping_add(AHEAD);
    // SAFETY: every processor of this architecture has the instruction, which never fails, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(ahead.cast()) }
    vector::load(from)
}
