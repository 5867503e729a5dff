//! Any chunk of Blosc, as it is and with sizes that fit, and any array.
//!
//! `cargo +nightly fuzz run --no-default-features codec_blosc`
#![no_main]

mod codec;

use livetime_codecs::{Blosc, BloscCompressor, BloscSettings, BloscShuffle, Codec, DType};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let [how, rest @ ..] = input else { return };
    let compressor = BloscCompressor::ALL[usize::from(how % 4)];
    let shuffle = [BloscShuffle::None, BloscShuffle::Byte, BloscShuffle::Bit][usize::from(how / 4 % 3)];
    let mut codec = Blosc::new(BloscSettings { compressor, level: u32::from(how / 12 % 4), shuffle });
    codec::check(&mut codec, rest);
    fitting(&mut codec, rest);
});

/// The first two bytes choose the size of the array, the rest is a chunk; versions and sizes are put right, so that blocks are read.
fn fitting(codec: &mut Blosc, input: &[u8]) {
    let [low, high, chunk @ ..] = input else { return };
    let elements = u16::from_le_bytes([*low, *high]);
    let mut chunk = chunk.to_vec();
    if chunk.len() < 16 {
        return;
    }
    let length = chunk.len() as u32;
    chunk[..2].copy_from_slice(&[2, 1]);
    chunk[4..8].copy_from_slice(&u32::from(elements).to_le_bytes());
    chunk[10..12].fill(0);
    chunk[12..16].copy_from_slice(&length.to_le_bytes());
    let _ = codec.decode(&chunk, DType::U8, &mut vec![0; usize::from(elements)]);
}
