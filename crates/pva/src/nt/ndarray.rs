//! Images.

use std::sync::Arc;

use super::cache::{Key, cached};
use super::parts::{alarm, display, time};
use crate::data::{Builder, Kind, Structure, Type};

/// The attribute that says how colours are laid out: 0 none, 1 Bayer, 2 RGB1, 3 RGB2, 4 RGB3.
pub const COLOR_MODE: &str = "ColorMode";

const MEMBERS: [(&str, Kind); 11] = [
    ("booleanValue", Kind::Bool),
    ("byteValue", Kind::I8),
    ("shortValue", Kind::I16),
    ("intValue", Kind::I32),
    ("longValue", Kind::I64),
    ("ubyteValue", Kind::U8),
    ("ushortValue", Kind::U16),
    ("uintValue", Kind::U32),
    ("ulongValue", Kind::U64),
    ("floatValue", Kind::F32),
    ("doubleValue", Kind::F64),
];

/// The name of the member of an image's `value` that holds pixels of `kind`.
pub fn union_member(kind: Kind) -> Option<&'static str> {
    MEMBERS.into_iter().find(|(_, member)| *member == kind).map(|(name, _)| name)
}

/// `NTNDArray` with its fields in the order of ADCore.
pub fn ndarray() -> Arc<Structure> {
    cached(Key::NdArray, || {
        let pixels = MEMBERS.into_iter().fold(Builder::new(""), |b, (name, kind)| b.array(name, kind));
        let codec = Builder::new("codec_t").member("name", Kind::Str).member("parameters", Type::Any);
        Builder::new("epics:nt/NTNDArray:1.0")
            .optional("value", pixels.union().ok())
            .optional("codec", codec.structure().ok())
            .member("compressedSize", Kind::I64)
            .member("uncompressedSize", Kind::I64)
            .optional("dimension", dimension().structure().ok().map(Type::StructureArray))
            .member("uniqueId", Kind::I32)
            .member("dataTimeStamp", time())
            .structures("attribute", attribute())
            .member("descriptor", Kind::Str)
            .member("alarm", alarm())
            .member("timeStamp", time())
            .member("display", display(Kind::F64))
    })
}

fn dimension() -> Builder {
    let numbers = ["size", "offset", "fullSize", "binning"];
    let numbers = numbers.into_iter().fold(Builder::new("dimension_t"), |b, name| b.member(name, Kind::I32));
    numbers.member("reverse", Kind::Bool)
}

/// `NTAttribute` as images carry it.
pub fn attribute() -> Arc<Structure> {
    cached(Key::Attribute, || {
        Builder::new("epics:nt/NTAttribute:1.0")
            .member("name", Kind::Str)
            .member("value", Type::Any)
            .array("tags", Kind::Str)
            .member("descriptor", Kind::Str)
            .member("alarm", alarm())
            .member("timeStamp", time())
            .member("sourceType", Kind::I32)
            .member("source", Kind::Str)
    })
}
