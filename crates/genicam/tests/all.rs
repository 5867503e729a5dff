//! The source `genicam` with libaravis and the cameras that it simulates.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod common;
mod fake;
mod pipelines;
mod simulator;
