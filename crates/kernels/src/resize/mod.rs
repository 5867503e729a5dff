//! Enlarging and reducing images: nearest, bilinear, cubic, area.

mod bytes;
#[cfg(target_arch = "x86_64")]
mod bytes_avx2;
#[cfg(target_arch = "x86_64")]
mod bytes_avx512;
mod groups;
mod method;
mod nearest;
mod output;
mod real;
mod rows;
mod taps;
#[cfg(test)]
mod tests;

use crate::fastest::Fastest;
use crate::{LengthError, Level, Pixel, Plane};
use bytes::ByteScratch;
pub use method::ResizeMethod;
use output::Output;
use real::RealScratch;
use std::any::TypeId;
use std::fmt;
use taps::Taps;

/// The size that is wanted, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resize {
    /// How.
    pub method: ResizeMethod,
    /// Pixels in a row of the output.
    pub width: usize,
    /// Rows of the output.
    pub height: usize,
    /// Neighbouring samples that make a pixel: 1, or 3 for pixel-interleaved colours.
    pub samples_per_pixel: usize,
}

/// Tables and rows that are kept from image to image; made anew when sizes, method or type change.
#[derive(Clone, Debug, Default)]
pub struct ResizeScratch {
    made_for: Option<Task>,
    nearest: Vec<usize>,
    bytes: ByteScratch,
    singles: RealScratch<f32>,
    doubles: RealScratch<f64>,
    fastest: Fastest,
}

/// The parameters of the tables.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Task {
    way: Way,
    resize: Resize,
    width: usize,
    height: usize,
}

/// Which arithmetic is used.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Copies,
    Bytes,
    Singles { covered: bool },
    Doubles { covered: bool },
}

/// A sum of this many pixels in `f32` has an error far below the rounding to 16 bits.
const SHORT_MEAN: usize = 64;

/// Enlarges or reduces an image.
///
/// ```text
/// input                       output, rows `stride` samples apart
/// height × width, any stride  resize.height × resize.width
/// ```
///
/// Pixel x covers x .. x + 1, so that its centre is at x + 0.5, and the whole output covers the whole input; beyond the
/// edges the pixels of the edge go on. A pixel is `samples_per_pixel` neighbouring samples, which are resized each for
/// itself; the width of `input` counts samples, the width of `resize` counts pixels.
///
/// Integers are rounded to the nearest and limited to the range of the type. 8-bit unsigned integers are calculated in
/// fixed point and lie within 1 of the exact value (see `bytes.rs`; area reduction: as 16 bits), the others of up to 16
/// bits and `f32` in `f32`, larger ones, `f64`, and long means in `f64`; beyond 2^53 integers lose digits. NaN and
/// infinities spread to those samples in which they have a weight. All levels agree bit for bit. An image that has the
/// wanted size already is copied.
///
/// Source of the meaning: OpenCV `cv::resize` 4, but for area where a side is enlarged by a factor that is not whole: there
/// OpenCV has a kind of bilinear.
///
/// # Errors
/// [`ResizeError`] if the rows of the input are not whole pixels, one of the images has no pixels, or the output has
/// another size than `resize`; nothing has been written then.
///
/// ```
/// use livetime_kernels::{Level, Plane, Resize, ResizeMethod, ResizeScratch, resize};
/// let image = Plane::packed(&[0u8, 80, 160, 240], 2, 2)?;
/// let wanted = Resize { method: ResizeMethod::Bilinear, width: 4, height: 1, samples_per_pixel: 1 };
/// let (mut output, mut scratch) = ([0; 4], ResizeScratch::default());
/// resize(Level::best(), image, &wanted, &mut output, 4, &mut scratch)?;
/// assert_eq!(output, [80, 100, 140, 160]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn resize<T: Pixel>(
    level: Level,
    input: Plane<'_, T>,
    resize: &Resize,
    output: &mut [T],
    stride: usize,
    scratch: &mut ResizeScratch,
) -> Result<(), ResizeError> {
    resize.check(input.width(), input.height(), output.len(), stride)?;
    let samples = resize.samples_per_pixel;
    let mut output = Output { width: resize.width * samples, height: resize.height, data: output, stride };
    let width = input.width() / samples;
    let task =
        Task { way: resize.way::<T>(width, input.height()), resize: *resize, width, height: input.height() };
    scratch.prepare(&task);
    let bytes = (input.width() * task.height + output.width * output.height) * size_of::<T>();
    // Taken out, because the ways borrow the scratch memory.
    let fastest = std::mem::take(&mut scratch.fastest);
    fastest.run(level, bytes, |level| match task.way {
        Way::Copies => nearest::run(input, &scratch.nearest, samples, &mut output),
        Way::Bytes => scratch.bytes.run(level, input.bytes(), &mut output.bytes()),
        Way::Singles { covered } => scratch.singles.run_either(level, input, samples, covered, &mut output),
        Way::Doubles { covered } => scratch.doubles.run_either(level, input, samples, covered, &mut output),
    });
    scratch.fastest = fastest;
    Ok(())
}

impl Resize {
    fn way<T: Pixel>(&self, width: usize, height: usize) -> Way {
        let (area, whole) = (self.method == ResizeMethod::Area, (width, height) == (self.width, self.height));
        let covered = area && (width > self.width || height > self.height);
        let short = width / self.width < SHORT_MEAN && height / self.height < SHORT_MEAN;
        let small = !T::FLOAT && size_of::<T>() <= 2;
        match () {
            () if self.method == ResizeMethod::Nearest || whole => Way::Copies,
            () if TypeId::of::<T>() == TypeId::of::<u8>() && !covered => Way::Bytes,
            () if small && (short || !area) => Way::Singles { covered },
            () if T::FLOAT && size_of::<T>() == 4 && !area => Way::Singles { covered },
            () => Way::Doubles { covered },
        }
    }

    fn check(&self, width: usize, height: usize, len: usize, stride: usize) -> Result<(), ResizeError> {
        let samples = self.samples_per_pixel;
        if samples == 0 || !width.is_multiple_of(samples) {
            return Err(ResizeError::Samples { samples_per_pixel: samples, width });
        }
        let sides = [width / samples, height, self.width, self.height];
        // Tables count samples in 32 bits.
        let most = u32::MAX as usize / 2 / samples;
        if sides.iter().any(|side| !(1..=most).contains(side)) {
            return Err(ResizeError::Size { from: (sides[0], height), to: (self.width, self.height) });
        }
        let row = self.width * samples;
        let needed = (self.height - 1).checked_mul(stride).and_then(|above| above.checked_add(row));
        match needed {
            Some(needed) if stride >= row && needed <= len => Ok(()),
            _ => Err(ResizeError::Output(LengthError {
                what: "output",
                len,
                expected: needed.unwrap_or(usize::MAX),
            })),
        }
    }
}

impl ResizeScratch {
    /// Makes the tables for `task` unless they are there.
    fn prepare(&mut self, task: &Task) {
        if self.made_for == Some(*task) {
            return;
        }
        let (method, samples) = (task.resize.method, task.resize.samples_per_pixel);
        if task.way == Way::Copies {
            let (from, to) = (task.width, task.resize.width);
            self.nearest.clear();
            self.nearest.extend((0..to).map(|x| taps::nearest(x, from, to)));
        } else {
            let columns = Taps::new(method, task.width, task.resize.width);
            let rows = Taps::new(method, task.height, task.resize.height);
            match task.way {
                Way::Copies => {}
                Way::Bytes => self.bytes.prepare(&columns, &rows, samples),
                Way::Singles { .. } => self.singles.prepare(&columns, &rows),
                Way::Doubles { .. } => self.doubles.prepare(&columns, &rows),
            }
        }
        self.made_for = Some(*task);
        // Other sizes may be faster on the other level.
        self.fastest = Fastest::new();
    }
}

/// Why an image could not be resized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResizeError {
    /// A row of the input does not consist of whole pixels.
    Samples {
        /// The number of samples that the caller gave for a pixel.
        samples_per_pixel: usize,
        /// Samples in a row of the input.
        width: usize,
    },
    /// One of the images has no pixels, or more along a side than can be counted.
    Size {
        /// Width and height of the input.
        from: (usize, usize),
        /// Width and height of the output.
        to: (usize, usize),
    },
    /// The output does not hold the result.
    Output(LengthError),
}

impl fmt::Display for ResizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResizeError::Samples { samples_per_pixel, width } => {
                write!(
                    f,
                    "wanted rows of pixels of {samples_per_pixel} samples, found rows of {width} samples"
                )
            }
            ResizeError::Size { from: (w, h), to: (width, height) } => {
                write!(
                    f,
                    "wanted images with pixels, and fewer than 2^31 samples in a row, found {w} x {h} to resize to {width} x {height}"
                )
            }
            ResizeError::Output(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ResizeError {}
