//! Types and values, and their encoding.
//!
//! A [`Value`] is flat: one [`Field`] for every field number of its [`Structure`], in the order of the wire.
//! A whole structure is then a run of fields, whatever its nesting, and "bit 7 changed" is `fields[7]`.
//! Lookups by name walk the members of one structure at a time, which for the few members that structures
//! have is faster than a hash; a caller that looks a name up often keeps the number.

mod access;
mod array;
mod build;
mod cache;
mod convert;
mod decode;
mod display;
mod dynamic;
mod encode;
mod field;
mod kind;
mod progress;
mod structure;
mod types;
mod value;

pub use array::{Array, Element};
pub use build::Builder;
pub use cache::{SentTypes, TypeCache};
pub use dynamic::Dynamic;
pub use field::{Chosen, Field, Strings};
pub use kind::{Extent, ScalarType};
#[cfg(feature = "server")]
pub(crate) use progress::{Part, Progress, Stop};
pub use structure::{Member, Node, Structure, Union};
pub use types::Type;
pub use value::Value;

/// How deep types may nest. Types are read by recursion, and a hostile one must not overflow the stack.
pub const MAX_DEPTH: usize = 20;

/// Most fields of a type, fields of its unions and array elements included: a small message can describe a large type.
pub const MAX_FIELDS: usize = 4096;

/// How long names of fields and types may be, in bytes.
pub const MAX_NAME: usize = 500;
