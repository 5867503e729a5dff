//! Any stream of the codec lz4hdf5, and any array.
//!
//! `cargo +nightly fuzz run --no-default-features codec_lz4hdf5`
#![no_main]

mod codec;

use livetime_codecs::Lz4Hdf5;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let [block, rest @ ..] = input else { return };
    codec::check(&mut Lz4Hdf5::new(usize::from(*block) * 8), rest);
});
