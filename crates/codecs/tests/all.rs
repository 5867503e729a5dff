//! All codecs: what each must do, golden streams, and other implementations.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and what it prints is for those who run it alone"
)]

mod common;
#[path = "common/peers.rs"]
mod peers;

mod blockpack;
mod conformance;
mod golden;
mod own_golden;
mod peers_blosc;
mod peers_hdf5;
mod read_only;
