//! A picture as PNG, for scripts and e-mails.

use std::borrow::Cow;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder, ImageResult};
use livetime_frame::{DType, with_dtype};

use super::make::Made;
use super::sample::Sample;

/// The file: `u8` and `u16` as they are, other types, or all with a `range`, scaled to 8 bits, without a range from the lowest
/// to the highest value.
///
/// # Errors
/// When the picture has a form that PNG does not know.
pub(crate) fn png(made: &Made, range: Option<(f64, f64)>) -> ImageResult<Vec<u8>> {
    let header = &made.header;
    let (pixels, is_deep) = match (header.dtype, range) {
        (DType::U8, None) => (Cow::Borrowed(&*made.payload), false),
        // The encoder takes 16-bit samples as the machine has them.
        (DType::U16, None) => (Cow::Borrowed(&*made.payload), true),
        (dtype, range) => (Cow::Owned(with_dtype!(dtype, T => scaled::<T>(&made.payload, range))), false),
    };
    let colour = match (header.colours, is_deep) {
        (1, false) => ExtendedColorType::L8,
        (1, true) => ExtendedColorType::L16,
        (_, false) => ExtendedColorType::Rgb8,
        (_, true) => ExtendedColorType::Rgb16,
    };
    let mut file = Vec::new();
    let encoder = PngEncoder::new_with_quality(&mut file, CompressionType::Fast, FilterType::Adaptive);
    encoder.write_image(&pixels, header.width, header.height, colour)?;
    Ok(file)
}

fn scaled<T: Sample>(payload: &[u8], range: Option<(f64, f64)>) -> Vec<u8> {
    let values =
        || payload.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned::<T>).map(T::number);
    let finite = || values().filter(|value| value.is_finite());
    let (low, high) = range.unwrap_or_else(|| {
        (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max))
    });
    let scale = if high > low { 255.0 / (high - low) } else { 0.0 };
    values().map(|value| ((value - low) * scale).round() as u8).collect()
}
