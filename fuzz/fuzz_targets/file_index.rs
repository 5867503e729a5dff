//! Any bytes as an index of a recorded file, as they are and with a right heading and checksum: places that lie in the
//! file, one behind the other, or an error.
//!
//! `cargo +nightly fuzz run --no-default-features file_index`
#![no_main]

use livetime_formats::file::{FileEnds, Head, parse_index};
use livetime_formats::{xtc1, xtc2};
use twox_hash::XxHash3_64;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    check::<xtc1::DatagramHeader>(input);
    check::<xtc2::DatagramHeader>(input);
});

fn check<H: Head>(input: &[u8]) {
    let Some((size, heads)) = input.split_first_chunk::<8>() else { return };
    let ends = FileEnds { bytes: u64::from_le_bytes(*size), hash: 7 };
    judge::<H>(input, ends);
    let heads = &heads[..heads.len() / H::LEN * H::LEN];
    // The size that fits is found only by chance, so the lengths of the heads give it.
    let lengths = heads.chunks_exact(H::LEN).map(|head| H::parse(head).map_or(0, |head| head.length()));
    let sum = lengths.fold(0, u64::saturating_add);
    for bytes in [ends.bytes, sum] {
        let ends = FileEnds { bytes, ..ends };
        let words = [u64::from_le_bytes(*b"LTINDEX\x01"), bytes, ends.hash, H::LEN as u64, (heads.len() / H::LEN) as u64];
        let mut index: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
        index.extend_from_slice(heads);
        index.extend_from_slice(&XxHash3_64::oneshot(&index).to_le_bytes());
        judge::<H>(&index, ends);
    }
}

fn judge<H: Head>(index: &[u8], ends: FileEnds) {
    let Ok(all) = parse_index::<H>(index, ends) else { return };
    let mut next = 0;
    for (offset, head) in &all {
        assert_eq!(*offset, next);
        next += head.length();
    }
    assert_eq!(next, ends.bytes);
}
