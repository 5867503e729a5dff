//! Nodes of wire readout: their files, other implementations.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and what it prints is for those who run it alone"
)]

mod hits_parquet;
mod peers_parquet;
mod trigger_records;
