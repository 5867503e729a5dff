//! Links as their users see them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and what it prints is for those who run it alone"
)]

mod carriers;
mod ends;
mod kills;
mod leisure;
mod liars;
mod schedules;
mod stops;
mod wire;
