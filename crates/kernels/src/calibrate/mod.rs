//! Raw pictures become corrected ones: pedestal, bad pixels, common mode, gain.
//!
//! A pixel `v` with pedestal `p`, gain `g` and the common mode `c` of its group becomes `(v - p - c) * g`, and a bad pixel 0. Without
//! a common mode this is one pass over memory. A common mode is the median of the good pixels of a group, from which the pedestals
//! are subtracted: shifts that all pixels of an amplifier share in one picture.
//!
//! The order of the steps, the groups and the two limits follow psana (`det.calib`, `common_mode_apply` with algorithm
//! 7, whose documentation is the source); like `numpy.median`, the median of an even number of values is the mean of
//! the middle two.
//!
//! [`calibrate_staged`] is for detectors whose pixels tell in which gain stage they were read: it takes the constants of that stage.

mod common_mode;
mod gain_bits;
mod staged;
#[cfg(test)]
mod tests;

use std::marker::PhantomData;
use std::ops::Range;

pub use common_mode::{CommonMode, CommonModeError, Group, Scratch};
pub use gain_bits::{GainBits, GainBitsError};
pub use staged::{Staged, calibrate_staged};

use crate::accumulate::Element;
use crate::{LengthError, Level};

/// The constants of each pixel of a picture. A list that is empty changes nothing; the others have an element for each pixel.
#[derive(Clone, Copy, Default, Debug)]
pub struct Constants<'a> {
    /// The subtrahends.
    pub pedestal: &'a [f32],
    /// The factors of the differences.
    pub gain: &'a [f32],
    /// 1 for a good pixel, 0 for a bad one.
    pub good: &'a [f32],
}

/// Corrects a picture of `rows` x `columns`, or several that lie behind each other.
///
/// `bytes` are little-endian elements of any alignment, as they lie in files. Each picture has common modes of its own.
///
/// ```
/// use livetime_kernels::Level;
/// use livetime_kernels::calibrate::{CommonMode, CommonModeError, Constants, Group, Scratch, calibrate};
///
/// let raw: Vec<u8> = [13u16, 14, 99, 22, 23, 27].into_iter().flat_map(u16::to_le_bytes).collect();
/// let constants = Constants { pedestal: &[10.0; 6], gain: &[2.0; 6], good: &[1.0, 1.0, 0.0, 1.0, 1.0, 1.0] };
/// let rows = [CommonMode { group: Group::Row, most: f32::INFINITY, least_pixels: 1 }];
/// let mut corrected = [0.0; 6];
/// calibrate::<u16>(Level::best(), &raw, (2, 3), &constants, &rows, &mut Scratch::default(), &mut corrected)?;
/// assert_eq!(corrected, [-1.0, 1.0, 0.0, -2.0, 0.0, 8.0]);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
///
/// # Errors
/// [`LengthError`] if the picture or a list of constants does not have as many elements as `out`.
pub fn calibrate<T: Element>(
    level: Level,
    bytes: &[u8],
    (rows, columns): (usize, usize),
    constants: &Constants<'_>,
    modes: &[CommonMode],
    scratch: &mut Scratch,
    out: &mut [f32],
) -> Result<(), LengthError> {
    let pixels = out.len();
    LengthError::check("bytes", bytes.len(), pixels * size_of::<T>())?;
    for (what, list) in [("pedestal", constants.pedestal), ("gain", constants.gain), ("good", constants.good)]
    {
        if !list.is_empty() {
            LengthError::check(what, list.len(), pixels)?;
        }
    }
    if modes.is_empty() {
        for (number, out) in out.chunks_mut(CHUNK).enumerate() {
            let range = number * CHUNK..number * CHUNK + out.len();
            let bytes = &bytes[range.start * size_of::<T>()..range.end * size_of::<T>()];
            subtract::<T>(level, PhantomData, bytes, part(constants.pedestal, &range), out);
            blank(level, part(constants.good, &range), out);
            scale(level, part(constants.gain, &range), out);
        }
        return Ok(());
    }
    // A common mode needs all pixels of its group, so each step goes over the whole picture.
    subtract::<T>(level, PhantomData, bytes, constants.pedestal, out);
    blank(level, constants.good, out);
    subtract_modes(modes, out, constants.good, (rows, columns), scratch);
    scale(level, constants.gain, out);
    Ok(())
}

/// Subtracts from each picture its own common mode.
fn subtract_modes(
    modes: &[CommonMode],
    out: &mut [f32],
    good: &[f32],
    (rows, columns): (usize, usize),
    scratch: &mut Scratch,
) {
    // Chunks of no pixels are not allowed.
    if rows * columns == 0 {
        return;
    }
    for (number, plane) in out.chunks_exact_mut(rows * columns).enumerate() {
        let good = part(good, &(number * plane.len()..(number + 1) * plane.len()));
        modes.iter().for_each(|mode| mode.subtract(plane, good, columns, scratch));
    }
}

/// Pixels that go through all steps before the next ones do: `out` is in the nearest cache then, and memory is read and written once.
const CHUNK: usize = 4096;

/// The elements `range` of a list; empty if the list is.
fn part<'a>(list: &'a [f32], range: &Range<usize>) -> &'a [f32] {
    list.get(range.clone()).unwrap_or_default()
}

/// Elements in a step of the loops: their registers and the conversion's.
const LANES: usize = 16;

per_level! {
    fn subtract<T: Element>(element: PhantomData<T>, bytes: &[u8], pedestal: &[f32], out: &mut [f32])
        = subtract_body::<T>;
}

#[inline(always)]
fn subtract_body<T: Element>(_: PhantomData<T>, bytes: &[u8], pedestal: &[f32], out: &mut [f32]) {
    let whole = out.len() - out.len() % LANES;
    let mut at = 0;
    while at < whole {
        subtract_group::<T, LANES>(bytes, at, pedestal, out);
        at += LANES;
    }
    while at < out.len() {
        subtract_group::<T, 1>(bytes, at, pedestal, out);
        at += 1;
    }
}

#[inline(always)]
fn subtract_group<T: Element, const L: usize>(bytes: &[u8], at: usize, pedestal: &[f32], out: &mut [f32]) {
    let values = T::load::<L>(bytes, at);
    let mut pedestals = [0.0f32; L];
    if let Some(found) = pedestal.get(at..at + L) {
        pedestals.copy_from_slice(found);
    }
    if let Some(out) = out.get_mut(at..at + L) {
        for ((out, value), pedestal) in out.iter_mut().zip(values).zip(pedestals) {
            *out = value.cast::<f32>() - pedestal;
        }
    }
}

per_level! {
    fn blank(good: &[f32], out: &mut [f32]) = blank_body;
}

#[inline(always)]
fn blank_body(good: &[f32], out: &mut [f32]) {
    for (out, good) in out.iter_mut().zip(good) {
        *out = if *good == 0.0 { 0.0 } else { *out };
    }
}

per_level! {
    fn scale(gain: &[f32], out: &mut [f32]) = scale_body;
}

#[inline(always)]
fn scale_body(gain: &[f32], out: &mut [f32]) {
    for (out, gain) in out.iter_mut().zip(gain) {
        *out *= *gain;
    }
}
