//! From the bytes of a file to pixels: JPEG, PNG, TIFF.

mod error;

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::Path;

use image::codecs::{jpeg::JpegDecoder, png::PngDecoder};
use image::{ColorType, ImageDecoder, Limits};
use livetime_frame::{ByteSize, ColorMode, DType, Layout};
use tiff::decoder::{Decoder, DecodingSampleType as Sample};

use crate::codec::jpeg::{guarded, is_complete, not_whole};
use crate::error::Mismatch;

pub(crate) use error::PictureError;

/// A picture with known size and pixels still to be decoded.
pub(crate) struct Picture<'a> {
    pub(crate) layout: Layout,
    /// Samples per pixel in the file, where one of them is transparency, which is left out.
    alpha_of: Option<usize>,
    pixels: Pixels<'a>,
}

enum Pixels<'a> {
    Image(Box<dyn ImageDecoder + 'a>),
    Tiff(Box<Decoder<Cursor<&'a [u8]>>>),
}

/// Reads the head of a picture. The content decides about the format, not the name.
///
/// # Errors
/// The wanted and the found value; also when the pixels would take more than `max_bytes`.
pub(crate) fn open(bytes: &[u8], max_bytes: usize) -> Result<Picture<'_>, PictureError> {
    let picture = guarded(|| match bytes {
        [] => Err(Mismatch::new("a picture", "an empty file").into()),
        [0xff, 0xd8, ..] => open_jpeg(bytes),
        [0x89, b'P', b'N', b'G', ..] => open_png(bytes, max_bytes),
        [b'I', b'I', 42 | 43, 0, ..] | [b'M', b'M', 0, 42 | 43, ..] => open_tiff(bytes, max_bytes),
        _ => Err(Mismatch::new("a JPEG, PNG or TIFF picture", "something else").into()),
    })?;
    // Decoders name the size before they decode, so that a small file cannot make the node take any amount of memory.
    let found = decoded_len(&picture.layout, picture.alpha_of);
    if found > max_bytes {
        let wanted = format!("at most {} of pixels", ByteSize(max_bytes as u64));
        return Err(Mismatch::new(wanted, format!("{} ({})", ByteSize(found as u64), picture.layout)).into());
    }
    Ok(picture)
}

/// Bytes of the pixels as the decoder gives them, transparency included.
fn decoded_len(layout: &Layout, alpha_of: Option<usize>) -> usize {
    alpha_of.map_or(layout.span(), |samples| (layout.span() / (samples - 1)).saturating_mul(samples))
}

impl Picture<'_> {
    /// Decodes the pixels into `out`, which has the size of the layout.
    ///
    /// # Errors
    /// The fault of the file.
    pub(crate) fn read(self, out: &mut [u8]) -> Result<(), PictureError> {
        let Some(samples) = self.alpha_of else { return guarded(|| self.pixels.read(out)) };
        let mut scratch = Vec::new();
        let kept = samples - 1;
        let len = decoded_len(&self.layout, self.alpha_of);
        // Memory that is not there is an error of this picture, not the end of the program.
        scratch.try_reserve_exact(len)?;
        scratch.resize(len, 0);
        guarded(|| self.pixels.read(&mut scratch))?;
        let sample = self.layout.dtype().bytes();
        for (to, from) in out.chunks_exact_mut(kept * sample).zip(scratch.chunks_exact(samples * sample)) {
            to.copy_from_slice(&from[..kept * sample]);
        }
        Ok(())
    }
}

impl Pixels<'_> {
    fn read(self, out: &mut [u8]) -> Result<(), PictureError> {
        match self {
            Pixels::Image(decoder) => Ok(decoder.read_image_boxed(out)?),
            Pixels::Tiff(mut decoder) => Ok(decoder.read_image_bytes(out)?),
        }
    }
}

fn open_jpeg(bytes: &[u8]) -> Result<Picture<'_>, PictureError> {
    // The decoder fills the rest of a cut file with grey, so the end of the file is looked for first.
    if !is_complete(bytes) {
        return Err(not_whole().into());
    }
    of_image(JpegDecoder::new(Cursor::new(bytes))?)
}

fn open_png(bytes: &[u8], max_bytes: usize) -> Result<Picture<'_>, PictureError> {
    let mut limits = Limits::default();
    limits.max_alloc = Some(max_bytes as u64);
    of_image(PngDecoder::with_limits(Cursor::new(bytes), limits)?)
}

fn of_image<'a>(decoder: impl ImageDecoder + 'a) -> Result<Picture<'a>, PictureError> {
    let (dtype, color, alpha_of) = match decoder.color_type() {
        ColorType::L8 => (DType::U8, ColorMode::Mono, None),
        ColorType::La8 => (DType::U8, ColorMode::Mono, Some(2)),
        ColorType::Rgb8 => (DType::U8, ColorMode::Rgb1, None),
        ColorType::Rgba8 => (DType::U8, ColorMode::Rgb1, Some(4)),
        ColorType::L16 => (DType::U16, ColorMode::Mono, None),
        ColorType::La16 => (DType::U16, ColorMode::Mono, Some(2)),
        ColorType::Rgb16 => (DType::U16, ColorMode::Rgb1, None),
        ColorType::Rgba16 => (DType::U16, ColorMode::Rgb1, Some(4)),
        other => return Err(Mismatch::new("gray or RGB of 8 or 16 bits", format!("{other:?}")).into()),
    };
    let layout = layout(dtype, color, decoder.dimensions())?;
    Ok(Picture { layout, alpha_of, pixels: Pixels::Image(Box::new(decoder)) })
}

fn open_tiff(bytes: &[u8], max_bytes: usize) -> Result<Picture<'_>, PictureError> {
    let mut limits = tiff::decoder::Limits::default();
    (limits.decoding_buffer_size, limits.intermediate_buffer_size) = (max_bytes, max_bytes);
    let mut decoder = Decoder::new(Cursor::new(bytes))?.with_limits(limits);
    let (size, kind) = (decoder.dimensions()?, decoder.colortype()?);
    let buffer = decoder.image_buffer_layout()?;
    let found = format!("{kind:?} {:?}", buffer.sample_format);
    let refuse = || Mismatch::new("gray or RGB of 8 to 64 bits", found.clone());
    let dtype = match (buffer.sample_type, kind.bit_depth()) {
        (Some(sample), 8 | 16 | 32 | 64) => dtype_of(sample).ok_or_else(refuse)?,
        _ => return Err(refuse().into()),
    };
    let (color, alpha_of) = match (kind, buffer.planes) {
        (tiff::ColorType::Gray(_), 1) => (ColorMode::Mono, None),
        (tiff::ColorType::RGB(_), 1) => (ColorMode::Rgb1, None),
        (tiff::ColorType::RGB(_), 3) => (ColorMode::Rgb3, None),
        (tiff::ColorType::GrayA(_), 1) => (ColorMode::Mono, Some(2)),
        (tiff::ColorType::RGBA(_), 1) => (ColorMode::Rgb1, Some(4)),
        _ => return Err(refuse().into()),
    };
    let layout = layout(dtype, color, size)?;
    let wanted = decoded_len(&layout, alpha_of);
    // A size other than expected would place samples wrongly, so the sizes are compared before decoding.
    if wanted != buffer.complete_len {
        let wanted = format!("{wanted} bytes for {layout}");
        return Err(Mismatch::new(wanted, buffer.complete_len.to_string()).into());
    }
    Ok(Picture { layout, alpha_of, pixels: Pixels::Tiff(Box::new(decoder)) })
}

fn dtype_of(sample: Sample) -> Option<DType> {
    Some(match sample {
        Sample::U8 => DType::U8,
        Sample::U16 => DType::U16,
        Sample::U32 => DType::U32,
        Sample::U64 => DType::U64,
        Sample::I8 => DType::I8,
        Sample::I16 => DType::I16,
        Sample::I32 => DType::I32,
        Sample::I64 => DType::I64,
        Sample::F32 => DType::F32,
        Sample::F64 => DType::F64,
        Sample::F16 => return None,
    })
}

fn layout(dtype: DType, color: ColorMode, (width, height): (u32, u32)) -> Result<Layout, PictureError> {
    if width == 0 || height == 0 {
        return Err(Mismatch::new("a picture with pixels", format!("{width} x {height}")).into());
    }
    Ok(Layout::packed(dtype, color, &color.shape(width as usize, height as usize))?)
}

/// Reads a file into `bytes`, which is emptied first.
///
/// # Errors
/// If the file is larger than `max_bytes`, or the system refuses.
pub(crate) fn read_file(path: &Path, max_bytes: usize, bytes: &mut Vec<u8>) -> Result<(), PictureError> {
    bytes.clear();
    let file = File::open(path)?;
    file.take(max_bytes as u64 + 1).read_to_end(bytes)?;
    if bytes.len() > max_bytes {
        let wanted = format!("a file of at most {}", ByteSize(max_bytes as u64));
        return Err(Mismatch::new(wanted, "a larger one").into());
    }
    Ok(())
}
