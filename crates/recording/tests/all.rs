//! All tests of the crate's public face, as one program.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking, and what it prints is for those who run it alone"
)]

mod common;
mod convert;
mod convert_golden;
mod damage;
#[path = "../../formats/tests/common/mod.rs"]
mod datagrams;
mod hdf5;
mod join;
mod lcls2;
mod own_golden;
mod parts;
mod reading;
mod select;
mod small_data;
mod straight;
mod wire;
mod wire_growing;
