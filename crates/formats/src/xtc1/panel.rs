//! A picture, or a piece of one, in the bytes of a leaf.

use livetime_frame::{ColorMode, DType, MAX_DIMS};

use crate::{Error, Result};

/// The most axes that pixels may have.
pub(crate) const MOST_AXES: usize = MAX_DIMS;

/// A picture, or one of the pieces in which a detector is read: a quadrant of a CSPad, a link of a pnCCD.
///
/// `header` and `data` together are all its bytes: compression packs `data`, and leaves the headers as they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Panel<'a> {
    /// Number of the quadrant or link; 0 if there is only one.
    pub number: u32,
    /// The bytes before the pixels.
    pub header: &'a [u8],
    /// Everything behind the header: the pixels and the bytes behind them.
    pub data: &'a [u8],
    /// The pixels, row after row, little-endian. They may lie at any address.
    pub pixels: &'a [u8],
    /// Type of a pixel. CSPad's are unsigned here: 14 bits.
    pub dtype: DType,
    /// How colours lie; mono for all that detectors send themselves.
    pub color: ColorMode,
    /// Shape, slowest first. The first `ndim` count.
    pub(crate) shape: [usize; MOST_AXES],
    pub(crate) ndim: usize,
    /// Which sections of a quadrant of a CSPad the first axis holds, one bit for each of eight; 0 for all other detectors.
    pub sections: u8,
}

impl<'a> Panel<'a> {
    /// Shape of the pixels, slowest axis first.
    pub fn shape(&self) -> &[usize] {
        &self.shape[..self.ndim]
    }

    /// Cuts `payload` behind `header` bytes and takes pixels of that shape from there.
    pub(crate) fn cut(payload: &'a [u8], header: usize, dtype: DType, shape: &[usize]) -> Result<Panel<'a>> {
        // An array may be empty; its header is there all the same.
        let Some((header, data)) = payload.split_at_checked(header) else {
            let wanted = format!("{header} bytes and an array {shape:?} of {dtype}");
            return Err(Error::new(wanted, format!("{} bytes", payload.len())));
        };
        Panel::of(header, data, dtype, shape)
    }

    /// Pixels of that shape at the beginning of `data`.
    pub(crate) fn of(header: &'a [u8], data: &'a [u8], dtype: DType, shape: &[usize]) -> Result<Panel<'a>> {
        let count = shape.iter().try_fold(dtype.bytes(), |product, n| product.checked_mul(*n));
        let Some(pixels) = count.and_then(|count| data.get(..count)) else {
            let wanted = format!("an array {shape:?} of {dtype} behind the header");
            return Err(Error::new(wanted, format!("{} bytes", data.len())));
        };
        let mut sizes = [0; MOST_AXES];
        sizes[..shape.len()].copy_from_slice(shape);
        Ok(Panel {
            number: 0,
            header,
            data,
            pixels,
            dtype,
            color: ColorMode::Mono,
            shape: sizes,
            ndim: shape.len(),
            sections: 0,
        })
    }
}
