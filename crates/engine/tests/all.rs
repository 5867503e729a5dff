//! Graphs as their users see them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and what it prints is for those who run it alone"
)]

mod common;

mod causes;
mod direct;
mod dynamic;
mod in_order;
mod memory;
mod observation;
mod outlets;
mod rewire;
mod runs;
mod schedules;
mod set_all;
mod under_way;
