//! Files and wires: samples of other programs, generated trees.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and what it prints is for those who run it alone"
)]

mod common;

mod golden_xtc1;
mod hdf5;
mod hdf5_bounds;
mod hdf5_read;
mod properties;
mod runs;
mod wib_golden;
mod xtc2_samples;
