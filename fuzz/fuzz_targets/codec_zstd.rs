//! Any stream of the codec zstd, and any array.
//!
//! `cargo +nightly fuzz run --no-default-features codec_zstd`
#![no_main]

mod codec;

use livetime_codecs::Zstd;

libfuzzer_sys::fuzz_target!(|input: &[u8]| codec::check(&mut Zstd::new(1).expect("memory"), input));
