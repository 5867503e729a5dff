//! All tests of the crate's public face: one program, so that what lies below is linked once.

mod hosts;
mod model;
mod ranges;
mod settings;
mod writers;
