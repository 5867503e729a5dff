//! Bytes of a file that may be anything.

use std::cell::Cell;

use super::super::bytes::NOWHERE;
use super::super::checksum::checksum;
use crate::file::{ReadAt, read_exact_at};
use crate::{Error, Result};

/// Longest piece of metadata that is read at once.
const MOST: u64 = 16 << 20;

/// Metadata that are read through one [`Input`], as a multiple of the file and some more. A file that sends its
/// reader in circles ends here.
const MOST_TIMES: u64 = 4;
const MOST_MORE: u64 = 4 << 20;
/// A read costs more than its bytes.
const READ_COST: u64 = 64;

/// A file, or bytes in memory, of known size.
pub(super) struct Input<'a> {
    bytes: &'a dyn ReadAt,
    pub(super) size: u64,
    /// The bytes that may still be read.
    left: Cell<u64>,
}

impl Input<'_> {
    pub(super) fn new(bytes: &dyn ReadAt) -> Result<Input<'_>> {
        let size = bytes.size().map_err(|e| Error::io("the size of the file", e))?;
        let left = size.saturating_mul(MOST_TIMES).saturating_add(MOST_MORE);
        Ok(Input { bytes, size, left: Cell::new(left) })
    }

    /// `count` bytes from `at` on, which must be in the file.
    pub(super) fn read(&self, at: u64, count: u64) -> Result<Vec<u8>> {
        // A place behind the end is refused before memory is taken.
        let end = at.checked_add(count).filter(|end| *end <= self.size && count <= MOST);
        if end.is_none() {
            let wanted = format!("{count} bytes within the file of {} bytes", self.size);
            return Err(Error::new(wanted, "a place behind its end").at(at));
        }
        // Each read costs a little more than its bytes, so that empty ones are bounded, too.
        let left = self.left.get().checked_sub(count + READ_COST);
        // Metadata that lead in a circle use up this amount and end.
        self.left.set(left.ok_or_else(|| {
            Error::new("metadata that are read once", "some that are named again and again").at(at)
        })?);
        let mut bytes = vec![0; count as usize];
        read_exact_at(&self.bytes, &mut bytes, at).map_err(|e| e.at(at))?;
        Ok(bytes)
    }

    /// As [`Input::read`], of bytes that begin with `signature` and end with a checksum, which is left out.
    pub(super) fn checked(&self, at: u64, count: u64, signature: &[u8]) -> Result<Vec<u8>> {
        let mut bytes = self.read(at, count)?;
        let body = bytes.len().saturating_sub(4);
        let sum = bytes.split_off(body);
        // The signature first: a place without one was never meant, a wrong checksum is damage.
        if !bytes.starts_with(signature) {
            let wanted = String::from_utf8_lossy(signature).into_owned();
            return Err(Error::new(wanted, "something else").at(at));
        }
        if sum != checksum(&bytes).to_le_bytes() {
            return Err(Error::new("the checksum of the bytes", "another one").at(at));
        }
        Ok(bytes)
    }
}

/// Numbers one after another.
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
    /// Where they are in the file, for messages.
    base: u64,
    at: usize,
}

impl<'a> Fields<'a> {
    pub(super) fn new(bytes: &'a [u8], base: u64) -> Fields<'a> {
        Fields { bytes, base, at: 0 }
    }

    pub(super) fn place(&self) -> u64 {
        self.base + self.at as u64
    }

    pub(super) fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let found = self.bytes.get(self.at..).and_then(|rest| rest.get(..count));
        let found = found.ok_or_else(|| {
            Error::new(format!("{count} bytes"), format!("{} bytes", self.left())).at(self.place())
        })?;
        self.at += count;
        Ok(found)
    }

    /// A number of up to 8 bytes.
    pub(super) fn uint(&mut self, bytes: usize) -> Result<u64> {
        let mut all = [0; 8];
        all[..bytes.min(8)].copy_from_slice(self.take(bytes.min(8))?);
        Ok(u64::from_le_bytes(all))
    }

    pub(super) fn u8(&mut self) -> Result<u8> {
        Ok(self.uint(1)? as u8)
    }

    /// An address; `None` if it points nowhere.
    pub(super) fn address(&mut self) -> Result<Option<u64>> {
        self.uint(8).map(|at| Some(at).filter(|at| *at != NOWHERE))
    }

    pub(super) fn skip(&mut self, count: usize) -> Result<()> {
        self.take(count).map(|_| ())
    }

    /// The bytes that have not been taken.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Bytes up to a 0, which is taken too.
    pub(super) fn until_zero(&mut self) -> Result<String> {
        let end = self.rest().iter().position(|byte| *byte == 0);
        let end = end.ok_or_else(|| Error::new("text that ends with 0", "no 0").at(self.place()))?;
        let text = self.text(end)?;
        self.skip(1)?;
        Ok(text)
    }

    /// The error that a value here is not the wanted one.
    pub(super) fn refused(&self, wanted: &'static str, found: impl std::fmt::Display) -> Error {
        Error::new(wanted, found.to_string()).at(self.place())
    }

    /// Text up to `count` bytes long.
    pub(super) fn text(&mut self, count: usize) -> Result<String> {
        self.take(count).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }
}
