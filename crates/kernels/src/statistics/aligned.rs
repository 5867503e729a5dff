//! Memory that starts at a cache line, so that no vector load or store touches two.

use std::ops::{Deref, DerefMut};

/// Bytes in a cache line, and in the widest vector.
const LINE: usize = 64;

/// A growing buffer whose first element lies at the start of a cache line.
#[derive(Debug, Default)]
pub(super) struct Aligned<T> {
    data: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Copy + Default> Aligned<T> {
    /// Becomes `len` zeros, within its capacity if that suffices.
    pub(super) fn zeros(&mut self, len: usize) {
        let spare = if len == 0 { 0 } else { LINE / size_of::<T>() };
        self.data.clear();
        self.data.resize(len + spare, T::default());
        // May be "impossible" by its contract; then the buffer is slower and still right.
        self.start = self.data.as_ptr().align_offset(LINE).min(spare);
        self.len = len;
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    #[inline(always)]
    fn deref(&self) -> &[T] {
        &self.data[self.start..][..self.len]
    }
}

impl<T> DerefMut for Aligned<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.data[self.start..][..self.len]
    }
}

/// An array that starts at a cache line.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct Block<T, const N: usize>(pub(super) [T; N]);

impl<T: Copy + Default, const N: usize> Default for Block<T, N> {
    fn default() -> Self {
        Block([T::default(); N])
    }
}
