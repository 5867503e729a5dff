//! The correction of one panel.

use std::ops::Range;

use livetime_frame::with_dtype;
use livetime_kernels::calibrate::{self, GainBits, Scratch, Staged, calibrate_staged};
use livetime_kernels::{LengthError, Level};

use super::corrections::{ConstantsFile, Corrections};
use crate::Picture;

/// Writes the corrected pixels of a panel, which are in `range` of the constants; `good` is 1 for a good pixel and 0 for
/// a bad one. Returns how many pixels have the gain code of no stage.
pub(super) fn correct(
    corrections: &Corrections,
    good: &[f32],
    picture: &Picture<'_>,
    range: Range<usize>,
    out: &mut [f32],
    scratch: &mut Scratch,
) -> Result<u64, LengthError> {
    match &corrections.gain_bits {
        Some(bits) => correct_staged(corrections, good, bits, picture, range, out, scratch),
        None => correct_plain(corrections, good, picture, range, out, scratch),
    }
}

/// Corrects a panel whose pixels are in `range` of the constants.
fn correct_plain(
    corrections: &Corrections,
    good: &[f32],
    picture: &Picture<'_>,
    range: Range<usize>,
    out: &mut [f32],
    scratch: &mut Scratch,
) -> Result<u64, LengthError> {
    let constants = calibrate::Constants {
        pedestal: slice(&corrections.pedestal, &range),
        gain: slice(&corrections.gain, &range),
        good: good.get(range).unwrap_or_default(),
    };
    let modes = &corrections.common_modes;
    with_dtype!(picture.panel.dtype, T => calibrate::calibrate::<T>(
        Level::best(), picture.bytes, plane(&picture.panel.shape), &constants, modes, scratch, out,
    ))?;
    Ok(0)
}

fn slice<'a>(file: &'a Option<ConstantsFile>, range: &Range<usize>) -> &'a [f32] {
    file.as_ref().and_then(|file| file.constants.values.get(range.clone())).unwrap_or_default()
}

/// Rows and columns of the pictures of a panel.
fn plane(shape: &[usize]) -> (usize, usize) {
    match shape {
        [.., rows, columns] => (*rows, *columns),
        [columns] => (1, *columns),
        [] => (1, 1),
    }
}

/// Corrects a panel whose pixels are in `range` of the constants of a stage. Returns the number of pixels with the code
/// of no stage.
fn correct_staged(
    corrections: &Corrections,
    good: &[f32],
    bits: &GainBits,
    picture: &Picture<'_>,
    range: Range<usize>,
    out: &mut [f32],
    scratch: &mut Scratch,
) -> Result<u64, LengthError> {
    let (pedestal, gain) = (values(&corrections.pedestal), values(&corrections.gain));
    let constants = Staged {
        bits,
        pedestal: pedestal.get(range.start..).unwrap_or_default(),
        gain: gain.get(range.start..).unwrap_or_default(),
        stride: pedestal.len().max(gain.len()) / bits.stages(),
        good: good.get(range).unwrap_or_default(),
    };
    let modes = &corrections.common_modes;
    calibrate_staged(
        Level::best(),
        picture.bytes,
        plane(&picture.panel.shape),
        &constants,
        modes,
        scratch,
        out,
    )
}

/// All constants of a file; none without one.
fn values(file: &Option<ConstantsFile>) -> &[f32] {
    file.as_ref().map_or(&[], |file| &file.constants.values)
}
