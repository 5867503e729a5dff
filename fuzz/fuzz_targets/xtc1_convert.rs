//! Any bytes as a file that is converted: refused for a reason of its own, or everything comes back.
//!
//! `cargo +nightly fuzz run --no-default-features xtc1_convert`
#![no_main]

use std::fs;
use std::path::Path;

use livetime_formats::xtc1::compressed::Engine;
use livetime_recording::convert::{Options, ReferenceSource, convert};
use livetime_formats::xtc1::recover::save;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let folder = std::env::temp_dir().join(format!("livetime-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let [file, packed, again] = ["file.xtc", "packed.xtc", "again.xtc"].map(|name| folder.join(name));
    fs::write(&file, input).unwrap();
    for codec in [Engine::HIST16, Engine::HISTN, Engine::BLOCKPACK] {
        let mean = if codec == Engine::BLOCKPACK { ReferenceSource::Mean(2) } else { ReferenceSource::None };
        for reference in [ReferenceSource::None, mean] {
            if change(&file, &packed, codec, reference) && change(&packed, &again, Engine::NONE, ReferenceSource::None) {
                fs::remove_file(&again).unwrap();
            }
            let _ = fs::remove_file(&packed);
        }
    }
    let saved = save(&file, &packed, |_| true).unwrap();
    assert_eq!(saved.bytes + saved.lost_bytes, input.len() as u64);
    let _ = fs::remove_file(&packed);
});

/// Whether there is a new file. The proof must never fail: then this program is wrong, and not the file.
fn change(from: &Path, to: &Path, codec: Engine, reference: ReferenceSource) -> bool {
    let options = Options { codec: Some(codec), reference, workers: 1, ..Options::default() };
    match convert(&[from], to, &options, |_| true) {
        Ok(report) => {
            let lost: u64 = report.lost.iter().map(|l| l.length).sum();
            assert!(report.output_bytes > 0 && lost <= report.input_bytes);
            true
        }
        Err(error) => {
            assert!(!error.to_string().contains("fault"), "{error}");
            false
        }
    }
}
