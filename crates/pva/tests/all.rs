//! pvAccess: recorded exchanges, state machines, other implementations, searches.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and what it prints is for those who run it alone"
)]

mod machine;

mod client_machine;
mod client_recorded;
mod fuzzed;
mod golden;
mod own_golden;
mod peers_client;
mod peers_java;
mod peers_server;
mod properties;
mod replay_server;
mod searches;
