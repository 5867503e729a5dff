//! Any stream of any codec of the list, and any array. The first byte chooses the codec, the second one its settings.
//!
//! `cargo +nightly fuzz run --no-default-features codec_any`
#![no_main]

mod codec;

use livetime_codecs::{ALL, Settings};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let [which, how, rest @ ..] = input else { return };
    let written: Vec<_> = ALL.iter().filter(|codec| codec.is_written()).collect();
    let codec = written[usize::from(*which) % written.len()];
    let settings = codec.variants.get(usize::from(*how)).map_or(Settings::USUAL, |(_, settings)| *settings);
    codec::check(codec.make(&settings).expect("memory").as_mut(), rest);
});
