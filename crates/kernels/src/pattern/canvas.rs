//! An image that is drawn on, and the pattern of sine waves.

use super::{BLOCK, to_pixels};
use crate::{LengthError, Level, Pixel};
use std::fmt;

/// An image, or one colour of it, that is written: `height` rows of `width` samples, `step` from
/// one sample to the next and `stride` from one row to the next.
///
/// `step` is 1 for mono and for colours that lie apart, 3 for pixel-interleaved ones (RGB1).
///
/// ```
/// use livetime_kernels::Canvas;
/// let mut rgb1 = [0u8; 12];
/// // The green samples of 2 x 2 pixels.
/// let green = Canvas::new(&mut rgb1[1..], 2, 2, 3, 6)?;
/// # Ok::<(), livetime_kernels::CanvasError>(())
/// ```
#[derive(Debug)]
pub struct Canvas<'a, T> {
    data: &'a mut [T],
    width: usize,
    height: usize,
    step: usize,
    stride: usize,
}

impl<'a, T> Canvas<'a, T> {
    /// A view of `data`, whose first element is the first sample of the first row.
    ///
    /// # Errors
    /// [`CanvasError`] if `step` is 0, rows overlap or `data` is shorter than the last row needs.
    pub fn new(
        data: &'a mut [T],
        width: usize,
        height: usize,
        step: usize,
        stride: usize,
    ) -> Result<Self, CanvasError> {
        // The last sample needs no step behind it, and the last row no stride.
        let row = match width.checked_sub(1) {
            Some(gaps) => gaps.checked_mul(step).and_then(|last| last.checked_add(1)),
            None => Some(0),
        };
        let needed = match height.checked_sub(1) {
            Some(gaps) => row.and_then(|row| gaps.checked_mul(stride)?.checked_add(row)),
            None => Some(0),
        };
        let fits = needed.is_some_and(|needed| needed <= data.len()) && row.is_some_and(|row| row <= stride);
        match fits && step > 0 {
            true => Ok(Canvas { data, width, height, step, stride }),
            false => Err(CanvasError { width, height, step, stride, len: data.len() }),
        }
    }

    /// A mono image whose rows lie one after the other.
    ///
    /// # Errors
    /// [`CanvasError`] if `data` is shorter than `width * height`.
    pub fn packed(data: &'a mut [T], width: usize, height: usize) -> Result<Self, CanvasError> {
        Canvas::new(data, width, height, 1, width)
    }

    /// Samples in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Samples from one to the next.
    #[inline(always)]
    pub(super) fn step(&self) -> usize {
        self.step
    }

    /// `len` samples of row `y` from column `x` on, with the samples of other colours between them.
    #[inline(always)]
    pub(super) fn part(&mut self, x: usize, y: usize, len: usize) -> &mut [T] {
        match len.checked_sub(1) {
            Some(gaps) => &mut self.data[y * self.stride + x * self.step..][..gaps * self.step + 1],
            None => &mut [],
        }
    }
}

/// The slice does not hold the image that was described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CanvasError {
    width: usize,
    height: usize,
    step: usize,
    stride: usize,
    len: usize,
}

impl fmt::Display for CanvasError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CanvasError { width, height, step, stride, len } = self;
        write!(f, "{height} rows of {width} samples with steps of {step} ")?;
        write!(f, "and a stride of {stride} do not fit in {len} samples")
    }
}

impl std::error::Error for CanvasError {}

/// Adds the sum of a wave along x and a wave along y: `pixel[y][x] += (T)(gain * (wave_x[x] +
/// wave_y[y]))`, with the conversion of [`ramp_row`](crate::ramp_row) and wrapping addition.
///
/// # Errors
/// [`LengthError`] if `wave_x` does not have as many values as a row, or `wave_y` as there are
/// rows.
///
/// ```
/// use livetime_kernels::{Canvas, Level, add_sine};
/// let mut pixels = [10u8; 4];
/// let canvas = Canvas::packed(&mut pixels, 2, 2)?;
/// add_sine(Level::best(), canvas, 2.0, &[0.0, 1.0], &[0.5, -3.0])?;
/// assert_eq!(pixels, [11, 13, 4, 6]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn add_sine<T: Pixel>(
    level: Level,
    mut canvas: Canvas<'_, T>,
    gain: f64,
    wave_x: &[f64],
    wave_y: &[f64],
) -> Result<(), LengthError> {
    LengthError::check("wave_x", wave_x.len(), canvas.width)?;
    LengthError::check("wave_y", wave_y.len(), canvas.height)?;
    let (step, width) = (canvas.step, canvas.width);
    for (y, &value) in wave_y.iter().enumerate() {
        add_row(level, canvas.part(0, y, width), step, gain, wave_x, value);
    }
    Ok(())
}

per_level! {
    fn add_row<T: Pixel>(row: &mut [T], step: usize, gain: f64, wave: &[f64], value: f64) = add_row_body;
}

#[inline(always)]
fn add_row_body<T: Pixel>(row: &mut [T], step: usize, gain: f64, wave: &[f64], value: f64) {
    let mut sums = [0.0; BLOCK];
    for (row, wave) in row.chunks_mut(BLOCK * step).zip(wave.chunks(BLOCK)) {
        for (sum, x) in sums.iter_mut().zip(wave) {
            *sum = gain * (x + value);
        }
        // Behind a shorter last block are older sums, which no pixel takes.
        add_pixels(row, step, &to_pixels(&sums));
    }
}

/// Adds to samples that lie `step` apart.
#[inline(always)]
pub(super) fn add_pixels<T: Pixel>(row: &mut [T], step: usize, pixels: &[T; BLOCK]) {
    if step == 1 {
        for (o, p) in row.iter_mut().zip(pixels) {
            *o = o.add_wrapping(*p);
        }
    } else {
        for (o, p) in row.iter_mut().step_by(step).zip(pixels) {
            *o = o.add_wrapping(*p);
        }
    }
}
