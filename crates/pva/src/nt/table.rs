//! Tables, and the arguments of remote calls.

use std::sync::Arc;

use super::parts::{alarm, time};
use crate::Result;
use crate::data::{Builder, ScalarType, Structure, Type};

/// `NTTable` with one array per column. `labels` has to be set to as many texts.
pub fn table(columns: &[(&str, ScalarType)]) -> Result<Arc<Structure>> {
    let value = columns.iter().fold(Builder::new(""), |b, (name, kind)| b.array(name, *kind));
    Builder::new("epics:nt/NTTable:1.0")
        .array("labels", ScalarType::Str)
        .member("value", value.structure()?)
        .member("descriptor", ScalarType::Str)
        .member("alarm", alarm())
        .member("timeStamp", time())
        .structure()
}

/// `NTURI`: the name and the arguments of a remote call.
pub fn uri(arguments: &[(&str, Type)]) -> Result<Arc<Structure>> {
    let query = arguments.iter().fold(Builder::new(""), |b, (name, ty)| b.member(name, ty.clone()));
    Builder::new("epics:nt/NTURI:1.0")
        .member("scheme", ScalarType::Str)
        .member("authority", ScalarType::Str)
        .member("path", ScalarType::Str)
        .member("query", query.structure()?)
        .structure()
}
