//! Pictures of 8 bits as JPEG, with checks around a decoder that reads untrusted bytes.

use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use image::codecs::jpeg::{JpegDecoder, JpegEncoder};
use image::{ColorType, ExtendedColorType, ImageDecoder};
use livetime_frame::{ColorMode, DType, Layout};

use super::error::{PackError, Panicked};
use crate::error::Mismatch;

/// Writes a picture to the empty `out`. Loses detail: `quality` is 1 to 100.
///
/// # Errors
/// For arrays that are not pictures of u8, mono or RGB1.
pub(crate) fn encode(
    layout: &Layout,
    pixels: &[u8],
    quality: u8,
    out: &mut Vec<u8>,
) -> Result<(), PackError> {
    let (width, height) = size(layout)?;
    let color =
        if layout.color() == ColorMode::Rgb1 { ExtendedColorType::Rgb8 } else { ExtendedColorType::L8 };
    Ok(JpegEncoder::new_with_quality(out, quality).encode(pixels, width.into(), height.into(), color)?)
}

/// Reads a picture of exactly this layout into `out`, which has its size.
///
/// # Errors
/// If it is another picture, or broken.
pub(crate) fn decode(stream: &[u8], layout: &Layout, out: &mut [u8]) -> Result<(), PackError> {
    let (width, height) = size(layout)?;
    guarded(|| {
        // A frame that is cut short would become a picture with a gray part, without an error.
        if !is_complete(stream) {
            return Err(not_whole().into());
        }
        let decoder = JpegDecoder::new(Cursor::new(stream))?;
        let found = (decoder.dimensions(), decoder.color_type());
        let color = if layout.color() == ColorMode::Rgb1 { ColorType::Rgb8 } else { ColorType::L8 };
        // The stream comes from outside, and `read_image` panics for a buffer of another size.
        if found != ((width.into(), height.into()), color) {
            return Err(Mismatch::new(format!("a JPEG of {layout}"), format!("{found:?}")).into());
        }
        Ok(decoder.read_image(out)?)
    })
}

/// Width and height.
fn size(layout: &Layout) -> Result<(u16, u16), Mismatch> {
    let wanted = "a picture of u8, mono or RGB1, of at most 65535 x 65535";
    let dims = layout.dims().len();
    let fits = match layout.color() {
        ColorMode::Mono | ColorMode::Bayer => dims <= 2,
        ColorMode::Rgb1 => dims == 3,
        _ => false,
    };
    // JPEG has 16 bits for a side, and a side of 0 means that the height follows later.
    let side = |pixels: usize| u16::try_from(pixels).ok().filter(|side| *side > 0);
    match (side(layout.width()), side(layout.height())) {
        (Some(width), Some(height)) if fits && layout.dtype() == DType::U8 => Ok((width, height)),
        _ => Err(Mismatch::new(wanted, layout.to_string())),
    }
}

/// A codec that trips over one frame must not take the run along: others follow.
pub(crate) fn guarded<R, E: From<Panicked>>(work: impl FnOnce() -> Result<R, E>) -> Result<R, E> {
    // The caller drops the outcome of a panic, so no half-changed state is seen.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(Panicked.into()))
}

/// A file that ends too early.
pub(crate) fn not_whole() -> Mismatch {
    Mismatch::new("a whole JPEG", "one without its end")
}

/// Whether the end marker comes after the pixels: the decoder fills missing pixels with gray instead of failing. The
/// function walks the segments, because an embedded preview has an end marker too.
pub(crate) fn is_complete(bytes: &[u8]) -> bool {
    // The first two bytes are the start marker, which has no length.
    let mut at = 2;
    while let Some(start) = bytes.get(at..).and_then(|rest| rest.iter().position(|b| *b == 0xff)) {
        at += start + 1;
        match bytes.get(at) {
            Some(0xd9) => return true,
            // Fill bytes, escaped 0xff inside pixels, restart markers: no length follows.
            Some(0xff) => {}
            // 0xd9 is the end and was matched before.
            Some(0x00 | 0x01 | 0xd0..=0xd8) => at += 1,
            Some(_) => match bytes.get(at + 1..at + 3) {
                Some([high, low]) => at += 1 + usize::from(u16::from_be_bytes([*high, *low])),
                _ => return false,
            },
            None => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_of_jpegs() {
        let preview = [0xff, 0xd8, 0xff, 0xe1, 0, 6, 0xff, 0xd8, 0xff, 0xd9, 0xff, 0xda, 0, 2, 7, 0xff, 0, 8];
        assert!(!is_complete(&preview));
        assert!(is_complete(&[&preview[..], &[0xff, 0xd0, 9, 0xff, 0xff, 0xd9, 1]].concat()));
        for len in 0..preview.len() {
            assert!(!is_complete(&preview[..len]));
        }
    }
}
