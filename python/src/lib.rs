//! The extension module `livetime._livetime`, on which the Python package `livetime` is built.
//!
//! The package itself is written in Python (`py/livetime`): names, documentation, types. This crate adds the parts that
//! only Rust has: arrays that are frames, the events of a run, reducers on all cores, codecs, and nodes of a graph that
//! are Python objects. It follows three rules:
//!
//! - Any call that may wait or take long runs detached from the interpreter ([`errors::apart`]), so that other Python
//!   threads continue, and none of our threads waits for a thread that waits for the interpreter.
//! - A panic becomes `livetime.Bug`, and an error one of `livetime.Error`'s kinds.
//! - Each of our threads that calls Python keeps one thread state for its life ([`attach`]).

#![deny(missing_docs)]

mod analysis;
mod array;
mod attach;
mod codecs;
mod command;
mod corrections;
mod epics;
mod errors;
mod events;
mod faces;
mod fork;
mod frame;
mod geometry;
mod graph;
mod node;
mod outlet;
mod plan;
mod recording;
mod records;
mod reducer;
mod run;
mod select;
mod streams;
mod tables;
mod value;

/// The part of the package `livetime` that is written in Rust; users import `livetime`.
#[pyo3::pymodule]
mod _livetime {
    #[pymodule_export]
    use crate::analysis::analyze;
    #[pymodule_export]
    use crate::codecs::{codecs, decode, encode};
    #[pymodule_export]
    use crate::command::{Command, program};
    #[pymodule_export]
    use crate::corrections::Correct;
    #[pymodule_export]
    use crate::events::{Event, Events};
    #[pymodule_export]
    use crate::frame::Frame;
    #[pymodule_export]
    use crate::geometry::Geometry;
    #[pymodule_export]
    use crate::graph::{Graph, describe, schema, type_names};
    #[pymodule_export]
    use crate::node::NodeType;
    #[pymodule_export]
    use crate::outlet::Outlet;
    #[pymodule_export]
    use crate::plan::Plan;
    #[pymodule_export]
    use crate::recording::Recording;
    #[pymodule_export]
    use crate::run::forked;
    #[pymodule_export]
    use crate::run::{Run, end_all};
    #[pymodule_export]
    use crate::select::Selected;
    #[pymodule_export]
    use crate::tables::write_table;
}
