//! Any stream of the codecs that are only read: LZF, bzip2, bitshuffle alone and with zstd, Blosc 2.
//!
//! `cargo +nightly fuzz run --no-default-features codec_read_only`
#![no_main]

use livetime_codecs::{Bitshuffle, Blosc2, Bzip2, Lzf};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let [kind, low, high, stream @ ..] = input else { return };
    let mut output = vec![0; usize::from(u16::from_le_bytes([*low, *high]))];
    let size = 1 + usize::from(kind >> 4);
    let read = match kind & 15 {
        0 => Lzf.decode(stream, &mut output),
        1 => Bzip2.decode(stream, &mut output),
        2 => Bitshuffle::alone(size, 0).decode(stream, &mut output),
        3 => Bitshuffle::zstd(size).expect("memory").decode(stream, &mut output),
        _ => Blosc2::new().decode(stream, &mut output),
    };
    if let Err(error) = read {
        assert!(!error.to_string().is_empty());
    }
});
