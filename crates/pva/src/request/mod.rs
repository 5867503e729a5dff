//! The request with which a client opens an operation: fields and options ("pvRequest").
//!
//! A client writes it as a text, [`parse`] makes the structure that is sent; the server makes a [`Selection`] of
//! it.

mod options;
mod selection;
mod text;

pub use options::{AckAny, Dbe, Options, Process};
pub use selection::Selection;
pub use text::parse;
