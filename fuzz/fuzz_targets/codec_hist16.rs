//! Any stream of the codec hist16, and any array.
//!
//! `cargo +nightly fuzz run --no-default-features codec_hist16`
#![no_main]

mod codec;

use livetime_codecs::Hist16;

libfuzzer_sys::fuzz_target!(|input: &[u8]| codec::check(&mut Hist16::new(), input));
