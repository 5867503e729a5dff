//! Blocks from a file or stream.

use std::io::{self, Read};
use std::path::Path;

use super::Block;
use super::block::UNIT;
use crate::look_ahead::{BrokenOff, LookAhead, open_unpacked};

/// Reads consecutive blocks, and finds the next one again after truncated data or foreign bytes.
///
/// The size of the blocks is the smallest at which a block can be read and is followed by another one, or by the end. From then on a block
/// is where a header lies, or one lies where the next block begins; the bytes up to there are counted. No more is held in memory than 1 MiB.
///
/// ```
/// use livetime_formats::felix::{BlockReader, BlockWriter, Trailer};
/// let mut writer = BlockWriter::new(1024, Trailer::Bits32, 3)?;
/// let mut file = b"garbage".to_vec();
/// writer.chunk(&[7; 5568], &mut file);
/// writer.flush(&mut file);
/// let mut reader = BlockReader::new(&file[..]);
/// let mut blocks = 0;
/// while let Some(block) = reader.next_block()? {
///     assert_eq!(block.len(), 1024);
///     blocks += 1;
/// }
/// assert_eq!((blocks, reader.skipped()), (6, 7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BlockReader<R> {
    ahead: LookAhead<R>,
    size: Option<usize>,
    /// The second word of the headers.
    magic: u16,
    blocks: u64,
    skipped: u64,
}

/// Bytes read at once: enough that system calls do not count.
const BUFFER: usize = 1 << 20;
/// The largest block.
const MOST: usize = 64 * UNIT;
/// A block and the header of the one behind it.
const AHEAD: usize = 2 * MOST + 4;
const MAGICS: [u16; 2] = [0xABCD, 0xABCE];

impl BlockReader<Box<dyn Read + Send>> {
    /// Opens a file; one that Zstandard has packed is unpacked while it is read.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn open(path: &Path) -> io::Result<BlockReader<Box<dyn Read + Send>>> {
        open_unpacked(path).map(BlockReader::new)
    }
}

impl<R: Read> BlockReader<R> {
    /// Reads from `input`.
    pub fn new(input: R) -> BlockReader<R> {
        BlockReader { ahead: LookAhead::new(input, BUFFER), size: None, magic: 0, blocks: 0, skipped: 0 }
    }

    /// Bytes of a block; `None` before the first has been found.
    pub fn size(&self) -> Option<usize> {
        self.size
    }

    /// Where the file or stream broke off, if it did: there is nothing more to read, though there should be.
    pub fn broken(&self) -> Option<BrokenOff<'_>> {
        self.ahead.broken()
    }

    /// Blocks so far.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Bytes so far that belong to no block.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// The next block, which may be damaged; `None` when there are no more.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn next_block(&mut self) -> io::Result<Option<&[u8]>> {
        loop {
            // One more than the look-ahead, so that a search advances.
            self.ahead.fill(AHEAD + 1)?;
            match self.size {
                Some(size) if self.is_block(size) => {
                    self.blocks += 1;
                    return Ok(Some(self.ahead.take(size)));
                }
                _ if self.ahead.bytes().is_empty() => return Ok(None),
                _ => self.search(),
            }
        }
    }

    fn is_block(&self, size: usize) -> bool {
        let is_whole = size <= self.ahead.bytes().len();
        is_whole
            && match (self.is_header(0), self.is_header(size)) {
                (true, true) | (false, true) => true,
                // Another one may begin inside, so that this one was cut off.
                (true, false) => !(1..size).any(|at| self.is_followed(at, size)),
                (false, false) => false,
            }
    }

    fn is_header(&self, at: usize) -> bool {
        self.magic_at(at) == Some(self.magic)
    }

    fn magic_at(&self, at: usize) -> Option<u16> {
        self.ahead.bytes().get(at + 2..at + 4).map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    /// A header with another one, or the end, a block behind it.
    fn is_followed(&self, at: usize, size: usize) -> bool {
        let magic = self.magic_at(at).filter(|magic| MAGICS.contains(magic));
        let is_last = self.ahead.is_at_end() && at + size == self.ahead.bytes().len();
        magic.is_some() && (is_last || self.magic_at(at + size) == magic)
    }

    /// Searches the next block in the bytes read so far, and skips the bytes before it; without a block it
    /// skips all bytes that later bytes cannot make part of one.
    fn search(&mut self) {
        let len = self.ahead.bytes().len();
        // Behind this place there may be too few bytes to judge a block.
        let judged = if self.ahead.is_at_end() { len } else { len.saturating_sub(AHEAD) };
        let found = (0..judged).find_map(|at| Some((at, self.size_at(at)?)));
        let at = found.map_or(judged, |(at, _)| at);
        self.skipped += self.ahead.take(at).len() as u64;
        if let Some((_, size)) = found {
            (self.size, self.magic) = (Some(size), self.magic_at(0).unwrap_or(0));
        }
    }

    /// The size of the block that begins here.
    fn size_at(&self, at: usize) -> Option<usize> {
        self.magic_at(at).filter(|magic| MAGICS.contains(magic))?;
        let bytes = self.ahead.bytes().get(at..)?;
        let can_be_read = |size: usize| {
            let block = bytes.get(..size).and_then(|bytes| Block::parse(bytes).ok());
            block.is_some_and(|block| block.subchunks(&mut Vec::new(), |_| ()).is_ok())
        };
        match self.size {
            Some(size) => self.is_followed(at, size).then_some(size),
            // The size is not in the file: blocks that follow each other and can be read tell it.
            None => (1..=MOST / UNIT)
                .map(|units| units * UNIT)
                .find(|size| self.is_followed(at, *size) && can_be_read(*size)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::felix::{BlockWriter, Trailer};

    fn file(size: usize, trailer: Trailer, chunks: usize) -> Vec<u8> {
        let mut writer = BlockWriter::new(size, trailer, 5).unwrap();
        let mut file = Vec::new();
        (0..chunks).for_each(|n| writer.chunk(&vec![n as u8; 5568], &mut file));
        writer.flush(&mut file);
        file
    }

    fn read(file: &[u8]) -> (Vec<Vec<u8>>, u64) {
        let mut reader = BlockReader::new(file);
        let mut blocks = Vec::new();
        while let Some(block) = reader.next_block().unwrap() {
            blocks.push(block.to_vec());
        }
        (blocks, reader.skipped())
    }

    #[test]
    fn sizes_are_recognised() {
        for (size, trailer) in [
            (1024, Trailer::Bits16),
            (1024, Trailer::Bits32),
            (4096, Trailer::Bits32),
            (65536, Trailer::Bits32),
        ] {
            let file = file(size, trailer, 50);
            let (blocks, skipped) = read(&file);
            assert!(blocks.concat() == file && blocks.iter().all(|b| b.len() == size), "{size}");
            assert_eq!(skipped, 0);
        }
    }

    #[test]
    fn a_cut_block_is_skipped_and_its_neighbours_are_not() {
        let whole = file(1024, Trailer::Bits32, 5);
        for cut in [0, 1, 3, 4, 500, 1023] {
            let mut file = whole.clone();
            file.drain(7 * 1024 + cut..8 * 1024);
            let (blocks, skipped) = read(&file);
            assert!(blocks.concat() == [&whole[..7 * 1024], &whole[8 * 1024..]].concat(), "cut after {cut}");
            assert_eq!(skipped, cut as u64);
        }
        let mut damaged = whole.clone();
        damaged[9 * 1024 + 2] ^= 0xFF;
        assert!(read(&damaged).0.concat() == damaged, "a damaged header is for whoever takes the block");
    }

    proptest! {
        #[test]
        fn any_bytes_are_endured(garbage in prop::collection::vec(any::<u8>(), 0..3000), at in 0usize..20_000) {
            let mut file = file(1024, Trailer::Bits32, 4);
            let at = at.min(file.len());
            file.splice(at..at, garbage);
            let (blocks, skipped) = read(&file);
            prop_assert_eq!(blocks.len() as u64 * 1024 + skipped, file.len() as u64);
        }
    }
}
