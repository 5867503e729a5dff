//! What a client asks for when it opens an operation: which fields, and options ("pvRequest").
//!
//! A client writes it as a text, [`parse`] makes the structure that is sent; the server makes a [`Selection`] of
//! it.

mod options;
mod selection;
mod text;

pub use options::{AckAny, Dbe, Options, Process};
pub use selection::Selection;
pub use text::parse;
