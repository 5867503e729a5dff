//! Any text as a pipeline file: it is refused with places, or it is a graph that passes its check.
//!
//! `cargo +nightly fuzz run pipeline_file examples`
#![no_main]

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Err(problems) = livetime::config::parse("fuzz.yaml", text, livetime_nodes::ALL, &[]) {
        assert!(!problems.to_string().is_empty());
    }
});
