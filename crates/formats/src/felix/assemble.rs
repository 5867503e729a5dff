//! Chunks from blocks.

use super::{Block, Subchunk, SubchunkKind};
use crate::Result;

/// The error of a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkFaults {
    /// Its CRC was wrong.
    pub crc_error: bool,
    /// FELIX saw an error.
    pub error: bool,
    /// It has been cut off: by FELIX, or here because it is longer than allowed.
    pub truncated: bool,
}

impl ChunkFaults {
    /// True when nothing is wrong.
    pub fn is_empty(self) -> bool {
        self == ChunkFaults::default()
    }
}

/// The counts of an [`Assembler`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Blocks.
    pub blocks: u64,
    /// Blocks that could not be read.
    pub bad_blocks: u64,
    /// Missing blocks, according to the sequence numbers (modulo 32).
    pub missing_blocks: u64,
    /// Subchunks.
    pub subchunks: u64,
    /// Chunks given out.
    pub chunks: u64,
    /// Chunks given up because a part was missing; a begin and an end around a gap are taken for one chunk.
    pub lost_chunks: u64,
    /// Chunks with a wrong CRC, an error, or cut off.
    pub faulty_chunks: u64,
}

/// Puts the chunks of one e-link together.
#[derive(Debug)]
pub struct Assembler {
    chunk: Vec<u8>,
    faults: ChunkFaults,
    /// Between a first and a last subchunk.
    open: bool,
    /// The begin of a chunk was abandoned, its end may still come.
    broken: bool,
    most: usize,
    /// Working memory.
    ends: Vec<u16>,
    sequence: Option<u8>,
    counts: Counts,
}

impl Assembler {
    /// For chunks of at most `most` bytes, which are allocated now; longer chunks are cut off and marked.
    pub fn new(most: usize) -> Assembler {
        Assembler {
            chunk: Vec::with_capacity(most),
            faults: ChunkFaults::default(),
            open: false,
            broken: false,
            most,
            ends: Vec::new(),
            sequence: None,
            counts: Counts::default(),
        }
    }

    /// Processes the next block, and calls `f` with each chunk that it completes. A chunk that lies whole in
    /// the block is not copied.
    ///
    /// # Errors
    /// The block cannot be read. It is counted, and the begun chunk is dropped; continue with the next block.
    pub fn block(&mut self, bytes: &[u8], mut f: impl FnMut(&[u8], ChunkFaults)) -> Result<()> {
        self.counts.blocks += 1;
        let read = Block::parse(bytes).and_then(|block| {
            // The sequence is followed first, because a missing block ends the open chunk.
            self.follow(block.sequence());
            let mut ends = std::mem::take(&mut self.ends);
            let read = block.subchunks(&mut ends, |subchunk| self.subchunk(subchunk, &mut f));
            self.ends = ends;
            read
        });
        // Nothing behind a fault in a block is reliable.
        if read.is_err() {
            self.counts.bad_blocks += 1;
            self.give_up();
        }
        read
    }

    /// The counts so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    fn follow(&mut self, sequence: u8) {
        if let Some(last) = self.sequence.replace(sequence) {
            // The sequence number has five bits.
            let missing = sequence.wrapping_sub(last).wrapping_sub(1) & 31;
            self.counts.missing_blocks += u64::from(missing);
            // The part of the chunk in the missing block is lost.
            if missing > 0 {
                self.give_up();
            }
        }
    }

    fn give_up(&mut self) {
        self.broken |= self.open;
        self.counts.lost_chunks += u64::from(std::mem::take(&mut self.open));
    }

    fn subchunk(&mut self, part: Subchunk, f: &mut impl FnMut(&[u8], ChunkFaults)) {
        self.counts.subchunks += 1;
        match part.kind {
            SubchunkKind::Whole => {
                // A whole chunk cannot lie within an open one, so the open one has lost its end.
                self.give_up();
                self.broken = false;
                self.faults = ChunkFaults::default();
                self.add_faults(&part);
                self.give(part.data, f);
            }
            SubchunkKind::First => {
                // The former chunk never came to its end.
                self.give_up();
                self.chunk.clear();
                self.faults = ChunkFaults::default();
                (self.open, self.broken) = (true, false);
                self.add(&part);
            }
            SubchunkKind::Middle if self.open => self.add(&part),
            SubchunkKind::Last if self.open => {
                self.add(&part);
                self.open = false;
                let chunk = std::mem::take(&mut self.chunk);
                self.give(&chunk, f);
                self.chunk = chunk;
            }
            // The begin was lost: counted now, unless that has been done.
            SubchunkKind::Last => self.counts.lost_chunks += u64::from(!std::mem::take(&mut self.broken)),
            // The content of the block is missing now.
            SubchunkKind::Reserved => self.give_up(),
            SubchunkKind::Middle | SubchunkKind::Fill | SubchunkKind::Timeout | SubchunkKind::OutOfBand => {}
        }
    }

    fn add(&mut self, part: &Subchunk) {
        // The room was taken at the start, so that a hostile stream cannot make it grow.
        let room = self.most - self.chunk.len();
        self.chunk.extend_from_slice(&part.data[..part.data.len().min(room)]);
        self.faults.truncated |= part.data.len() > room;
        self.add_faults(part);
    }

    fn add_faults(&mut self, part: &Subchunk) {
        self.faults.crc_error |= part.crc_error;
        self.faults.error |= part.error;
        self.faults.truncated |= part.truncated;
    }

    fn give(&mut self, chunk: &[u8], f: &mut impl FnMut(&[u8], ChunkFaults)) {
        self.counts.chunks += 1;
        self.counts.faulty_chunks += u64::from(!self.faults.is_empty());
        f(chunk, self.faults);
    }
}
