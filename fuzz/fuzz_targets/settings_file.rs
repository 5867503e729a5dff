//! Any text as a settings file: it is refused, or written and read again as it is.
//!
//! `cargo +nightly fuzz run settings_file`
#![no_main]

use livetime_control::settings::SettingsFile;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(file) = SettingsFile::parse(text) {
        // Nodes without values are not written.
        let again = SettingsFile::parse(&file.text()).expect("it was written by us");
        assert_eq!(again.text(), file.text());
    }
});
