//! Any block of the dense tier of blockpack, past the checksum that would stop it: every level refuses it or reads the same; and any elements,
//! which come back, packed alike by every level.
//!
//! `cargo +nightly fuzz run --no-default-features codec_blockpack_dense`
#![no_main]

use livetime_kernels::Level;
use livetime_kernels::blockpack::{
    DenseScratch, Word, dense_block_bound, pack_dense_block, unpack_dense_block,
};

fn unpack<T: Word>(block: &[u8], elements: usize) {
    let mut expected = vec![0; elements * size_of::<T>()];
    let found = unpack_dense_block::<T>(Level::PORTABLE, block, None, &mut expected);
    for level in Level::available() {
        let mut output = vec![0; expected.len()];
        assert_eq!(unpack_dense_block::<T>(level, block, None, &mut output), found);
        if found.is_ok() {
            assert_eq!(output, expected);
        }
    }
}

fn pack<T: Word>(bytes: &[u8], elements: usize) {
    let bytes = &bytes[..bytes.len().min(elements * size_of::<T>()) / size_of::<T>() * size_of::<T>()];
    let reference: Vec<u8> = bytes.iter().rev().copied().collect();
    let mut expected = None;
    for level in Level::available() {
        let mut block = vec![0; dense_block_bound::<T>(bytes.len() / size_of::<T>())];
        let mut scratch = DenseScratch::<T>::new();
        let size = pack_dense_block(level, bytes, Some(&reference), &mut scratch, &mut block).unwrap();
        block.truncate(size);
        let mut back = vec![0; bytes.len()];
        assert_eq!(unpack_dense_block::<T>(level, &block, Some(&reference), &mut back), Ok(()));
        assert_eq!(back, bytes);
        assert_eq!(expected.get_or_insert_with(|| block.clone()), &block);
    }
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let [kind, low, high, bytes @ ..] = input else { return };
    let elements = usize::from(u16::from_le_bytes([*low, *high])) % 8193;
    match kind % 6 {
        0 => unpack::<u8>(bytes, elements),
        1 => unpack::<u16>(bytes, elements),
        2 => unpack::<u32>(bytes, elements),
        3 => pack::<u8>(bytes, elements),
        4 => pack::<u16>(bytes, elements),
        _ => pack::<u32>(bytes, elements),
    }
});
