//! Tables, and the arguments of remote calls.

use std::sync::Arc;

use super::parts::{alarm, time};
use crate::Result;
use crate::data::{Builder, Kind, Structure, Type};

/// `NTTable` with one array per column. `labels` has to be set to as many texts.
pub fn table(columns: &[(&str, Kind)]) -> Result<Arc<Structure>> {
    let value = columns.iter().fold(Builder::new(""), |b, (name, kind)| b.array(name, *kind));
    Builder::new("epics:nt/NTTable:1.0")
        .array("labels", Kind::Str)
        .member("value", value.structure()?)
        .member("descriptor", Kind::Str)
        .member("alarm", alarm())
        .member("timeStamp", time())
        .structure()
}

/// `NTURI`: the name and the arguments of a remote call.
pub fn uri(arguments: &[(&str, Type)]) -> Result<Arc<Structure>> {
    let query = arguments.iter().fold(Builder::new(""), |b, (name, ty)| b.member(name, ty.clone()));
    Builder::new("epics:nt/NTURI:1.0")
        .member("scheme", Kind::Str)
        .member("authority", Kind::Str)
        .member("path", Kind::Str)
        .member("query", query.structure()?)
        .structure()
}
