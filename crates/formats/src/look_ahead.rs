//! A buffer for bytes of a stream that are examined before they are consumed.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use crate::file::{ReadAt, RecordedFile};

/// The bytes of a stream that have been read and not taken yet; never more than was allocated at the start.
///
/// A truncated stream, such as a packed file that was cut in the middle, ends where it breaks off; the bytes before are
/// good. Only a stream without any readable byte is an error.
#[derive(Debug)]
pub(crate) struct LookAhead<R> {
    input: R,
    buffer: Vec<u8>,
    begin: usize,
    end: usize,
    is_at_end: bool,
    /// Bytes that were read.
    total: u64,
    /// Why nothing more can be read, if that is not the end of the stream.
    broken: Option<io::Error>,
}

impl<R: Read> LookAhead<R> {
    /// With room for `bytes` bytes.
    pub(crate) fn new(input: R, bytes: usize) -> LookAhead<R> {
        LookAhead {
            input,
            buffer: vec![0; bytes],
            begin: 0,
            end: 0,
            is_at_end: false,
            total: 0,
            broken: None,
        }
    }

    /// Reads until at least `ahead` bytes are there, or all there are.
    pub(crate) fn fill(&mut self, ahead: usize) -> io::Result<()> {
        // A stream that has ended is not asked again: a terminal would go on.
        if self.is_at_end || self.end - self.begin >= ahead {
            return Ok(());
        }
        // The bytes move to the front, so that the buffer never grows.
        self.buffer.copy_within(self.begin..self.end, 0);
        (self.begin, self.end) = (0, self.end - self.begin);
        while self.end < self.buffer.len() {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(0) => {
                    self.is_at_end = true;
                    break;
                }
                Ok(count) => {
                    self.end += count;
                    self.total += count as u64;
                }
                // A signal interrupted the call, and the stream goes on.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Nothing was read, so the error is the caller's to tell.
                Err(error) if self.total == 0 => return Err(error),
                // The bytes before are given out first, and the error is reported behind them.
                Err(error) => {
                    (self.is_at_end, self.broken) = (true, Some(error));
                    break;
                }
            }
        }
        Ok(())
    }

    /// Why the stream broke off, and after how many bytes; `None` if it has not, or if it reached its regular
    /// end.
    pub(crate) fn broken(&self) -> Option<BrokenOff<'_>> {
        self.broken.as_ref().map(|why| BrokenOff { bytes: self.total, why })
    }

    /// How many bytes have been taken.
    pub(crate) fn taken(&self) -> u64 {
        self.total - (self.end - self.begin) as u64
    }

    /// The available bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer[self.begin..self.end]
    }

    /// Whether the stream ends after them.
    pub(crate) fn is_at_end(&self) -> bool {
        self.is_at_end
    }

    /// Consumes the first `count` bytes, or all available ones.
    pub(crate) fn take(&mut self, count: usize) -> &mut [u8] {
        let begin = self.begin;
        self.begin = (begin + count).min(self.end);
        &mut self.buffer[begin..self.begin]
    }
}

/// Where and why a stream broke off before its end.
#[derive(Clone, Copy, Debug)]
pub struct BrokenOff<'a> {
    /// Bytes that could be read, unpacked.
    pub bytes: u64,
    /// Errors of the operating system or of the decoder.
    pub why: &'a io::Error,
}

impl fmt::Display for BrokenOff<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cut off or damaged behind {} unpacked bytes: {}", self.bytes, self.why)
    }
}

/// Opens a file; one that Zstandard has packed is unpacked while it is read.
///
/// # Errors
/// Errors of the operating system.
pub fn open_unpacked(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    unpacked(File::open(path)?)
}

/// As [`open_unpacked`], of a file or an object that is open.
///
/// # Errors
/// Errors of the operating system, or of the store.
pub fn unpacked_of(file: RecordedFile) -> io::Result<Box<dyn Read + Send>> {
    unpacked(FromBegin { file, at: 0 })
}

struct FromBegin {
    file: RecordedFile,
    at: u64,
}

impl Read for FromBegin {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

fn unpacked(input: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    let mut file = BufReader::with_capacity(4096, input);
    // The four bytes are those with which a frame of Zstandard begins.
    let is_packed = file.fill_buf()?.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]);
    Ok(if is_packed { Box::new(zstd::Decoder::with_buffer(file)?) } else { Box::new(file) })
}
