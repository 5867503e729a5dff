//! All tests of the crate against servers, in one program.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    reason = "a test fails by panicking, and its names say what it is"
)]

mod hostile;
mod hostile_s3;
mod lies;
mod ranges;
mod recorded;
mod s3;
mod uploads;
