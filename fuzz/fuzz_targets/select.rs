//! Any text as an expression that selects events: refused, or parsed, and the same again from its own text.
//!
//! `cargo +nightly fuzz run --no-default-features select`
#![no_main]

use livetime_recording::select::Expression;

libfuzzer_sys::fuzz_target!(|input: &str| {
    if let Ok(expression) = input.parse::<Expression>() {
        assert_eq!(expression.to_string().parse::<Expression>().unwrap(), expression);
    }
});
