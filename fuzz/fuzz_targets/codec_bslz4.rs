//! Any stream of the codec bslz4, and any array.
//!
//! `cargo +nightly fuzz run --no-default-features codec_bslz4`
#![no_main]

mod codec;

use livetime_codecs::Bslz4;

libfuzzer_sys::fuzz_target!(|input: &[u8]| codec::check(&mut Bslz4::new(), input));
