//! Channel Access: our client with our server and with EPICS base.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod client_server;
mod peers_rsrv;
mod rsrv_beside;
