//! Corrections of detectors whose pixels tell in which gain stage they were read.

use std::ops::Range;

use livetime_frame::DType;
use livetime_kernels::calibrate::{GainBits, Scratch, Staged, calibrate_staged};
use livetime_kernels::{LengthError, Level};

use super::{ConstantsFile, Corrected, Corrections, plane};
use crate::error::Result;
use crate::{Panel, Picture};

/// The result that tells how many good pixels of all pictures had the gain code of no stage.
pub const UNKNOWN_GAIN: &str = "unknown-gain-codes";

impl Corrections {
    /// The same, if its files can be what they are given for: of gain stages, pedestals and gains have a first axis as long as there are
    /// stages, and all are finite.
    ///
    /// # Errors
    /// If they have not, with the file.
    pub fn checked(self) -> Result<Corrections> {
        let Some(bits) = &self.gain_bits else { return Ok(self) };
        for file in self.pedestal.iter().chain(&self.gain) {
            file.constants.check_stages(bits.stages()).map_err(|e| e.in_file(&file.path))?;
        }
        Ok(self)
    }

    /// Gain bits are bits of 16.
    pub(super) fn check_types(&self, panels: &[Panel]) -> Result<(), (String, String)> {
        let other = panels.iter().find(|panel| self.gain_bits.is_some() && panel.dtype != DType::U16);
        other.map_or(Ok(()), |panel| {
            Err((
                "pixels of u16, whose gain bits are known".into(),
                format!("{} in panel {}", panel.dtype, panel.number),
            ))
        })
    }

    /// How many constants there are of a kind, and for what each of them is.
    pub(super) fn wanted(&self, name: &str, pixels: usize) -> (usize, String) {
        match &self.gain_bits {
            Some(bits) if name != "mask" => (
                bits.stages() * pixels,
                format!("of {} gain stages of each pixel of all panels", bits.stages()),
            ),
            _ => (pixels, "pixel of all panels".into()),
        }
    }

    /// What may be missing where there are constants of several stages.
    pub(super) fn hint(&self, found: usize, pixels: usize) -> &'static str {
        let is_staged = pixels > 0 && found > pixels && found.is_multiple_of(pixels);
        if is_staged && self.gain_bits.is_none() { ", as of gain stages, without gain bits" } else { "" }
    }
}

/// All constants of a file; none without one.
fn values(file: &Option<ConstantsFile>) -> &[f32] {
    file.as_ref().map_or(&[], |file| &file.constants.values)
}

impl Corrected {
    /// A panel whose pixels are in `range` of the constants of a stage. Returns how many have the code of no stage.
    pub(super) fn correct_staged(
        &self,
        bits: &GainBits,
        picture: &Picture<'_>,
        range: Range<usize>,
        out: &mut [f32],
        scratch: &mut Scratch,
    ) -> Result<u64, LengthError> {
        let (pedestal, gain) = (values(&self.corrections.pedestal), values(&self.corrections.gain));
        let constants = Staged {
            bits,
            pedestal: pedestal.get(range.start..).unwrap_or_default(),
            gain: gain.get(range.start..).unwrap_or_default(),
            stride: pedestal.len().max(gain.len()) / bits.stages(),
            good: self.good.get(range).unwrap_or_default(),
        };
        let modes = &self.corrections.common_modes;
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
}
