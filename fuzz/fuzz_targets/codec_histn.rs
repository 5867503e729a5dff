//! Any stream of the codec histn, and any array.
//!
//! `cargo +nightly fuzz run --no-default-features codec_histn`
#![no_main]

mod codec;

use livetime_codecs::HistN;

libfuzzer_sys::fuzz_target!(|input: &[u8]| codec::check(&mut HistN::new(), input));
