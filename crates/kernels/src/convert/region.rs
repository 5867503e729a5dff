//! The region of an image and its conversion, with checks.

use super::values::{BLOCK, Overflow};
use crate::LengthError;
use std::fmt;

/// A region of an image and its conversion; see [`convert`](super::convert()).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conversion {
    /// First column of the region, in input pixels.
    pub offset_x: usize,
    /// First row of the region.
    pub offset_y: usize,
    /// Columns of the region, in input pixels; pixels after the last whole bin are not used.
    pub size_x: usize,
    /// Rows of the region.
    pub size_y: usize,
    /// Columns that are added up to one; at least 1.
    pub bin_x: usize,
    /// Rows that are added up to one; at least 1.
    pub bin_y: usize,
    /// Whether the columns of the result are put in reverse order.
    pub reverse_x: bool,
    /// Whether the rows of the result are put in reverse order.
    pub reverse_y: bool,
    /// Divides the sums, in `f64`, before they are converted to the output type.
    pub divide_by: Option<f64>,
    /// The treatment of values that the output type cannot hold.
    pub overflow: Overflow,
    /// Neighbouring samples that make up a pixel: 1 for mono, 3 for pixel-interleaved colours
    /// (RGB1), at most [`Conversion::MAX_SAMPLES`].
    pub samples_per_pixel: usize,
}

impl Conversion {
    /// The largest `samples_per_pixel`.
    pub const MAX_SAMPLES: usize = BLOCK;

    /// All of an image of one sample per pixel, unchanged but for the type.
    pub fn whole(width: usize, height: usize) -> Conversion {
        Conversion {
            offset_x: 0,
            offset_y: 0,
            size_x: width,
            size_y: height,
            bin_x: 1,
            bin_y: 1,
            reverse_x: false,
            reverse_y: false,
            divide_by: None,
            overflow: Overflow::Saturate,
            samples_per_pixel: 1,
        }
    }

    /// Width and height of the result in pixels; (0, 0) if a bin is 0.
    pub fn output_size(&self) -> (usize, usize) {
        let bins = self.size_x.checked_div(self.bin_x).zip(self.size_y.checked_div(self.bin_y));
        bins.unwrap_or((0, 0))
    }

    /// Checks against an image of `width` samples and `height` rows.
    pub(crate) fn check(&self, width: usize, height: usize, output: usize) -> Result<(), ConvertError> {
        let samples = self.samples_per_pixel;
        if samples == 0 || samples > Self::MAX_SAMPLES || !width.is_multiple_of(samples) {
            return Err(ConvertError::Samples { samples_per_pixel: samples, width });
        }
        if self.bin_x == 0 || self.bin_y == 0 {
            return Err(ConvertError::Binning);
        }
        let width = width / samples;
        // Regions come from outside, so their ends may overflow.
        let fits = |offset: usize, size: usize, room| offset.checked_add(size).is_some_and(|end| end <= room);
        if !fits(self.offset_x, self.size_x, width) || !fits(self.offset_y, self.size_y, height) {
            return Err(ConvertError::Region { width, height });
        }
        let (columns, rows) = self.output_size();
        // No larger than the input, which is in memory, so this does not overflow.
        LengthError::check("output", output, columns * rows * samples).map_err(ConvertError::Length)
    }
}

/// Why an image could not be converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConvertError {
    /// A row of the input does not consist of whole pixels.
    Samples {
        /// The requested value.
        samples_per_pixel: usize,
        /// Samples in a row of the input.
        width: usize,
    },
    /// A bin of 0 pixels.
    Binning,
    /// The region is not inside the input.
    Region {
        /// Pixels in a row of the input.
        width: usize,
        /// Rows of the input.
        height: usize,
    },
    /// The output does not have the size of the result.
    Length(LengthError),
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConvertError::Samples { samples_per_pixel, width } => {
                write!(f, "rows of {width} samples do not consist of pixels of {samples_per_pixel} samples")
            }
            ConvertError::Binning => write!(f, "a bin must have at least 1 pixel"),
            ConvertError::Region { width, height } => {
                write!(f, "the region is not inside the image of {width} x {height} pixels")
            }
            ConvertError::Length(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ConvertError {}
