//! The payload that is coming in, and the memory for it.

use std::fmt;
use std::io::{self, Read};
use std::mem;
use std::sync::{Arc, Mutex};

use bytes::Bytes;

use super::{Payload, SHARE_BYTES};
use crate::lock::lock;

/// From this length on a payload is collected in memory from a [`BufferSource`], if there is one.
pub const LARGE_BYTES: usize = 64 << 10;

// The most memory that is reserved on the claim of the peer alone; more is reserved only as bytes arrive.
const TRUSTED: usize = 16 << 20;

// Bytes that may follow the largest segment of a message without another buffer.
const TAIL: usize = 4096;

/// Memory for a payload.
pub trait Buffer: Send + 'static {
    /// The bytes.
    fn bytes(&self) -> &[u8];
    /// The bytes, to be written.
    fn bytes_mut(&mut self) -> &mut [u8];
}

/// Where memory for large payloads comes from: a pool of frames, for example.
///
/// Arrays in the payload share it, and it is dropped with the last of them.
pub trait BufferSource: Send + Sync {
    /// At least `len` bytes, or `None`: then memory of our own is used. `len` is the number that the peer announces;
    /// a source decides how much of that it believes.
    fn buffer(&self, len: usize) -> Option<Box<dyn Buffer>>;
}

/// Memory that is used again, so that it need not be cleared and mapped for every payload.
///
/// ```
/// use livetime_pva::wire::{BufferSource, Recycler};
///
/// let recycler = Recycler::default();
/// let first = recycler.buffer(100_000).unwrap();
/// let address = first.bytes().as_ptr();
/// drop(first);
/// assert_eq!(recycler.buffer(90_000).unwrap().bytes().as_ptr(), address);
/// ```
#[derive(Clone, Default)]
pub struct Recycler(Arc<Mutex<Vec<Vec<u8>>>>);

// Enough for a few images on their way through a program.
const KEPT: usize = 16;
// Beyond this many bytes buffers are freed, so that a burst of large images does not keep memory for ever.
const KEPT_BYTES: usize = 256 << 20;
// Sizes are rounded up to this, so that buffers fit images of slightly different size.
const STEP: usize = 64 << 10;

impl BufferSource for Recycler {
    fn buffer(&self, len: usize) -> Option<Box<dyn Buffer>> {
        let mut kept = lock(&self.0);
        let fits = |old: &Vec<u8>| old.len() >= len && old.len() / 2 <= len;
        let old = kept.iter().rposition(fits).map(|index| kept.swap_remove(index));
        drop(kept);
        // Memory from the system that was never written to costs nothing, whatever the peer claims.
        let memory = old.unwrap_or_else(|| vec![0; len.next_multiple_of(STEP)]);
        Some(Box::new(Recycled { memory, home: self.clone() }))
    }
}

impl fmt::Debug for Recycler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recycler")
    }
}

struct Recycled {
    memory: Vec<u8>,
    home: Recycler,
}

impl Buffer for Recycled {
    fn bytes(&self) -> &[u8] {
        &self.memory
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.memory
    }
}

impl Drop for Recycled {
    fn drop(&mut self) {
        let mut kept = lock(&self.home.0);
        kept.push(mem::take(&mut self.memory));
        while kept.len() > KEPT || kept.iter().map(Vec::len).sum::<usize>() > KEPT_BYTES {
            kept.remove(0);
        }
    }
}

// `Bytes` wants an owner that is a slice.
struct BufferOwner(Box<dyn Buffer>);

impl AsRef<[u8]> for BufferOwner {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

/// The payload that is coming in: `lead` bytes without meaning, then the received bytes.
#[derive(Default)]
pub(super) struct PayloadMemory {
    source: Option<Arc<dyn BufferSource>>,
    own: Vec<u8>,
    // Holds everything while it is there.
    buffer: Option<Box<dyn Buffer>>,
    lead: usize,
    // With the lead.
    end: usize,
}

impl fmt::Debug for PayloadMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PayloadMemory({} bytes)", self.len())
    }
}

impl PayloadMemory {
    pub(super) fn use_buffers(&mut self, source: Arc<dyn BufferSource>) {
        self.source = Some(source);
    }

    pub(super) fn len(&self) -> usize {
        self.end - self.lead
    }

    /// Forgets earlier bytes.
    pub(super) fn begin(&mut self, lead: usize) {
        self.buffer = None;
        self.own.clear();
        self.own.resize(lead, 0);
        (self.lead, self.end) = (lead, lead);
    }

    /// Forgets all but the first `count` bytes, and gives the memory back.
    pub(super) fn cut(&mut self, count: usize) {
        self.end = self.end.min(self.lead + count);
        let end = self.end;
        let own = self.own();
        own.truncate(end);
        own.shrink_to(end + count);
    }

    /// Makes the memory our own, with the bytes so far.
    fn own(&mut self) -> &mut Vec<u8> {
        if let Some(buffer) = self.buffer.take() {
            self.own = buffer.bytes().get(..self.end).unwrap_or_default().to_vec();
        }
        &mut self.own
    }

    /// Makes room for `count` more bytes; `false` if there is no memory.
    pub(super) fn expect(&mut self, count: usize) -> bool {
        let total = self.end + count;
        if let Some(buffer) = &self.buffer
            && buffer.bytes().len() >= total
        {
            return true;
        }
        if total < LARGE_BYTES || self.buffer.is_some() || !self.expect_buffer(total) {
            return self.own().try_reserve(count.min(TRUSTED)).is_ok();
        }
        true
    }

    fn expect_buffer(&mut self, total: usize) -> bool {
        let found = self.source.as_ref().and_then(|source| source.buffer(total + TAIL));
        let Some(mut buffer) = found.filter(|buffer| buffer.bytes().len() >= total) else { return false };
        buffer.bytes_mut()[..self.end].copy_from_slice(&self.own);
        self.buffer = Some(buffer);
        true
    }

    pub(super) fn extend(&mut self, piece: &[u8]) {
        match &mut self.buffer {
            None => self.own.extend_from_slice(piece),
            Some(buffer) => buffer.bytes_mut()[self.end..][..piece.len()].copy_from_slice(piece),
        }
        self.end += piece.len();
    }

    /// Reads up to `missing` bytes. Returns how many came, and the reason for an early end.
    pub(super) fn fill(&mut self, mut source: impl Read, missing: usize) -> (usize, Option<io::Error>) {
        let start = self.end;
        let error = match &mut self.buffer {
            None => {
                let error = source.take(missing as u64).read_to_end(&mut self.own).err();
                self.end = self.own.len();
                error
            }
            Some(buffer) => {
                let space = &mut buffer.bytes_mut()[start..start + missing];
                let (count, error) = read_all(&mut source, space);
                self.end += count;
                error
            }
        };
        (self.end - start, error)
    }

    /// Takes the payload out.
    pub(super) fn finish(&mut self) -> Payload<'_> {
        if self.len() < SHARE_BYTES && self.buffer.is_none() {
            return Payload::Borrowed(&self.own[self.lead..self.end]);
        }
        let bytes = match self.buffer.take() {
            None => Bytes::from(mem::take(&mut self.own)),
            Some(buffer) => Bytes::from_owner(BufferOwner(buffer)),
        };
        Payload::Shared(bytes.slice(self.lead..self.end))
    }
}

fn read_all(source: &mut impl Read, space: &mut [u8]) -> (usize, Option<io::Error>) {
    let mut count = 0;
    while count < space.len() {
        match source.read(&mut space[count..]) {
            Ok(0) => break,
            Ok(more) => count += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (count, Some(error)),
        }
    }
    (count, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{Assembler, Header, Order, Segment};

    fn header(segment: Segment, size: usize) -> [u8; 8] {
        Header { segment, ..Header::message(Order::Little, true, 13, size as u32) }.encode()
    }

    #[test]
    fn large_payloads_lie_in_the_callers_memory_also_in_segments() {
        let recycler = Recycler::default();
        let mut assembler = Assembler::new(1 << 22);
        assembler.use_buffers(Arc::new(recycler.clone()));
        assembler.align(16);
        let pixels = vec![7u8; 1 << 20];
        let mut addresses = Vec::new();
        for tail in [100, 100, 200_000] {
            let head: &[u8] =
                &[&header(Segment::First, 16)[..], &[1; 16], &header(Segment::Middle, 1 << 20)].concat();
            assert!(assembler.next(&mut &*head).unwrap().is_none());
            assert_eq!(assembler.fill(&pixels[..1000]).unwrap(), 1000);
            assert_eq!(assembler.fill(&pixels[1000..]).unwrap(), (1 << 20) - 1000);
            let last = [&header(Segment::Last, tail)[..], &vec![2; tail]].concat();
            assert!(assembler.next(&mut &[][..]).unwrap().is_none());
            let mut input = &last[..];
            let message = assembler.next(&mut input).unwrap().unwrap();
            let bytes = message.bytes();
            assert_eq!(bytes.len(), 16 + (1 << 20) + tail);
            assert!(bytes[..16] == [1; 16] && bytes[16..16 + (1 << 20)] == pixels && bytes.ends_with(&[2]));
            addresses.push(bytes.as_ptr());
        }
        // The bytes after the array fit the first two times; then everything moves.
        assert_eq!(addresses[0], addresses[1]);
        assert_ne!(addresses[0], addresses[2]);
    }

    #[test]
    fn no_more_is_kept_than_allowed() {
        let recycler = Recycler::default();
        let many: Vec<_> = (0..2 * KEPT).map(|_| recycler.buffer(1000)).collect();
        drop(many);
        assert_eq!(recycler.0.lock().unwrap().len(), KEPT);
        drop(recycler.buffer(KEPT_BYTES + 1));
        drop(recycler.buffer(KEPT_BYTES));
        let kept = recycler.0.lock().unwrap();
        assert!(kept.iter().map(Vec::len).sum::<usize>() <= KEPT_BYTES);
    }
}
