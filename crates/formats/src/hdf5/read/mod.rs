//! Reading a file: [`mod@file`] opens it and follows names, [`mod@array`] reads the rows of a data set, [`mod@survey`]
//! lists the objects. All bytes may be anything: sizes are checked before they are used, and [`input`] bounds the
//! number of bytes that are read.

mod array;
mod copy;
mod file;
mod fractal;
mod global;
mod header;
mod index;
mod input;
mod kind;
mod layout;
mod links;
mod pipeline;
mod recover;
mod selection;
mod space;
mod spans;
mod start;
mod survey;
mod tree2;

pub use array::{Array, Filled, Scratch};
pub use file::{Content, Found, Hdf5};
pub use kind::{ElementKind, Kind};
pub use recover::{Recovered, recover};
pub use survey::{DataSet, Survey, survey, survey_of};
