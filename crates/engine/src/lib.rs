//! engine
// The derives name this crate from outside; this makes the same name work inside.
extern crate self as livetime_engine;
mod param;
pub use livetime_engine_derive::{ParamEnum, Params};
pub use param::*;
