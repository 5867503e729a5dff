//! Any stream of the codec blockpack, and any array.
//!
//! `cargo +nightly fuzz run --no-default-features codec_blockpack`
#![no_main]

mod codec;

use livetime_codecs::Blockpack;

libfuzzer_sys::fuzz_target!(|input: &[u8]| codec::check(&mut Blockpack::new(), input));
