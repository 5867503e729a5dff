//! Any block of blockpack, past the checksum that would stop it: every level refuses it or reads the same.
//!
//! `cargo +nightly fuzz run --no-default-features codec_blockpack_block`
#![no_main]

use livetime_kernels::Level;
use livetime_kernels::blockpack::{Word, unpack_block};

fn check<T: Word>(block: &[u8], elements: usize) {
    let mut expected = vec![0; elements * size_of::<T>()];
    let found = unpack_block::<T>(Level::PORTABLE, block, None, &mut expected);
    for level in Level::available() {
        let mut output = vec![0; expected.len()];
        assert_eq!(unpack_block::<T>(level, block, None, &mut output), found);
        if found.is_ok() {
            assert_eq!(output, expected);
        }
    }
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let [kind, low, high, block @ ..] = input else { return };
    let elements = usize::from(u16::from_le_bytes([*low, *high])) % 8193;
    match kind % 3 {
        0 => check::<u8>(block, elements),
        1 => check::<u16>(block, elements),
        _ => check::<u32>(block, elements),
    }
});
