//! The frame pool as its users see it; with `--cfg loom` every interleaving of frames that come home.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and what it prints is for those who run it alone"
)]

#[cfg(loom)]
mod loom;
#[cfg(not(loom))]
mod pool;
