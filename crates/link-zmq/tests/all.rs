//! The carrier against its peers: strangers, hostile ones, and libzmq.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod hostile;
mod libzmq;
mod meeting;
