//! Which events, and which corrections come before the results.

use std::fmt;
use std::path::PathBuf;

use livetime_kernels::calibrate::{CommonMode, GainBits};
use livetime_recording::geometry::{Assembly, Geometry};
use livetime_recording::select::Expression;

use crate::analyze::{ConstantsFile, Corrections, Found, Named, Panel};
use crate::output::{Exit, Failure};

/// Options of `analyze` that select and correct.
#[derive(clap::Args, Debug)]
pub(crate) struct CorrectArgs {
    /// Only events that this expression selects, as 'evr(140) and ebeam.charge > 0.1 and epics("NAME") == 1'.
    #[arg(long, value_name = "EXPRESSION")]
    pub(super) select: Option<Expression>,
    /// Subtract the value in this file from each pixel: .npy, or a text file of psana; for example mean.npy of a dark run.
    #[arg(long, value_name = "FILE")]
    pedestal: Option<PathBuf>,
    /// Multiply each pixel by the value in this file, behind pedestal and common mode.
    #[arg(long, value_name = "FILE")]
    gain: Option<PathBuf>,
    /// The bits of a pixel that tell its gain stage: the first bit and their number as 14:2, with the codes of stages 0, 1 and
    /// 2 as 14:2=0,1,3, or jungfrau, which is the same. Files of pedestal and gain have a first axis of the stages then; pixels with other
    /// codes become 0 and are counted; a common mode is the median of pixels in stage 0.
    #[arg(long, value_name = "BITS")]
    gain_bits: Option<GainBits>,
    /// Pixels that are 0 in this file are bad: they become 0 and count in no common mode.
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// Subtract the median of each row, column, panel, bank=N or bank-row=N, with limits as row,most=50,least=10; may be
    /// repeated, in this order.
    #[arg(long, value_name = "KIND")]
    common_mode: Vec<CommonMode>,
    /// Give the results also as assembled pictures, by this geometry file of psana.
    #[arg(long, value_name = "FILE")]
    geometry: Option<PathBuf>,
}

impl CorrectArgs {
    /// The files, read.
    ///
    /// # Errors
    /// If one cannot be read, or has not the gain stages that there are.
    pub(super) fn corrections(&self) -> Result<Corrections, Failure> {
        let read = |path: &Option<PathBuf>| {
            let read = path.as_ref().map(ConstantsFile::read).transpose();
            read.map_err(|e| Failure::new(Exit::Usage, e))
        };
        let corrections = Corrections {
            pedestal: read(&self.pedestal)?,
            gain: read(&self.gain)?,
            mask: read(&self.mask)?,
            common_modes: self.common_mode.clone(),
            gain_bits: self.gain_bits.clone(),
        };
        corrections.checked().map_err(|e| Failure::new(Exit::Usage, e))
    }

    /// Where the pixels are in assembled pictures.
    ///
    /// # Errors
    /// If the file is no geometry.
    pub(super) fn assembly(&self) -> Result<Option<Assembly>, Failure> {
        let read = |path: &PathBuf| Geometry::read(path).and_then(|geometry| geometry.assembly());
        self.geometry.as_ref().map(read).transpose().map_err(|e| Failure::new(Exit::Usage, e))
    }

    pub(super) fn has_geometry(&self) -> bool {
        self.geometry.is_some()
    }

    /// The first option that is of no use behind a pipeline.
    pub(super) fn first_correction(&self) -> Option<&'static str> {
        let all = [
            (self.pedestal.is_some(), "--pedestal"),
            (self.gain.is_some(), "--gain"),
            (self.gain_bits.is_some(), "--gain-bits"),
            (self.mask.is_some(), "--mask"),
            (!self.common_mode.is_empty(), "--common-mode"),
        ];
        all.into_iter().find(|(is_there, _)| *is_there).map(|(_, option)| option)
    }
}

/// The results, with the assembled pictures of all that have a value for each pixel.
///
/// # Errors
/// If no result has as many values as the geometry has pixels.
pub(super) fn assembled(mut found: Found, assembly: Option<&Assembly>) -> Result<Found, NotAssembled> {
    let Some(assembly) = assembly else { return Ok(found) };
    let pictures: Vec<Named> = found.results.iter().filter_map(|named| named.assembled(assembly)).collect();
    if pictures.is_empty() {
        let pixels: usize = found.layout.panels.iter().map(Panel::pixels).sum();
        let wanted = assembly.places.len();
        return Err(NotAssembled { wanted, pixels });
    }
    found.results.extend(pictures);
    Ok(found)
}

/// No result has as many values as the geometry has pixels.
#[derive(Debug)]
pub(super) struct NotAssembled {
    wanted: usize,
    /// Of the detector.
    pixels: usize,
}

impl fmt::Display for NotAssembled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NotAssembled { wanted, pixels } = self;
        write!(f, "--geometry: wanted results of {wanted} pixels, found a detector of {pixels}")
    }
}
