//! Colours: the three layouts of RGB, grey, mosaics of a colour camera, false colours.
//!
//! All functions work on rows, which a caller keeps in the first-level cache from one to the next.

mod bayer;
mod look_up;
mod paint;
mod palette;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod vbmi;

pub use crate::mix::Mix;
pub use bayer::{Edges, Mosaic};
pub use paint::{paint, paint_interleaved};
pub use palette::Palette;

use crate::{LengthError, Level, Pixel};

/// Puts the three colours of each pixel side by side: planes become RGB1.
///
/// `output` has three elements per pixel. Every element is copied bit by bit.
///
/// # Errors
/// [`LengthError`] when a colour has not a third of the elements of `output`; nothing has been written then.
///
/// ```
/// use livetime_kernels::{Level, color::interleave};
/// let mut output = [0; 6];
/// interleave(Level::best(), [&[1u8, 2], &[3, 4], &[5, 6]], &mut output)?;
/// assert_eq!(output, [1, 3, 5, 2, 4, 6]);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn interleave<T: Pixel>(level: Level, colors: [&[T]; 3], output: &mut [T]) -> Result<(), LengthError> {
    check(colors.map(<[T]>::len), "a colour", output.len() / 3)?;
    LengthError::check("output", output.len(), 3 * colors[0].len())?;
    interleave_row(level, colors, output);
    Ok(())
}

per_level! {
    fn interleave_row<T: Pixel>(colors: [&[T]; 3], output: &mut [T]) = interleave_body;
}

#[inline(always)]
fn interleave_body<T: Pixel>([r, g, b]: [&[T]; 3], output: &mut [T]) {
    for (((pixel, r), g), b) in output.chunks_exact_mut(3).zip(r).zip(g).zip(b) {
        pixel.copy_from_slice(&[*r, *g, *b]);
    }
}

/// Puts each colour into a row of its own: RGB1 becomes planes.
///
/// # Errors
/// [`LengthError`] when an output has not a third of the elements of `input`; nothing has been written then.
///
/// ```
/// use livetime_kernels::{Level, color::separate};
/// let (mut r, mut g, mut b) = ([0], [0], [0]);
/// separate(Level::best(), &[1u8, 2, 3], [&mut r, &mut g, &mut b])?;
/// assert_eq!((r, g, b), ([1], [2], [3]));
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn separate<T: Pixel>(level: Level, input: &[T], outputs: [&mut [T]; 3]) -> Result<(), LengthError> {
    check(outputs.each_ref().map(|o| o.len()), "an output", input.len() / 3)?;
    LengthError::check("input", input.len(), 3 * outputs[0].len())?;
    separate_row(level, input, outputs);
    Ok(())
}

per_level! {
    fn separate_row<T: Pixel>(input: &[T], outputs: [&mut [T]; 3]) = separate_body;
}

#[inline(always)]
fn separate_body<T: Pixel>(input: &[T], [r, g, b]: [&mut [T]; 3]) {
    for (((pixel, r), g), b) in input.chunks_exact(3).zip(r).zip(g).zip(b) {
        (*r, *g, *b) = (pixel[0], pixel[1], pixel[2]);
    }
}

/// The mean of the three colours of each pixel, all with the same weight; see [`Mix`] for how it is rounded.
///
/// # Errors
/// [`LengthError`] when the four slices differ in length; nothing has been written then.
///
/// ```
/// use livetime_kernels::{Level, color::grey};
/// let mut output = [0; 2];
/// grey(Level::best(), [&[1u8, 255], &[2, 255], &[5, 255]], &mut output)?;
/// assert_eq!(output, [2, 255]);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn grey<T: Pixel>(level: Level, colors: [&[T]; 3], output: &mut [T]) -> Result<(), LengthError> {
    check(colors.map(<[T]>::len), "a colour", output.len())?;
    grey_row(level, colors, output);
    Ok(())
}

per_level! {
    fn grey_row<T: Pixel>(colors: [&[T]; 3], output: &mut [T]) = grey_body;
}

#[inline(always)]
fn grey_body<T: Pixel>([r, g, b]: [&[T]; 3], output: &mut [T]) {
    for (((output, r), g), b) in output.iter_mut().zip(r).zip(g).zip(b) {
        *output = T::mean3([*r, *g, *b]);
    }
}

fn check(lengths: [usize; 3], what: &'static str, expected: usize) -> Result<(), LengthError> {
    lengths.into_iter().try_for_each(|len| LengthError::check(what, len, expected))
}
