//! All tests of the crate's public face, as one program.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod changes;
mod client;
mod hostile;
mod masks;
mod pictures;
mod recorded;
mod rules;
mod state;
