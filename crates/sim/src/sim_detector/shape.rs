//! Size and colours of the whole picture, and where each colour lies in it.

use livetime_engine::NodeError;
use livetime_frame::ColorMode;
use livetime_kernels::{Canvas, Pixel};

/// Size and colours of the whole picture.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Shape {
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) color: ColorMode,
}

impl Shape {
    /// 1, or 3 with colours.
    pub(super) fn colors(&self) -> usize {
        if self.color.is_rgb() { 3 } else { 1 }
    }

    /// Samples of the picture.
    pub(super) fn len(&self) -> usize {
        self.width * self.height * self.colors()
    }

    /// Where the first sample of a colour lies, samples from one to the next, and from row to row.
    pub(super) fn place(&self, color: usize) -> (usize, usize, usize) {
        match self.color {
            ColorMode::Rgb1 => (color, 3, 3 * self.width),
            ColorMode::Rgb2 => (color * self.width, 1, 3 * self.width),
            ColorMode::Rgb3 => (color * self.width * self.height, 1, self.width),
            _ => (0, 1, self.width),
        }
    }

    /// One colour of `pixels`, to be drawn on.
    pub(super) fn canvas<'a, T>(
        &self,
        pixels: &'a mut [T],
        color: usize,
    ) -> Result<Canvas<'a, T>, NodeError> {
        let (first, step, stride) = self.place(color);
        // A picture without pixels has no first sample.
        let pixels = pixels.get_mut(first..).unwrap_or_default();
        Canvas::new(pixels, self.width, self.height, step, stride).map_err(NodeError::new)
    }
}

/// `len` zeros. Memory for pictures that the detector keeps is not taken from the pool; a size that no
/// machine has must not end the process.
pub(super) fn zeros<T: Pixel>(len: usize) -> Result<Vec<T>, NodeError> {
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(len).map_err(|e| {
        NodeError::new(format_args!("wanted memory for a picture of {len} samples, found none: {e}"))
    })?;
    zeros.resize(len, T::default());
    Ok(zeros)
}
