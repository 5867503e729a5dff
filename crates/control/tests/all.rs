//! All tests of the crate's public face: one program, so that what lies below is linked once.

#![allow(clippy::unwrap_used, reason = "tests")]

mod hosts;
mod model;
mod ranges;
mod settings;
mod writers;
