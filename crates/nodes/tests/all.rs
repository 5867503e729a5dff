//! Nodes in graphs: recorders.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and what it prints is for those who run it alone"
)]

mod xtc_recorder;
