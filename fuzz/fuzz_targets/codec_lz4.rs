//! Any stream of the codec lz4, and any array.
//!
//! `cargo +nightly fuzz run --no-default-features codec_lz4`
#![no_main]

mod codec;

use livetime_codecs::Lz4;

libfuzzer_sys::fuzz_target!(|input: &[u8]| codec::check(&mut Lz4::new(), input));
