//! An object that is open: ranges of it become bytes at any place.

use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use livetime_formats::file::ReadAt;
use object_store::ObjectMeta;
use tokio::sync::Semaphore;

use crate::cache::{Asked, Key, Need};
use crate::client::{self, Client};
use crate::error::{ObjectError, Result};
use crate::requests::Requests;
use crate::settings::{BLOCK, IN_FLIGHT, PAGE};

/// Readers of one object that are told apart; a further one takes the place of the one that read longest ago.
const READERS: usize = 16;
/// Bytes that a reader may leave out and still reads on. Reading them costs less than the wait for a request of its own.
const GAP: u64 = 1 << 20;
/// A jump that reads so many bytes is read as a reader reads that goes on.
const LARGE: u64 = 1 << 20;

/// An object that is open.
pub(crate) struct Object {
    pub(crate) number: u64,
    pub(crate) meta: ObjectMeta,
    pub(crate) client: Client,
    pub(crate) requests: Arc<Requests>,
    /// Requests that may be under way.
    permits: Arc<Semaphore>,
    readers: Mutex<Readers>,
}

/// Where readers of the object are.
#[derive(Default)]
struct Readers {
    /// Behind the last byte that was read, and how often the reader read on; the latest reader last.
    places: Vec<(u64, u32)>,
}

impl Readers {
    /// Notes a read. Returns how often its reader has read on since its last jump.
    fn note(&mut self, read: &Range<u64>) -> u32 {
        let goes_on =
            |(end, _): &(u64, u32)| read.start + GAP >= *end && read.start <= end.saturating_add(GAP);
        let (end, times) = match self.places.iter().position(goes_on) {
            Some(at) => {
                let (end, times) = self.places.remove(at);
                (end.max(read.end), times.saturating_add(1))
            }
            None => (read.end, 0),
        };
        if self.places.len() == READERS {
            self.places.remove(0);
        }
        self.places.push((end, times));
        times
    }
}

impl Object {
    pub(crate) fn new(number: u64, meta: ObjectMeta, client: Client, requests: Arc<Requests>) -> Object {
        let (permits, readers) = (Arc::new(Semaphore::new(IN_FLIGHT)), Mutex::default());
        Object { number, meta, client, requests, permits, readers }
    }

    /// The range of `unit` bytes, a block or a page, that has the byte at `offset`.
    fn key(&self, offset: u64, unit: u64) -> Key {
        let start = offset - offset % unit;
        Key { object: self.number, start, length: unit.min(self.meta.size - start) }
    }

    /// The blocks from `offset` on, as far as there are any.
    fn blocks(&self, offset: u64) -> impl Iterator<Item = Key> {
        let starts = (offset - offset % BLOCK..self.meta.size).step_by(BLOCK as usize);
        starts.map(|start| self.key(start, BLOCK))
    }

    /// Keeps the first bytes, which came with the answer that the object is there.
    pub(crate) fn keep_first(&self, bytes: Bytes) {
        let key = Key { object: self.number, start: 0, length: bytes.len() as u64 };
        let is_unit = key == self.key(0, PAGE);
        self.requests.counts.add(bytes.len() as u64);
        if is_unit && !bytes.is_empty() && self.requests.cache.ask(key, Need::Ahead) == Asked::New {
            self.requests.cache.put(key, Ok(bytes));
        }
    }

    /// Sends the request for a range, unless it is here or coming. Returns false if there is no room for it.
    fn ask(&self, key: Key, need: Need) -> bool {
        match self.requests.cache.ask(key, need) {
            Asked::NoRoom => return false,
            Asked::Known => return true,
            Asked::New => {}
        }
        let (client, meta, permits) = (self.client.clone(), self.meta.clone(), self.permits.clone());
        let (cache, counts) = (self.requests.cache.clone(), self.requests.counts.clone());
        let (limit, tries) = (self.requests.settings.limit, self.requests.settings.tries);
        self.requests.engine.spawn(async move {
            // The semaphore is never closed; without a permit the request would only be one more.
            let _permit = permits.acquire().await;
            let range = key.start..key.start + key.length;
            let fetch = client::range(&*client, &meta, range.clone(), tries);
            let found = tokio::time::timeout(limit, fetch).await;
            let found = found.unwrap_or_else(|_| Err(ObjectError::timed_out("an object", limit).at(range)));
            counts.add(found.as_ref().map_or(0, |bytes| bytes.len() as u64));
            cache.put(key, found);
        });
        true
    }

    /// The range in which `read` begins, which is asked for as its reader reads.
    fn choose(&self, read: &Range<u64>) -> Key {
        let times = self.readers.lock().unwrap_or_else(PoisonError::into_inner).note(read);
        let (block, page) = (self.key(read.start, BLOCK), self.key(read.start, PAGE));
        let is_small = self.meta.size <= LARGE;
        let goes_on = times > 0 || is_small || read.end - read.start >= LARGE;
        let cache = &self.requests.cache;
        if !goes_on && !cache.has(block) {
            self.ask(page, Need::Now);
            return page;
        }
        self.ask(block, Need::Now);
        // All blocks of the read, and twice as many ahead after each read that went on.
        let ahead =
            1u64.checked_shl(times.min(8)).map_or(IN_FLIGHT as u64, |ahead| ahead.min(IN_FLIGHT as u64));
        let ahead = if times == 0 { 0 } else { ahead };
        let last = (read.end - 1) / BLOCK + ahead;
        let more = self.blocks(read.start).skip(1).take_while(|key| key.start / BLOCK <= last);
        more.take(IN_FLIGHT).all(|key| self.ask(key, Need::Ahead));
        block
    }

    fn read(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let left = self.meta.size.saturating_sub(offset);
        let length = left.min(buffer.len() as u64);
        if length == 0 {
            return Ok(0);
        }
        // Requests wait for their turn behind others.
        let limit = self.requests.settings.limit.saturating_mul(IN_FLIGHT as u32);
        loop {
            let key = self.choose(&(offset..offset + length));
            let Some(bytes) = self.requests.cache.take(key, limit)? else { continue };
            let begin = (offset - key.start) as usize;
            let count = (bytes.len() - begin).min(length as usize);
            buffer[..count].copy_from_slice(&bytes[begin..begin + count]);
            return Ok(count);
        }
    }
}

impl ReadAt for Object {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        Ok(self.read(buffer, offset)?)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.meta.size)
    }

    fn will_need(&self, offset: u64, length: u64) {
        let end = offset.saturating_add(length).min(self.meta.size);
        if offset >= end {
            return;
        }
        // A head among others: a block would be read for nothing.
        if length <= PAGE && self.meta.size > LARGE {
            let block = self.key(offset, BLOCK);
            if !self.requests.cache.has(block) {
                let pages = [self.key(offset, PAGE), self.key(end - 1, PAGE)];
                pages.iter().all(|page| self.ask(*page, Need::Ahead));
            }
            return;
        }
        // The size is what the server says; the room ends the walk.
        self.blocks(offset).take_while(|key| key.start < end).all(|key| self.ask(key, Need::Ahead));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_that_goes_on_is_known_among_others() {
        let mut readers = Readers::default();
        let far = 100 * BLOCK;
        assert_eq!(readers.note(&(0..40)), 0);
        assert_eq!(readers.note(&(far..far + 40)), 0);
        assert_eq!(readers.note(&(40..80)), 1);
        assert_eq!(readers.note(&(GAP..GAP + 40)), 2, "a gap is read over");
        assert_eq!(readers.note(&(far + 40..far + 90)), 1);
        for jump in 2..2 + READERS as u64 {
            assert_eq!(readers.note(&(jump * far..jump * far + 40)), 0);
        }
        assert_eq!(readers.note(&(far + 90..far + 100)), 0, "forgotten after so many others");
    }
}
