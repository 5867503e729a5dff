//! One value, one array, one choice.

use std::sync::Arc;

use super::cache::{TypeKey, cached};
use super::metadata::Metadata;
use super::parts::{alarm, control, display, enumeration, is_number, time, value_alarm};
use crate::data::{Builder, ScalarType, Structure, Type};

/// `NTScalar` as records look to clients.
pub fn scalar(kind: ScalarType) -> Arc<Structure> {
    scalar_with(kind, Metadata::RECORD)
}

/// `NTScalar`.
pub fn scalar_with(kind: ScalarType, metadata: Metadata) -> Arc<Structure> {
    cached(TypeKey::Scalar(kind, metadata), || {
        with(Builder::new("epics:nt/NTScalar:1.0").member("value", kind), kind, metadata)
    })
}

/// `NTScalarArray` as records look to clients.
pub fn scalar_array(kind: ScalarType) -> Arc<Structure> {
    scalar_array_with(kind, Metadata::RECORD)
}

/// `NTScalarArray`.
pub fn scalar_array_with(kind: ScalarType, metadata: Metadata) -> Arc<Structure> {
    cached(TypeKey::ScalarArray(kind, metadata), || {
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
    cached(TypeKey::Enumerated, || {
        let description = Builder::new("").member("description", ScalarType::Str);
        let value = Builder::new("epics:nt/NTEnum:1.0").member("value", enumeration());
        let timed = value.member("alarm", alarm()).member("timeStamp", time());
        timed.optional("display", description.structure().ok())
    })
}
