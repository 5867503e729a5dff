//! All tests of the crate's public face, as one program.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod common;
mod damage;
mod lcls2;
mod parts;
mod reading;
mod small_data;
