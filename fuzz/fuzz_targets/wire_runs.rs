//! Any bytes as a dump of raw frames and as trigger records: every event is read or refused.
//!
//! `cargo +nightly fuzz run --no-default-features wire_runs`
#![no_main]

use livetime_recording::{Reader, Recording};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let path = std::env::temp_dir().join(format!("livetime-fuzz-{}.wire", std::process::id()));
    std::fs::write(&path, data).expect("a folder that can be written to");
    let opened = Recording::open(&[&path]);
    let _ = std::fs::remove_file(&path);
    let Ok(recording) = opened else { return };
    let mut reader = Reader::default();
    for detector in recording.detectors().expect("known") {
        let account = recording.judge(&detector);
        assert!(account.whole + account.not_whole() <= recording.events() as u64);
    }
    for event in 0..recording.events() {
        let _ = recording.small_data(event, &mut reader);
    }
});
