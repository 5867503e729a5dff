//! A file from its beginning to its end, with large reads.

use std::fs::File;
use std::marker::PhantomData;

use super::read_at::fill_at;
use super::{End, Head, ReadAt};
use crate::{Error, Result};

/// Bytes per read of small datagrams: large enough that system calls cost nothing, small enough to stay in
/// the second cache on the way from the page cache to the reader.
const BLOCK: usize = 1 << 20;

/// The largest datagram that a reader accepts by default. The format allows 4 GiB.
const LIMIT: u64 = 1 << 30;

/// Reads datagrams in the order of the file.
///
/// Datagrams are handed out where they lie in its buffer. A datagram larger than 1 MiB is read up to its end, so that
/// next to nothing has to be moved to the front for the following one.
///
/// ```
/// use livetime_formats::file::{End, Next, Reader};
/// use livetime_formats::xtc1::{Builder, DatagramHeader};
///
/// let mut bytes = Vec::new();
/// Builder::new(&mut bytes, &DatagramHeader::event(1_000_000_000, 3)).finish()?;
/// bytes.extend([7; 5]);
/// let mut reader = Reader::<DatagramHeader, _>::new(&bytes[..]);
/// assert!(matches!(reader.next()?, Next::Datagram(d) if d.offset == 0 && d.bytes.len() == 40));
/// assert!(matches!(reader.next()?, Next::End(End::Partial { offset: 40, has: 5, wants: None })));
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<H, R = File> {
    source: R,
    limit: u64,
    buffer: Vec<u8>,
    /// Bytes that were not returned yet: `buffer[start..end]`, which begins at `offset` of the file.
    start: usize,
    end: usize,
    offset: u64,
    head: PhantomData<H>,
}

/// The next item of a file.
#[derive(Debug)]
pub enum Next<'a, H> {
    /// A datagram.
    Datagram(Raw<'a, H>),
    /// All complete datagrams are read. A further call reads datagrams that were added since.
    End(End),
}

/// A datagram as it lies in a file.
#[derive(Clone, Copy, Debug)]
pub struct Raw<'a, H> {
    /// Where it begins in the file.
    pub offset: u64,
    /// Its head.
    pub head: H,
    /// The whole datagram with its head.
    pub bytes: &'a [u8],
}

impl<H: Head, R: ReadAt> Reader<H, R> {
    /// Reads `source` from its beginning.
    pub fn new(source: R) -> Reader<H, R> {
        Reader { source, limit: LIMIT, buffer: Vec::new(), start: 0, end: 0, offset: 0, head: PhantomData }
    }

    /// Refuses datagrams larger than `limit` bytes (1 GiB without this call).
    pub fn with_limit(self, limit: u64) -> Reader<H, R> {
        Reader { limit, ..self }
    }

    /// Continues at byte `offset`.
    pub fn seek(&mut self, offset: u64) {
        (self.start, self.end, self.offset) = (0, 0, offset);
    }

    /// Where the next datagram begins.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The file that it reads.
    pub fn source(&self) -> &R {
        &self.source
    }

    /// The next datagram, or how the file ends.
    ///
    /// # Errors
    /// If the operating system reports an error, or the next bytes are no datagram; then `recover` finds the next one.
    /// The reader stays where it is.
    #[allow(clippy::should_implement_trait, reason = "an iterator cannot lend its buffer")]
    pub fn next(&mut self) -> Result<Next<'_, H>> {
        match self.load()? {
            Ok(head) => Ok(Next::Datagram(self.hand_out(head))),
            Err(end) => Ok(Next::End(end)),
        }
    }

    /// Has the next datagram whole in the buffer and returns its head, or how the file ends.
    pub(super) fn load(&mut self) -> Result<std::result::Result<H, End>> {
        let has = self.require(H::LEN, BLOCK)?;
        if has < H::LEN {
            return Ok(Err(self.ending(has as u64, None)));
        }
        let head =
            // The head tells its place within itself and the reader its place in the file.
            H::parse(&self.buffer[self.start..]).map_err(|e| e.moved_by(self.offset).at(self.offset))?;
        let length = head.length();
        if length > has as u64 {
            // A head may claim anything; memory is only taken for bytes that the file has.
            let there = self.size()?.saturating_sub(self.offset);
            // A file that is being written may end inside a datagram.
            if length > there {
                return Ok(Err(self.ending(there, Some(length))));
            }
        }
        let length = self.check_limit(length)?;
        // A large datagram is read together with the head of the next one.
        let has = self.require(length, if length > BLOCK { length + H::LEN } else { BLOCK })?;
        if has < length {
            return Ok(Err(self.ending(has as u64, Some(length as u64))));
        }
        Ok(Ok(head))
    }

    /// The datagram that was loaded.
    pub(super) fn hand_out(&mut self, head: H) -> Raw<'_, H> {
        let (start, offset) = (self.start, self.offset);
        // The file may have less than the head says; `load` has checked that.
        let end = self.end.min(start.saturating_add(head.length() as usize));
        self.offset += (end - start) as u64;
        self.start = end;
        Raw { offset, head, bytes: &self.buffer[start..end] }
    }

    fn ending(&self, has: u64, wants: Option<u64>) -> End {
        match has {
            0 => End::Whole { offset: self.offset },
            has => End::Partial { offset: self.offset, has, wants },
        }
    }

    fn size(&self) -> Result<u64> {
        self.source.size().map_err(|e| Error::io("the size of the file", e))
    }

    fn check_limit(&self, length: u64) -> Result<usize> {
        match usize::try_from(length) {
            // The limit keeps a wrong length from taking the machine's memory.
            Ok(wanted) if length <= self.limit => Ok(wanted),
            _ => {
                let wanted = format!("a datagram of at most {} bytes", self.limit);
                Err(Error::new(wanted, length.to_string()).at(self.offset))
            }
        }
    }

    /// Makes sure that `count` bytes are in the buffer, reading up to `ahead` in one go; returns how many there
    /// are, which is fewer only at the end.
    fn require(&mut self, count: usize, ahead: usize) -> Result<usize> {
        let has = self.end - self.start;
        if has >= count {
            return Ok(has);
        }
        // The rest goes to the front, so that the buffer is never larger than one read.
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, has);
        if self.buffer.len() < ahead {
            self.buffer.resize(ahead, 0);
        }
        let at = self.offset + has as u64;
        self.end += fill_at(&self.source, &mut self.buffer[has..ahead], at)?;
        Ok(self.end)
    }
}
