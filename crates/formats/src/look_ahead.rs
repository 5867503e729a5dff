//! What of a stream is looked at before it is taken.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// What of a stream has been read and not taken yet; never more than was allocated at the start.
#[derive(Debug)]
pub(crate) struct LookAhead<R> {
    input: R,
    buffer: Vec<u8>,
    begin: usize,
    end: usize,
    is_at_end: bool,
}

impl<R: Read> LookAhead<R> {
    /// Of `bytes` bytes.
    pub(crate) fn new(input: R, bytes: usize) -> LookAhead<R> {
        LookAhead { input, buffer: vec![0; bytes], begin: 0, end: 0, is_at_end: false }
    }

    /// Reads until at least `ahead` bytes are there, or all there are.
    pub(crate) fn fill(&mut self, ahead: usize) -> io::Result<()> {
        if self.is_at_end || self.end - self.begin >= ahead {
            return Ok(());
        }
        self.buffer.copy_within(self.begin..self.end, 0);
        (self.begin, self.end) = (0, self.end - self.begin);
        while self.end < self.buffer.len() {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.is_at_end = true;
                    break;
                }
                Ok(count) => self.end += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// What is there.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.begin..self.end]
    }

    /// Whether nothing comes behind it.
    pub(crate) fn is_at_end(&self) -> bool {
        self.is_at_end
    }

    /// Takes the first `count` bytes, or what is there.
    pub(crate) fn take(&mut self, count: usize) -> &mut [u8] {
        let begin = self.begin;
        self.begin = (begin + count).min(self.end);
        &mut self.buffer[begin..self.begin]
    }
}

/// Opens a file; one that Zstandard has packed is unpacked while it is read.
///
/// # Errors
/// What the system says.
pub fn open_unpacked(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    let mut file = BufReader::with_capacity(4096, File::open(path)?);
    let is_packed = file.fill_buf()?.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]);
    Ok(if is_packed { Box::new(zstd::Decoder::with_buffer(file)?) } else { Box::new(file) })
}
