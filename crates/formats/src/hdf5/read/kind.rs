//! Types of elements, and single values.

use livetime_frame::{AttributeValue, DType};

use super::super::bytes::NOWHERE;
use super::global;
use super::input::{Fields, Input};
use crate::{Error, Result};

/// Bytes of a number of 16 bits with a point.
const HALF: u32 = 2;
const COMPLEX: &str = "complex numbers, of which real and imaginary parts are to be written as two data sets";

/// The type of an element of a data set or an attribute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A number.
    Number(DType),
    /// Text of a fixed number of bytes.
    Text,
    /// Text of variable length.
    VarText,
    /// Something that is not read here, in words.
    Other(&'static str),
}

/// The type of an element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ElementKind {
    /// Its type.
    pub kind: Kind,
    /// Its bytes in the file.
    pub bytes: u32,
    /// A number whose highest byte comes first.
    pub is_big_endian: bool,
}

impl ElementKind {
    /// The type of numbers, for an element that is one.
    pub fn dtype(&self) -> Option<DType> {
        match self.kind {
            Kind::Number(dtype) => Some(dtype),
            _ => None,
        }
    }

    /// Whether it is a number of 16 bits with a point, which is read as one of 32.
    pub fn is_half(&self) -> bool {
        self.kind == Kind::Number(DType::F32) && self.bytes == HALF
    }

    /// Its bytes when it was read.
    pub fn read_bytes(&self) -> u64 {
        // The widened numbers need twice the room.
        if self.is_half() { 2 * u64::from(HALF) } else { self.bytes.into() }
    }

    /// Why such elements cannot be read; `None`: they can.
    pub(super) fn refused(&self) -> Option<Error> {
        match self.kind {
            Kind::Other(what) => Some(Error::new("elements that are numbers or text", what)),
            _ => None,
        }
    }

    /// In words, for listings: `u16`, `text of 256 bytes`, `a compound type`.
    pub fn name(&self) -> String {
        match self.kind {
            _ if self.is_half() => "f16, which is read as f32".into(),
            Kind::Number(dtype) => dtype.to_string(),
            Kind::Text => format!("text of {} bytes", self.bytes),
            Kind::VarText => "text".into(),
            Kind::Other(what) => what.into(),
        }
    }

    /// Reads the message of a datatype.
    pub(super) fn read(fields: &mut Fields<'_>) -> Result<ElementKind> {
        let (class, bits, bytes) = (fields.u8()?, fields.uint(3)?, fields.uint(4)? as u32);
        let at = fields.place();
        // A size of 0 would divide by zero.
        if bytes == 0 {
            return Err(Error::new("elements of at least a byte", "0").at(at));
        }
        let kind = match class & 15 {
            0 => integer(bits, bytes, fields)?,
            1 => float(bits, bytes, fields)?,
            3 => Kind::Text,
            // An enumeration, as a boolean is one: its numbers.
            8 => return ElementKind::read(fields).map(|base| ElementKind { bytes, ..base }),
            9 if bits & 15 == 1 => Kind::VarText,
            9 => Kind::Other("lists of variable length"),
            6 => compound(bits, fields)?,
            11 => Kind::Other(COMPLEX),
            10 => Kind::Other("an array type"),
            7 => Kind::Other("references"),
            2 | 4 | 5 => Kind::Other("bits, times or opaque bytes"),
            _ => Kind::Other("a type of a later HDF5"),
        };
        // The bit means another thing in types that are not numbers.
        let is_big_endian = matches!(kind, Kind::Number(_)) && bits & 1 != 0;
        Ok(ElementKind { kind, bytes, is_big_endian })
    }

    /// Brings elements of a file into the order of bytes that everything here has.
    pub(super) fn swap(&self, elements: &mut [u8]) {
        // One byte has no order.
        if self.is_big_endian && self.bytes > 1 {
            elements.chunks_exact_mut(self.bytes as usize).for_each(<[u8]>::reverse);
        }
    }

    /// Makes numbers of 32 bits from numbers of 16, which stand in the second half of `output`.
    pub(super) fn widen(&self, output: &mut [u8]) {
        let count = output.len() / 4;
        for number in 0..count {
            // The next numbers that are read lie behind the written ones.
            let from = 2 * (count + number);
            let half = u16::from_le_bytes([output[from], output[from + 1]]);
            output[4 * number..4 * number + 4].copy_from_slice(&widened(half).to_le_bytes());
        }
    }

    /// The values that `bytes`, as they lie in the file `input`, hold. Of a type that is not read: none.
    pub(super) fn values(&self, bytes: &[u8], input: Option<&Input<'_>>) -> Vec<AttributeValue> {
        let mut bytes = bytes.to_vec();
        self.swap(&mut bytes);
        let elements = bytes.chunks_exact(self.bytes.max(1) as usize);
        elements.filter_map(|element| self.value(element, input)).collect()
    }

    fn value(&self, element: &[u8], input: Option<&Input<'_>>) -> Option<AttributeValue> {
        match self.kind {
            Kind::Number(dtype) => Some(number(dtype, element)),
            Kind::Text => Some(AttributeValue::Text(text(element).into())),
            Kind::VarText => {
                let mut fields = Fields::new(element, 0);
                let (length, at, number) = (fields.uint(4).ok()?, fields.uint(8).ok()?, fields.uint(4).ok()?);
                // An empty text of variable length has no place.
                if length == 0 || at == 0 || at == NOWHERE {
                    return Some(AttributeValue::Text("".into()));
                }
                let (bytes, _) = global::object(input?, at, number).ok()?;
                Some(AttributeValue::Text(text(bytes.get(..length as usize)?).into()))
            }
            Kind::Other(_) => None,
        }
    }
}

/// A compound type: h5py writes complex numbers as two parts, the first with the name `r`.
fn compound(bits: u64, fields: &mut Fields<'_>) -> Result<Kind> {
    let is_complex = bits & 0xffff == 2 && fields.rest().starts_with(b"r\0");
    Ok(Kind::Other(if is_complex { COMPLEX } else { "a compound type" }))
}

/// The number of 32 bits that is the same as one of 16 (IEEE 754: a sign, five bits of exponent, ten of mantissa).
fn widened(half: u16) -> f32 {
    let (sign, exponent, mantissa) =
        // The mantissa of 23 bits leaves room for the 10 of a half.
        (u32::from(half & 0x8000) << 16, u32::from(half >> 10 & 31), u32::from(half & 1023));
    match (exponent, mantissa) {
        // Below the smallest normal one: a multiple of 2^-24.
        (0, _) => f32::from_bits((mantissa as f32 / 16_777_216.0).to_bits() | sign),
        // Infinity and NaN keep their meaning.
        (31, _) => f32::from_bits(sign | 0x7f80_0000 | mantissa << 13),
        // The exponents differ by 127 - 15.
        _ => f32::from_bits(sign | (exponent + 112) << 23 | mantissa << 13),
    }
}

fn integer(bits: u64, bytes: u32, fields: &mut Fields<'_>) -> Result<Kind> {
    let (offset, precision) = (fields.uint(2)?, fields.uint(2)?);
    let is_signed = bits & 8 != 0;
    // Bits with a gap are no integer of the machine.
    if offset != 0 || precision != 8 * u64::from(bytes) {
        return Ok(Kind::Other("integers of odd bits"));
    }
    Ok(match (bytes, is_signed) {
        (1, false) => Kind::Number(DType::U8),
        (2, false) => Kind::Number(DType::U16),
        (4, false) => Kind::Number(DType::U32),
        (8, false) => Kind::Number(DType::U64),
        (1, true) => Kind::Number(DType::I8),
        (2, true) => Kind::Number(DType::I16),
        (4, true) => Kind::Number(DType::I32),
        (8, true) => Kind::Number(DType::I64),
        _ => Kind::Other("integers of an odd size"),
    })
}

fn float(bits: u64, bytes: u32, fields: &mut Fields<'_>) -> Result<Kind> {
    let parts = fields.take(12)?;
    // Where exponent and mantissa are, and how long.
    Ok(match (bytes, &parts[4..8], bits & 0x40) {
        (HALF, [10, 5, 0, 10], 0) => Kind::Number(DType::F32),
        (4, [23, 8, 0, 23], 0) => Kind::Number(DType::F32),
        (8, [52, 11, 0, 52], 0) => Kind::Number(DType::F64),
        _ => Kind::Other("floating-point numbers of another kind than 16, 32 and 64 bits"),
    })
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    // Text is filled with zeros or with blanks.
    String::from_utf8_lossy(&bytes[..end]).trim_end().to_owned()
}

fn number(dtype: DType, element: &[u8]) -> AttributeValue {
    let mut raw = [0; 8];
    raw[..element.len().min(8)].copy_from_slice(&element[..element.len().min(8)]);
    let bits = u64::from_le_bytes(raw);
    match dtype {
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => AttributeValue::Uint(bits),
        DType::I8 => AttributeValue::Int((bits as i8).into()),
        DType::I16 => AttributeValue::Int((bits as i16).into()),
        DType::I32 => AttributeValue::Int((bits as i32).into()),
        DType::I64 => AttributeValue::Int(bits as i64),
        DType::F32 => AttributeValue::Float(f32::from_bits(bits as u32).into()),
        DType::F64 => AttributeValue::Float(f64::from_bits(bits)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_become_the_same_numbers() {
        let known =
            [(0, 0.0), (0x8000, -0.0), (1, 5.960_464_5e-8), (0x03ff, 6.097_555e-5), (0x0400, 6.103_515_6e-5)];
        let more = [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x7c00, f32::INFINITY),
            (0xfc00, f32::NEG_INFINITY),
        ];
        for (half, wanted) in known.into_iter().chain(more) {
            assert_eq!(widened(half).to_bits(), f32::to_bits(wanted), "{half:#x}");
        }
        assert!(widened(0x7e00).is_nan());
        let kind = ElementKind { kind: Kind::Number(DType::F32), bytes: 2, is_big_endian: false };
        let mut output = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0x3c, 0, 0xc0];
        output[6..12].copy_from_slice(&[0, 0x3c, 0, 0xc0, 1, 0]);
        kind.widen(&mut output);
        let numbers: Vec<f32> =
            output.chunks(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        assert_eq!(numbers, [1.0, -2.0, 5.960_464_5e-8]);
    }
}
