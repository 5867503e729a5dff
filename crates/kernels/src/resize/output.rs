//! The image that is written.

use crate::Pixel;
use crate::bytes::bytes_mut;

/// The rows that are written.
pub(super) struct Output<'a, T> {
    pub(super) data: &'a mut [T],
    /// Samples in a row.
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) stride: usize,
}

impl<T: Pixel> Output<'_, T> {
    pub(super) fn row(&mut self, y: usize) -> &mut [T] {
        &mut self.data[y * self.stride..][..self.width]
    }

    /// Row `y + 1` becomes as row `y`.
    pub(super) fn repeat_row(&mut self, y: usize) {
        let start = y * self.stride;
        self.data.copy_within(start..start + self.width, start + self.stride);
    }

    /// The same rows as bytes.
    pub(super) fn bytes(&mut self) -> Output<'_, u8> {
        let size = size_of::<T>();
        let (width, stride) = (self.width * size, self.stride.saturating_mul(size));
        Output { data: bytes_mut(self.data), width, height: self.height, stride }
    }
}
