//! One value, one array, one choice.

use std::sync::Arc;

use super::cache::{Key, cached};
use super::parts::{alarm, control, display, enumeration, is_number, time, value_alarm};
use crate::data::{Builder, ScalarType, Structure, Type};

/// What comes with a value besides alarm and time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Metadata {
    /// `descriptor`, a text.
    pub descriptor: bool,
    /// `display`.
    pub display: bool,
    /// `control`; only numbers have it.
    pub control: bool,
    /// `valueAlarm`; only numbers have it.
    pub value_alarm: bool,
}

impl Metadata {
    /// As records have it: `display`, `control`, `valueAlarm`.
    pub const RECORD: Metadata =
        Metadata { descriptor: false, display: true, control: true, value_alarm: true };

    /// Nothing but alarm and time.
    pub const NONE: Metadata =
        Metadata { descriptor: false, display: false, control: false, value_alarm: false };
}

/// `NTScalar` as records look to clients.
pub fn scalar(kind: ScalarType) -> Arc<Structure> {
    scalar_with(kind, Metadata::RECORD)
}

/// `NTScalar`.
pub fn scalar_with(kind: ScalarType, metadata: Metadata) -> Arc<Structure> {
    cached(Key::Scalar(kind, metadata), || {
        with(Builder::new("epics:nt/NTScalar:1.0").member("value", kind), kind, metadata)
    })
}

/// `NTScalarArray` as records look to clients.
pub fn scalar_array(kind: ScalarType) -> Arc<Structure> {
    scalar_array_with(kind, Metadata::RECORD)
}

/// `NTScalarArray`.
pub fn scalar_array_with(kind: ScalarType, metadata: Metadata) -> Arc<Structure> {
    cached(Key::ScalarArray(kind, metadata), || {
        let value = Builder::new("epics:nt/NTScalarArray:1.0").member("value", Type::array(kind));
        with(value, kind, metadata)
    })
}

fn with(value: Builder, kind: ScalarType, metadata: Metadata) -> Builder {
    let number = is_number(kind);
    value
        .optional("descriptor", metadata.descriptor.then_some(ScalarType::Str))
        .member("alarm", alarm())
        .member("timeStamp", time())
        .optional("display", metadata.display.then(|| display(kind)))
        .optional("control", (metadata.control && number).then(|| control(kind)))
        .optional("valueAlarm", (metadata.value_alarm && number).then(|| value_alarm(kind)))
}

/// `NTEnum` as records look to clients.
pub fn enumerated() -> Arc<Structure> {
    cached(Key::Enumerated, || {
        let description = Builder::new("").member("description", ScalarType::Str);
        let value = Builder::new("epics:nt/NTEnum:1.0").member("value", enumeration());
        let timed = value.member("alarm", alarm()).member("timeStamp", time());
        timed.optional("display", description.structure().ok())
    })
}
