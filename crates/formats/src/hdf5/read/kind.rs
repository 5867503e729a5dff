//! Types of elements, and single values.

use livetime_frame::{AttributeValue, DType};

use super::super::bytes::NOWHERE;
use super::global;
use super::input::{Fields, Input};
use crate::{Error, Result};

/// What an element of a data set or an attribute is.
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
    /// What it is.
    pub kind: Kind,
    /// Its bytes in the file.
    pub bytes: u32,
    /// A number whose highest byte comes first.
    pub is_big_endian: bool,
}

impl ElementKind {
    /// Of a number, if it is one.
    pub fn dtype(&self) -> Option<DType> {
        match self.kind {
            Kind::Number(dtype) => Some(dtype),
            _ => None,
        }
    }

    /// In words, for listings: `u16`, `text of 256 bytes`, `a compound type`.
    pub fn name(&self) -> String {
        match self.kind {
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
            6 => Kind::Other("a compound type"),
            10 => Kind::Other("an array type"),
            7 => Kind::Other("references"),
            2 | 4 | 5 => Kind::Other("bits, times or opaque bytes"),
            _ => Kind::Other("a type of a later HDF5"),
        };
        let is_big_endian = matches!(kind, Kind::Number(_)) && bits & 1 != 0;
        Ok(ElementKind { kind, bytes, is_big_endian })
    }

    /// Brings elements of a file into the order of bytes that everything here has.
    pub(super) fn swap(&self, elements: &mut [u8]) {
        if self.is_big_endian && self.bytes > 1 {
            elements.chunks_exact_mut(self.bytes as usize).for_each(<[u8]>::reverse);
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

fn integer(bits: u64, bytes: u32, fields: &mut Fields<'_>) -> Result<Kind> {
    let (offset, precision) = (fields.uint(2)?, fields.uint(2)?);
    let is_signed = bits & 8 != 0;
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
        (4, [23, 8, 0, 23], 0) => Kind::Number(DType::F32),
        (8, [52, 11, 0, 52], 0) => Kind::Number(DType::F64),
        _ => Kind::Other("floating-point numbers of another kind than 32 and 64 bits"),
    })
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
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
