//! False colours for rows of bytes.

use super::look_up::{four_by_four, one_by_one};
use super::{Palette, check};
use crate::bytes::{bytes, bytes_mut};
use crate::level::LevelKind;
use crate::{LengthError, Level, Pixel};

/// Looks up each element, as a byte, in `palette`. Elements are `u8` or `i8`; the bits of an `i8` count as a `u8`, as
/// in areaDetector.
///
/// # Errors
/// [`LengthError`] when the elements are not bytes or the four slices differ in length; nothing has been written
/// then.
///
/// ```
/// use livetime_kernels::{Level, color::{Palette, paint}};
/// let (mut r, mut g, mut b) = ([0], [0], [0]);
/// paint(Level::best(), &[255u8], &Palette::IRON, [&mut r, &mut g, &mut b])?;
/// assert_eq!((r, g, b), ([255], [255], [255]));
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn paint<T: Pixel>(
    level: Level,
    input: &[T],
    palette: &Palette,
    outputs: [&mut [T]; 3],
) -> Result<(), LengthError> {
    LengthError::check("input as bytes", size_of_val(input), input.len())?;
    check(outputs.each_ref().map(|o| o.len()), "an output", input.len())?;
    let (input, outputs) = (bytes(input), outputs.map(bytes_mut));
    match level.kind() {
        // SAFETY: detection found AVX-512 (the level) and VBMI.
        #[cfg(target_arch = "x86_64")]
        LevelKind::Avx512 if super::vbmi::is_there() => unsafe {
            super::vbmi::paint(input, palette, outputs)
        },
        _ => one_by_one(input, palette, outputs),
    }
    Ok(())
}

/// As [`paint`], with the colours of each pixel side by side (RGB1).
///
/// # Errors
/// [`LengthError`] when the elements are not bytes or `output` has not three for each of `input`; nothing has been
/// written then.
pub fn paint_interleaved<T: Pixel>(
    level: Level,
    input: &[T],
    palette: &Palette,
    output: &mut [T],
) -> Result<(), LengthError> {
    LengthError::check("input as bytes", size_of_val(input), input.len())?;
    LengthError::check("output", output.len(), input.len().saturating_mul(3))?;
    let (input, output) = (bytes(input), bytes_mut(output));
    match level.kind() {
        // SAFETY: detection found AVX-512 (the level) and VBMI.
        #[cfg(target_arch = "x86_64")]
        LevelKind::Avx512 if super::vbmi::is_there() => unsafe {
            super::vbmi::paint_interleaved(input, palette, output);
        },
        _ => four_by_four(input, palette, output),
    }
    Ok(())
}
