//! The program as users call it, recorded data and peers included: one test program, because each one is linked with all of ours.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and what it prints is for those who run it alone"
)]

mod common;

mod analyze;
mod analyze_events;
mod bluesky;
mod broken_files;
mod check;
mod convert;
mod damage;
mod documents;
mod full_disk;
mod hdf5;
mod hostile;
mod hostile_ca;
mod hosts;
mod import;
mod index;
mod inspect;
mod join;
#[cfg(feature = "kafka")]
mod kafka;
mod kubernetes;
mod ladder;
mod ledger;
mod links;
mod memory;
mod nodes;
mod objects;
mod observe;
mod pages;
mod pool;
mod pv;
mod pv_ca;
mod pva_breaks;
mod pvs;
mod readme;
mod run;
mod settings;
mod sinks;
mod verify;
mod web;
mod wire;
