//! Graphs with simulated detectors, our own golden data of wires, and what does not depend on threads.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and what it prints is for those who run it alone"
)]

mod captures;
mod own_golden;
mod placements;
mod recorder;
mod wire_replay;
