//! The constants of the pixels of a detector, and whether they fit one.

use std::path::PathBuf;
use std::sync::Arc;

use livetime_frame::DType;
use livetime_kernels::calibrate::{CommonMode, GainBits};
use livetime_recording::Constants;

use crate::error::{Error, Result};
use crate::{Layout, Panel};

/// The constants of the pixels of a detector, and how its pictures are corrected.
///
/// Constants have an element for each pixel of all panels together, in the order of the panels.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Corrections {
    /// The subtrahends.
    pub pedestal: Option<ConstantsFile>,
    /// The factors of the differences.
    pub gain: Option<ConstantsFile>,
    /// 0 for a bad pixel, which becomes 0; anything else for a good one.
    pub mask: Option<ConstantsFile>,
    /// Common modes, in the order in which they are subtracted: after the pedestal and before the gain.
    pub common_modes: Vec<CommonMode>,
    /// The place of the gain stage in pixels of 16 bits; pedestals and gains then have a first axis of the stages. A
    /// pixel with the code of no stage becomes 0, and is counted in the result [`UNKNOWN_GAIN`](crate::UNKNOWN_GAIN).
    /// Common modes are computed from pixels in stage 0, and subtracted from these.
    pub gain_bits: Option<GainBits>,
}

/// Constants, and the file that they are from.
#[derive(Clone, PartialEq, Debug)]
pub struct ConstantsFile {
    /// Absolute path of the file.
    pub path: PathBuf,
    /// The constants in the file.
    pub constants: Arc<Constants>,
}

impl ConstantsFile {
    /// Reads it.
    ///
    /// # Errors
    /// As [`Constants::read`], or if its path is no UTF-8.
    pub fn read(path: impl Into<PathBuf>) -> Result<ConstantsFile> {
        let path: PathBuf = path.into();
        // The path is kept as an absolute one, because another process reads the description.
        let path = std::path::absolute(&path).unwrap_or(path);
        // The description is text.
        if path.to_str().is_none() {
            return Err(Error::refused("a path in UTF-8", path.display().to_string()));
        }
        let constants = Constants::read(&path)?;
        Ok(ConstantsFile { path, constants: Arc::new(constants) })
    }
}

impl Corrections {
    /// Whether nothing is corrected.
    pub fn is_empty(&self) -> bool {
        *self == Corrections::default()
    }

    /// The files, with the names of their constants.
    pub(super) fn files(&self) -> impl Iterator<Item = (&'static str, &ConstantsFile)> {
        let all = [("pedestal", &self.pedestal), ("gain", &self.gain), ("mask", &self.mask)];
        all.into_iter().filter_map(|(name, file)| file.as_ref().map(|file| (name, file)))
    }

    /// Whether the constants fit a detector.
    ///
    /// # Errors
    /// If there are not as many as it has pixels, or its panels are no pictures.
    pub fn check(&self, layout: &Layout) -> Result<()> {
        self.check_panels(&layout.panels).map_err(|(wanted, found)| Error::refused(wanted, found))
    }

    pub(super) fn check_panels(&self, panels: &[Panel]) -> Result<(), (String, String)> {
        // Constants belong to pixels, and an array of any length has no fixed ones.
        if let Some(panel) = panels.iter().find(|panel| panel.has_any_length()) {
            return Err(("pictures to correct".into(), format!("arrays of the shape {:?}", panel.shape)));
        }
        self.check_types(panels)?;
        let pixels: usize = panels.iter().map(Panel::pixels).sum();
        for (name, file) in self.files() {
            let found = file.constants.values.len();
            let (count, each) = self.wanted(name, pixels);
            if found != count {
                let wanted = format!("{count} values of `{name}`, one for each {each}");
                return Err((
                    wanted,
                    // The hint names the usual mistake.
                    format!("{found} in {}{}", file.path.display(), self.hint(found, pixels)),
                ));
            }
        }
        Ok(())
    }

    /// The layout of corrected pictures.
    pub fn corrected(&self, layout: &Layout) -> Layout {
        let panel = |panel: &Panel| Panel { dtype: DType::F32, ..panel.clone() };
        Layout {
            panels: layout.panels.iter().map(panel).collect(),
            first_values: self.corrected_range(layout.first_values),
        }
    }

    /// The range of the values of a picture: for a histogram without a range.
    fn corrected_range(&self, (low, high): (f64, f64)) -> (f64, f64) {
        // No value was found, so there is nothing to correct.
        if low > high {
            return (low, high);
        }
        let extremes = |file: &Option<ConstantsFile>, otherwise: f64| {
            // NaN marks bad pixels in many files, and an infinite constant would make the range infinite.
            let values = file.iter().flat_map(|file| &file.constants.values).filter(|v| v.is_finite());
            let range = values.fold(None, |range: Option<(f32, f32)>, v| {
                Some(range.map_or((*v, *v), |(low, high)| (low.min(*v), high.max(*v))))
            });
            range.map_or((otherwise, otherwise), |(low, high)| (f64::from(low), f64::from(high)))
        };
        let ((least, most), (weakest, strongest)) =
            (extremes(&self.pedestal, 0.0), extremes(&self.gain, 1.0));
        // The bits of the gain are no part of the value.
        let most_value = self.gain_bits.as_ref().map(|bits| f64::from(bits.value(u16::MAX)));
        let (low, high) = most_value.filter(|most| high > *most).map_or((low, high), |most| (0.0, most));
        // Zero is included, because bad pixels become 0.
        let (low, high) = ((low - most).min(0.0), (high - least).max(0.0));
        let all = [low * weakest, low * strongest, high * weakest, high * strongest];
        (all.into_iter().fold(0.0, f64::min), all.into_iter().fold(0.0, f64::max))
    }

    /// These corrections after a check of their files: with gain stages, pedestals and gains have a first axis as long
    /// as the number of stages, and all values are finite.
    ///
    /// # Errors
    /// The file that fails the check.
    pub fn checked(self) -> Result<Corrections> {
        let Some(bits) = &self.gain_bits else { return Ok(self) };
        for file in self.pedestal.iter().chain(&self.gain) {
            file.constants.check_stages(bits.stages()).map_err(|e| e.in_file(&file.path))?;
        }
        Ok(self)
    }

    /// Gain bits are bits of 16.
    fn check_types(&self, panels: &[Panel]) -> Result<(), (String, String)> {
        let other = panels.iter().find(|panel| self.gain_bits.is_some() && panel.dtype != DType::U16);
        other.map_or(Ok(()), |panel| {
            Err((
                "pixels of u16, whose gain bits are known".into(),
                format!("{} in panel {}", panel.dtype, panel.number),
            ))
        })
    }

    /// The number of constants of a kind, and the use of each of them.
    fn wanted(&self, name: &str, pixels: usize) -> (usize, String) {
        match &self.gain_bits {
            // A bad pixel is bad at every gain, so the mask has no stages.
            Some(bits) if name != "mask" => (
                bits.stages() * pixels,
                format!("of {} gain stages of each pixel of all panels", bits.stages()),
            ),
            _ => (pixels, "pixel of all panels".into()),
        }
    }

    /// Constants that may be missing where there are several stages.
    fn hint(&self, found: usize, pixels: usize) -> &'static str {
        // A whole multiple of the pixels is no accident.
        let is_staged = pixels > 0 && found > pixels && found.is_multiple_of(pixels);
        if is_staged && self.gain_bits.is_none() { ", as of gain stages, without gain bits" } else { "" }
    }
}
