//! The fields of a detector's records.

use std::fmt;

use livetime_frame::DType;

use crate::Result;
use crate::fields::Fields;

/// Says whose fields a record has: 12 bits for the node, 8 for the detector and algorithm.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NamesId(pub u32);

/// Length of all names in the file.
const NAME: usize = 256;
/// Bytes of one field's description.
const FIELD: usize = 2 * NAME + 12;

/// The algorithm of the values: name and version.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Algorithm {
    /// Its name, as `raw` or `fex`; may be empty for a field.
    pub name: String,
    /// Major, minor, micro.
    pub version: [u8; 3],
}

impl Algorithm {
    fn parse(fields: &mut Fields<'_>) -> Result<Algorithm> {
        let name = fields.text(NAME)?;
        let [_, major, minor, micro] = fields.u32()?.to_be_bytes();
        Ok(Algorithm { name, version: [major, minor, micro] })
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, micro] = self.version;
        write!(f, "{} {major}.{minor}.{micro}", self.name)
    }
}

/// Type of a field's values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FieldType {
    /// Numbers.
    Number(DType),
    /// A text, one byte for each element.
    Text,
    /// A choice by number (`i32`); the field's name ends with `:` and the name of the list.
    EnumValue,
    /// An entry of such a list.
    EnumEntry,
    /// A number without a meaning: the size of the values is not known.
    Other(u32),
}

/// In the order of their numbers.
const NUMBERS: [DType; 10] = [
    DType::U8,
    DType::U16,
    DType::U32,
    DType::U64,
    DType::I8,
    DType::I16,
    DType::I32,
    DType::I64,
    DType::F32,
    DType::F64,
];

impl FieldType {
    fn from_number(number: u32) -> FieldType {
        match number {
            10 => FieldType::Text,
            11 => FieldType::EnumValue,
            12 => FieldType::EnumEntry,
            // A later version may have further types.
            other => NUMBERS.get(other as usize).map_or(FieldType::Other(other), |d| FieldType::Number(*d)),
        }
    }

    /// The type of its values in memory; `None` if it is unknown.
    pub fn dtype(self) -> Option<DType> {
        match self {
            FieldType::Number(dtype) => Some(dtype),
            // Text is a row of bytes.
            FieldType::Text => Some(DType::U8),
            FieldType::EnumValue | FieldType::EnumEntry => Some(DType::I32),
            FieldType::Other(_) => None,
        }
    }
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldType::Number(dtype) => dtype.fmt(f),
            FieldType::Text => f.write_str("text"),
            FieldType::EnumValue => f.write_str("enum"),
            FieldType::EnumEntry => f.write_str("enum entry"),
            FieldType::Other(number) => write!(f, "type {number}"),
        }
    }
}

/// A field of a detector's records.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// The algorithm of its values, if it differs from the algorithm of the whole record.
    pub algorithm: Algorithm,
    /// Type of its values.
    pub field_type: FieldType,
    /// How many axes it has; 0: a single value.
    pub rank: u32,
}

/// A detector's fields.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Names {
    /// The number that its records carry.
    pub id: NamesId,
    /// Kind of detector, as `epix10ka`.
    pub detector_type: String,
    /// Name of the detector in this experiment.
    pub detector: String,
    /// Its serial number.
    pub detector_id: String,
    /// The algorithm of the values.
    pub algorithm: Algorithm,
    /// Which piece of the detector it is.
    pub segment: u32,
    /// Its fields, in the order of their values.
    pub fields: Vec<Field>,
}

impl Names {
    /// Reads the payload of a Names leaf.
    ///
    /// # Errors
    /// If there are fewer bytes than the description of a detector without fields.
    pub fn parse(id: NamesId, payload: &[u8]) -> Result<Names> {
        let mut fields = Fields::new(payload);
        // The number of arrays follows from the fields.
        let _arrays = fields.u32()?;
        let mut names = Names {
            id,
            detector_type: fields.text(NAME)?,
            detector: fields.text(NAME)?,
            detector_id: fields.text(NAME)?,
            algorithm: Algorithm::parse(&mut fields)?,
            segment: fields.u32()?,
            fields: Vec::with_capacity(fields.left() / FIELD),
        };
        // The descriptions fill the rest of the leaf.
        while fields.left() >= FIELD {
            names.fields.push(Field {
                algorithm: Algorithm::parse(&mut fields)?,
                name: fields.text(NAME)?,
                field_type: FieldType::from_number(fields.u32()?),
                rank: fields.u32()?,
            });
        }
        Ok(names)
    }
}
