//! The content of a field.

use std::sync::Arc;

use super::{Array, Dynamic, ScalarType, Value};

/// Many texts, shared.
pub type Strings = Arc<Vec<String>>;

/// The content of a field. The variant follows from its [`Type`](super::Type).
#[derive(Clone, PartialEq, Debug)]
pub enum Field {
    /// A sub-structure of a [`Value`]: its members are fields of their own.
    Node,
    /// Truth value.
    Bool(bool),
    /// Integer.
    I8(i8),
    /// Integer.
    I16(i16),
    /// Integer.
    I32(i32),
    /// Integer.
    I64(i64),
    /// Integer.
    U8(u8),
    /// Integer.
    U16(u16),
    /// Integer.
    U32(u32),
    /// Integer.
    U64(u64),
    /// Floating point.
    F32(f32),
    /// Floating point.
    F64(f64),
    /// Text.
    Str(String),
    /// Numbers or truth values.
    Array(Array),
    /// Texts.
    Strings(Strings),
    /// A structure inside a union or [`Dynamic`].
    Struct(Box<Value>),
    /// Structures.
    StructArray(Vec<Option<Value>>),
    /// The chosen member of a union.
    Union(Option<Box<Chosen>>),
    /// Chosen members.
    UnionArray(Vec<Option<Chosen>>),
    /// A value with its type.
    Any(Option<Box<Dynamic>>),
    /// Values with their types.
    AnyArray(Vec<Option<Dynamic>>),
}

/// The member of a union that is there.
#[derive(Clone, PartialEq, Debug)]
pub struct Chosen {
    /// Which member.
    pub selector: u32,
    /// Content of the field.
    pub field: Field,
}

impl Field {
    /// Zero, false or the empty text.
    pub fn zero(kind: ScalarType) -> Field {
        match kind {
            ScalarType::Bool => Field::Bool(false),
            ScalarType::I8 => Field::I8(0),
            ScalarType::I16 => Field::I16(0),
            ScalarType::I32 => Field::I32(0),
            ScalarType::I64 => Field::I64(0),
            ScalarType::U8 => Field::U8(0),
            ScalarType::U16 => Field::U16(0),
            ScalarType::U32 => Field::U32(0),
            ScalarType::U64 => Field::U64(0),
            ScalarType::F32 => Field::F32(0.0),
            ScalarType::F64 => Field::F64(0.0),
            ScalarType::Str => Field::Str(String::new()),
        }
    }

    // Also of a fixed array, which encoding fills up with zeros: its length is a claim of the peer.
    pub(crate) fn empty_array(kind: ScalarType) -> Field {
        match kind {
            ScalarType::Str => Field::Strings(Strings::default()),
            // No memory is taken for a length that a peer has claimed.
            kind => Field::Array(Array::empty(kind)),
        }
    }

    /// A number as `f64`; integers of more than 53 bits are rounded. Truth values are 0 and 1.
    pub fn as_f64(&self) -> Option<f64> {
        Some(match *self {
            Field::F64(v) => v,
            Field::F32(v) => v.into(),
            Field::U64(v) => v as f64,
            // The other types are integers that fit.
            _ => self.as_i64()? as f64,
        })
    }

    /// An integer that fits, or a truth value as 0 and 1.
    pub fn as_i64(&self) -> Option<i64> {
        Some(match *self {
            Field::Bool(v) => v.into(),
            Field::I8(v) => v.into(),
            Field::I16(v) => v.into(),
            Field::I32(v) => v.into(),
            Field::I64(v) => v,
            Field::U8(v) => v.into(),
            Field::U16(v) => v.into(),
            Field::U32(v) => v.into(),
            // A number beyond the signed range has no form here.
            Field::U64(v) => v.try_into().ok()?,
            _ => return None,
        })
    }

    /// A truth value.
    pub fn as_bool(&self) -> Option<bool> {
        if let Field::Bool(v) = self { Some(*v) } else { self.as_i64().map(|v| v != 0) }
    }

    /// A text.
    pub fn as_str(&self) -> Option<&str> {
        if let Field::Str(v) = self { Some(v) } else { None }
    }

    /// Numbers; also those in the chosen member of a union or in an "any".
    pub fn as_array(&self) -> Option<&Array> {
        match self {
            Field::Array(array) => Some(array),
            Field::Union(Some(chosen)) => chosen.field.as_array(),
            Field::Any(Some(any)) => any.field().as_array(),
            _ => None,
        }
    }

    /// Texts.
    pub fn as_strings(&self) -> Option<&[String]> {
        if let Field::Strings(v) = self { Some(v) } else { None }
    }

    /// The structure inside a union or "any".
    pub fn as_value(&self) -> Option<&Value> {
        match self {
            Field::Struct(value) => Some(value),
            Field::Union(Some(chosen)) => chosen.field.as_value(),
            Field::Any(Some(any)) => any.field().as_value(),
            _ => None,
        }
    }

    /// The elements of an array of structures.
    pub fn as_values(&self) -> Option<&[Option<Value>]> {
        if let Field::StructArray(v) = self { Some(v) } else { None }
    }
}
