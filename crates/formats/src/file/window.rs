//! Small reads at rising places of a large file.

use super::ReadAt;
use super::read_at::fill_at;
use crate::Result;

/// Read at once after a jump: one page, as the system reads at least that.
const JUMP: usize = 4 << 10;
/// Read at once where small pieces follow each other.
const BLOCK: usize = 256 << 10;

/// Shows pieces of a file, and keeps the bytes that it has read for the next piece.
#[derive(Debug)]
pub struct Window<R> {
    source: R,
    buffer: Vec<u8>,
    /// `buffer[..filled]` lies at `at` of the file.
    at: u64,
    filled: usize,
}

impl<R: ReadAt> Window<R> {
    /// Looks at `source`.
    pub fn new(source: R) -> Window<R> {
        Window { source, buffer: Vec::new(), at: 0, filled: 0 }
    }

    /// The file that it reads.
    pub fn source(&self) -> &R {
        &self.source
    }

    /// The `count` bytes at `at`; fewer at the end of the file.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn get(&mut self, at: u64, count: usize) -> Result<&[u8]> {
        if self.start_of(at, count).is_none() {
            self.read(at, count)?;
        }
        let start = self.start_of(at, 0).unwrap_or(self.filled);
        Ok(&self.buffer[start..self.filled.min(start + count)])
    }

    /// Gives its memory back; later pieces are read again.
    pub fn release(&mut self) {
        (self.buffer, self.filled) = (Vec::new(), 0);
    }

    /// How many bytes of memory it holds.
    pub fn memory(&self) -> usize {
        self.buffer.capacity()
    }

    fn start_of(&self, at: u64, count: usize) -> Option<usize> {
        let start = usize::try_from(at.checked_sub(self.at)?).ok()?;
        (start.checked_add(count)? <= self.filled).then_some(start)
    }

    fn read(&mut self, at: u64, count: usize) -> Result<()> {
        let behind = self.at + self.filled as u64;
        let is_near = at >= self.at && at < behind + JUMP as u64;
        let ahead = count.max(if is_near { BLOCK } else { JUMP });
        if self.buffer.len() < ahead {
            self.buffer.resize(ahead, 0);
        }
        self.filled = 0;
        self.filled = fill_at(&self.source, &mut self.buffer[..ahead], at)?;
        self.at = at;
        Ok(())
    }
}
