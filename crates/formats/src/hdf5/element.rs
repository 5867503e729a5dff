//! Types of the elements of data sets and attributes.

use livetime_frame::DType;

use super::bytes::Bytes;

/// The type of an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Element {
    /// A number, little-endian.
    Number(DType),
    /// Text of a fixed number of bytes, at least 1, which ends before the first 0.
    Text(u32),
}

impl Element {
    /// Bytes of an element.
    pub fn bytes(self) -> usize {
        match self {
            Element::Number(dtype) => dtype.bytes(),
            Element::Text(bytes) => bytes as usize,
        }
    }

    /// The message that describes it.
    pub(super) fn message(self) -> Vec<u8> {
        match self {
            Element::Number(dtype @ (DType::F32 | DType::F64)) => float(dtype),
            Element::Number(dtype) => integer(dtype),
            Element::Text(bytes) => text(bytes),
        }
    }
}

const VERSION: u8 = 1 << 4;

fn integer(dtype: DType) -> Vec<u8> {
    let is_signed = matches!(dtype, DType::I8 | DType::I16 | DType::I32 | DType::I64);
    let mut out = Bytes::default();
    out.put(&[VERSION, if is_signed { 8 } else { 0 }, 0, 0]);
    out.u32(dtype.bytes() as u32);
    out.u16(0);
    out.u16(8 * dtype.bytes() as u16);
    out.done()
}

fn float(dtype: DType) -> Vec<u8> {
    let (bits, exponent, mantissa, bias) = match dtype {
        DType::F32 => (32, 8, 23, 127),
        _ => (64, 11, 52, 1023),
    };
    let mut out = Bytes::default();
    // The highest bit of the mantissa is implied; the sign is the highest bit.
    out.put(&[VERSION | 1, 2 << 4, bits - 1, 0]);
    out.u32(u32::from(bits / 8));
    out.u16(0);
    out.u16(u16::from(bits));
    out.put(&[mantissa, exponent, 0, mantissa]);
    out.u32(bias);
    out.done()
}

fn text(bytes: u32) -> Vec<u8> {
    let mut out = Bytes::default();
    // The bits say that a text ends with 0 and is in UTF-8.
    out.put(&[VERSION | 3, 1 << 4, 0, 0]);
    out.u32(bytes);
    out.done()
}
