//! Any bytes as a file of raw frames and as a file of FELIX blocks: every byte is in a frame or block, or counted.
//!
//! `cargo +nightly fuzz run --no-default-features wib_dump`
#![no_main]

use livetime_formats::felix::{Assembler, BlockReader};
use livetime_formats::wib::{DumpReader, Wib1Frame, Wib1FrameMut};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    dump(data);
    dump(&with_frames(data));
    blocks(data);
});

fn dump(data: &[u8]) {
    for most in [1, 7, 1000] {
        let mut reader = DumpReader::new(data);
        let mut read = 0;
        while let Some(frames) = reader.next_frames(most).expect("memory can be read") {
            read += frames.len() as u64;
        }
        let bytes = reader.layout().map_or(1, |layout| layout.format.bytes() as u64);
        assert_eq!(reader.frames() * bytes, read);
        let stride = reader.layout().map_or(1, |layout| layout.stride as u64);
        let all = data.len() as u64;
        assert!(read + reader.skipped() <= all && reader.frames() * stride + reader.skipped() + stride >= all.min(stride));
    }
}

/// Good frames with the bytes in between, cut where the bytes say.
fn with_frames(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (i, piece) in data.chunks(200).take(20).enumerate() {
        for n in 0..4 {
            let mut bytes = [piece[0]; Wib1Frame::BYTES];
            let mut frame = Wib1FrameMut::new(&mut bytes).expect("whole");
            frame.set_identity(5, 2, 1);
            frame.set_timestamp((1 << 40) + 25 * (4 * i as u64 + n));
            let whole = if n < 3 { Wib1Frame::BYTES } else { 2 * usize::from(piece[0]) };
            out.extend_from_slice(&bytes[..whole.min(Wib1Frame::BYTES)]);
        }
        out.extend_from_slice(piece);
    }
    out
}

fn blocks(data: &[u8]) {
    let mut reader = BlockReader::new(data);
    let mut assembler = Assembler::new(1 << 16);
    let mut read = 0;
    while let Some(block) = reader.next_block().expect("memory can be read") {
        read += block.len() as u64;
        let _ = assembler.block(block, |chunk, _| assert!(chunk.len() <= 1 << 16));
    }
    assert_eq!(read + reader.skipped(), data.len() as u64);
}
