//! Any bytes as FELIX blocks: chunks are bounded, everything is counted, a good block after bad ones is read.
//!
//! `cargo +nightly fuzz run --no-default-features felix_blocks`
#![no_main]

use livetime_formats::felix::{Assembler, BlockWriter, Trailer};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut assembler = Assembler::new(8192);
    for block in data.chunks(1024) {
        // With a good header, so that the rest is looked at.
        for magic in [None, Some(0xABCDu16), Some(0xABCE)] {
            let mut block = block.to_vec();
            if let (Some(magic), true) = (magic, block.len() > 4) {
                block.resize(1024, 0);
                block[2..4].copy_from_slice(&magic.to_le_bytes());
            }
            let _ = assembler.block(&block, |chunk, _| assert!(chunk.len() <= 8192));
        }
    }
    let counts = assembler.counts();
    assert_eq!(counts.blocks, 3 * data.chunks(1024).len() as u64);
    let mut writer = BlockWriter::new(1024, Trailer::Bits32, 1).expect("fits");
    let mut block = Vec::new();
    writer.chunk(b"whole", &mut block);
    writer.flush(&mut block);
    let mut found = 0;
    assembler.block(&block, |chunk, _| found += usize::from(chunk == b"whole")).expect("ours");
    assert_eq!(found, 1);
});
