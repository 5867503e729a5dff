//! Blocks from chunks: for simulation and tests.

use super::Trailer;
use super::block::HEADER;
use crate::{Error, Result};

/// Cuts the chunks of one e-link into blocks.
#[derive(Debug)]
pub struct BlockWriter {
    size: usize,
    trailer: Trailer,
    elink: u16,
    sequence: u8,
    /// The block that is being filled, with its header.
    block: Vec<u8>,
}

impl BlockWriter {
    /// Blocks of `size` bytes.
    ///
    /// # Errors
    /// `size` is not 1 KiB to 64 KiB in whole KiB, more than 1 KiB with trailers of 16 bits, or `elink` is above 2047.
    pub fn new(size: usize, trailer: Trailer, elink: u16) -> Result<BlockWriter> {
        let most = if trailer == Trailer::Bits16 { 1 } else { 64 };
        if size == 0 || !size.is_multiple_of(1024) || size > most * 1024 || elink > 0x7FF {
            let wanted = format!("blocks of 1 to {most} KiB and an e-link up to 2047");
            return Err(Error::new(wanted, format!("{size} bytes, e-link {elink}")));
        }
        let mut writer = BlockWriter { size, trailer, elink, sequence: 0, block: Vec::with_capacity(size) };
        writer.begin();
        Ok(writer)
    }

    /// Appends the blocks that `chunk` fills to `out`; the rest of the chunk waits for the next one.
    pub fn chunk(&mut self, chunk: &[u8], out: &mut Vec<u8>) {
        let (mut rest, mut first) = (chunk, true);
        loop {
            let room = self.size - self.block.len() - self.trailer.bytes();
            let (part, after) = rest.split_at(rest.len().min(room));
            // 1 first, 2 last, 3 whole, 4 middle.
            let kind = match (first, after.is_empty()) {
                (true, true) => 3,
                (true, false) => 1,
                (false, true) => 2,
                (false, false) => 4,
            };
            self.part(part, kind, out);
            if after.is_empty() {
                return;
            }
            (rest, first) = (after, false);
        }
    }

    /// Ends the block that is being filled, as FELIX does after some time.
    pub fn flush(&mut self, out: &mut Vec<u8>) {
        if self.block.len() > HEADER {
            let empty = self.size - self.block.len() - self.trailer.bytes();
            // Zeros may be as long as a length can say; a timeout covers them.
            self.part(&vec![0; empty], 5, out);
        }
    }

    fn begin(&mut self) {
        self.block.clear();
        let word = self.elink | u16::from(self.sequence) << 11;
        self.block.extend(word.to_le_bytes());
        self.block.extend(self.trailer.magic().to_le_bytes());
        self.sequence = (self.sequence + 1) & 31;
    }

    fn part(&mut self, data: &[u8], kind: u32, out: &mut Vec<u8>) {
        let unit = self.trailer.bytes();
        self.block.extend_from_slice(data);
        self.block.resize(self.block.len().next_multiple_of(unit), 0);
        let (.., kind_bit) = self.trailer.layout();
        let trailer = data.len() as u32 | kind << kind_bit;
        self.block.extend_from_slice(&trailer.to_le_bytes()[..unit]);
        if self.block.len() + unit > self.size {
            out.extend_from_slice(&self.block);
            self.begin();
        }
    }
}
