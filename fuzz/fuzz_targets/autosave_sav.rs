//! Any bytes as a save file of autosave: they are refused with a place, or each line has a name.
//!
//! `cargo +nightly fuzz run autosave_sav`
#![no_main]

use livetime_control::settings::autosave::parse_sav;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| match parse_sav(bytes) {
    Ok(sav) => assert!(sav.lines.iter().all(|line| !line.name.is_empty() && line.line > 0)),
    Err(error) => assert!(!error.to_string().is_empty()),
});
