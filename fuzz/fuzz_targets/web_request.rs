//! Any text as what a client of the page sends: a query, a view, a message of the state's socket. HTTP itself is hyper's.
//!
//! `cargo +nightly fuzz run --no-default-features web_request`
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| livetime_web::read_as_anything(text));
