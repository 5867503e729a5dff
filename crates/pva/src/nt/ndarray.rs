//! Images.

use std::sync::Arc;

use super::cache::{TypeKey, cached};
use super::parts::{alarm, display, time};
use crate::data::{Builder, ScalarType, Structure, Type};

/// The attribute that says how colours are laid out: 0 none, 1 Bayer, 2 RGB1, 3 RGB2, 4 RGB3.
pub const COLOR_MODE: &str = "ColorMode";

const MEMBERS: [(&str, ScalarType); 11] = [
    ("booleanValue", ScalarType::Bool),
    ("byteValue", ScalarType::I8),
    ("shortValue", ScalarType::I16),
    ("intValue", ScalarType::I32),
    ("longValue", ScalarType::I64),
    ("ubyteValue", ScalarType::U8),
    ("ushortValue", ScalarType::U16),
    ("uintValue", ScalarType::U32),
    ("ulongValue", ScalarType::U64),
    ("floatValue", ScalarType::F32),
    ("doubleValue", ScalarType::F64),
];

/// The name of the member of an image's `value` that holds pixels of `kind`.
pub fn union_member(kind: ScalarType) -> Option<&'static str> {
    MEMBERS.into_iter().find(|(_, member)| *member == kind).map(|(name, _)| name)
}

/// `NTNDArray` with its fields in the order of ADCore.
pub fn ndarray() -> Arc<Structure> {
    cached(TypeKey::NdArray, || {
        let pixels = MEMBERS.into_iter().fold(Builder::new(""), |b, (name, kind)| b.array(name, kind));
        let codec = Builder::new("codec_t").member("name", ScalarType::Str).member("parameters", Type::Any);
        Builder::new("epics:nt/NTNDArray:1.0")
            .optional("value", pixels.union().ok())
            .optional("codec", codec.structure().ok())
            .member("compressedSize", ScalarType::I64)
            .member("uncompressedSize", ScalarType::I64)
            .optional("dimension", dimension().structure().ok().map(Type::StructureArray))
            .member("uniqueId", ScalarType::I32)
            .member("dataTimeStamp", time())
            .structures("attribute", attribute())
            .member("descriptor", ScalarType::Str)
            .member("alarm", alarm())
            .member("timeStamp", time())
            .member("display", display(ScalarType::F64))
    })
}

fn dimension() -> Builder {
    let numbers = ["size", "offset", "fullSize", "binning"];
    let numbers =
        numbers.into_iter().fold(Builder::new("dimension_t"), |b, name| b.member(name, ScalarType::I32));
    numbers.member("reverse", ScalarType::Bool)
}

/// `NTAttribute` as images carry it.
pub fn attribute() -> Arc<Structure> {
    cached(TypeKey::Attribute, || {
        Builder::new("epics:nt/NTAttribute:1.0")
            .member("name", ScalarType::Str)
            .member("value", Type::Any)
            .array("tags", ScalarType::Str)
            .member("descriptor", ScalarType::Str)
            .member("alarm", alarm())
            .member("timeStamp", time())
            .member("sourceType", ScalarType::I32)
            .member("source", ScalarType::Str)
    })
}
