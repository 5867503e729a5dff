use super::*;
use proptest::prelude::*;

/// Chunks and faults that an assembler gives for `blocks`.
fn assemble(blocks: &[Vec<u8>]) -> (Vec<Vec<u8>>, Counts) {
    let mut assembler = Assembler::new(1 << 16);
    let mut chunks = Vec::new();
    for block in blocks {
        let _ = assembler.block(block, |chunk, _| chunks.push(chunk.to_vec()));
    }
    (chunks, assembler.counts())
}

fn blocks_of(chunks: &[Vec<u8>], size: usize, trailer: Trailer) -> Vec<Vec<u8>> {
    let mut writer = BlockWriter::new(size, trailer, 7).unwrap();
    let mut out = Vec::new();
    chunks.iter().for_each(|chunk| writer.chunk(chunk, &mut out));
    writer.flush(&mut out);
    assert_eq!(out.len() % size, 0);
    out.chunks(size).map(<[u8]>::to_vec).collect()
}

fn superchunks(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|i| (0..5568).map(|j| (i * 7 + j * 3) as u8).collect()).collect()
}

#[test]
fn a_lost_block_costs_the_chunks_that_were_in_it_and_is_counted() {
    let chunks = superchunks(10);
    let mut blocks = blocks_of(&chunks, 1024, Trailer::Bits32);
    blocks.remove(8);
    let (found, counts) = assemble(&blocks);
    assert_eq!(counts.missing_blocks, 1);
    assert_eq!(found.len() as u64 + counts.lost_chunks, 10);
    assert!(counts.lost_chunks >= 1);
    assert!(found.iter().all(|chunk| chunks.contains(chunk)));
}

#[test]
fn a_bad_block_is_an_error_and_the_next_ones_are_read() {
    let chunks = superchunks(10);
    for (at, value) in [(2, 0), (1023, 0xDF), (1020, 0xFF)] {
        let mut blocks = blocks_of(&chunks, 1024, Trailer::Bits32);
        blocks[9][at] = value;
        if at == 1020 {
            blocks[9][1021] = 0xFF;
        }
        let mut assembler = Assembler::new(1 << 16);
        let mut count = 0;
        let errors = blocks.iter().filter(|block| assembler.block(block, |_, _| count += 1).is_err()).count();
        assert!(errors <= 1 && (8..=9).contains(&count), "byte {at}: {errors} errors, {count} chunks");
    }
}

#[test]
fn flags_reach_the_chunk_and_what_is_too_long_is_cut() {
    let mut blocks = blocks_of(&superchunks(1), 1024, Trailer::Bits32);
    blocks[0][1023] |= 1 << 2; // bit 26 of the trailer
    let mut assembler = Assembler::new(3000);
    let mut found = Vec::new();
    for block in &blocks {
        assembler.block(block, |chunk, faults| found.push((chunk.len(), faults))).unwrap();
    }
    let faults = ChunkFaults { crc_error: true, error: false, truncated: true };
    assert_eq!(found, [(3000, faults)]);
    assert_eq!(assembler.counts().faulty_chunks, 1);
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        sizes in prop::collection::vec(0usize..6000, 0..20),
        size in 1usize..5,
        wide in any::<bool>(),
    ) {
        let chunks: Vec<Vec<u8>> = sizes.iter().map(|n| (0..*n).map(|i| (i + n) as u8).collect()).collect();
        let (size, trailer) = if wide { (size * 1024, Trailer::Bits32) } else { (1024, Trailer::Bits16) };
        let (found, counts) = assemble(&blocks_of(&chunks, size, trailer));
        prop_assert_eq!(found, chunks);
        prop_assert_eq!((counts.bad_blocks, counts.missing_blocks, counts.lost_chunks), (0, 0, 0));
    }

    #[test]
    fn any_bytes_are_endured(
        mut block in prop::collection::vec(any::<u8>(), 0..3000),
        magic in prop_oneof![Just(0xABCDu16), Just(0xABCE)],
        whole in any::<bool>(),
    ) {
        if whole {
            block.resize(2048, 0x21);
            block[2..4].copy_from_slice(&magic.to_le_bytes());
        }
        let mut assembler = Assembler::new(1000);
        for _ in 0..3 {
            let _ = assembler.block(&block, |chunk, _| assert!(chunk.len() <= 2048));
        }
        prop_assert_eq!(assembler.counts().blocks, 3);
    }
}
