//! The carrier against its peers: strangers, hostile ones, and libzmq.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "tests")]

mod curve;
mod hostile;
mod libzmq;
mod meeting;
