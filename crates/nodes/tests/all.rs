//! Nodes in graphs: recorders, and what does not depend on threads.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and what it prints is for those who run it alone"
)]

mod replay;
#[path = "../src/test_pictures.rs"]
mod test_pictures;
mod xtc_recorder;
