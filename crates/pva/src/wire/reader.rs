//! Reading from untrusted bytes.

use std::borrow::Cow;

use bytes::Bytes;

use super::{Order, SHARE_BYTES};
use crate::{Error, Result};

// Deeper than any sane value, far less than the stack allows.
const MAX_DEPTH: u8 = 40;

/// The most memory that a value may take beyond its message. A message of 256 MiB, as one with a picture may be, would else
/// become 16 GiB of empty texts. Forty million short texts still fit.
const MOST_MORE: usize = 1 << 30;

/// Reads primitives from a message, in its byte order. Each read is checked against the end.
///
/// A clone continues from the same place. The reader also bounds the cost of a message: how deep values
/// nest, and how much memory they take compared with the message itself.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    order: Order,
    owner: Option<&'a Bytes>,
    depth: u8,
    budget: usize,
}

macro_rules! number {
    ($($name:ident)*) => {$(
        #[doc = concat!("A `", stringify!($name), "`.")]
        #[inline]
        pub fn $name(&mut self) -> Result<$name> {
            let bytes = self.array(stringify!($name))?;
            Ok(if self.order == Order::Big { $name::from_be_bytes(bytes) } else { $name::from_le_bytes(bytes) })
        }
    )*};
}

impl<'a> Reader<'a> {
    /// Reads `bytes`; everything that is taken out is copied.
    pub fn new(bytes: &'a [u8], order: Order) -> Reader<'a> {
        // Room for some amplification: an empty text of one byte becomes a field of 40.
        let budget = bytes.len().saturating_mul(64).saturating_add(16 << 20);
        let budget = budget.min(bytes.len().saturating_add(MOST_MORE));
        Reader { bytes, at: 0, order, owner: None, depth: 0, budget }
    }

    /// Reads `bytes`; large arrays that are taken out share them.
    pub fn shared(bytes: &'a Bytes, order: Order) -> Reader<'a> {
        Reader { owner: Some(bytes), ..Reader::new(bytes, order) }
    }

    /// The byte order.
    pub fn order(&self) -> Order {
        self.order
    }

    /// How many bytes were read.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The unread bytes.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// How many bytes were not read yet.
    pub fn remaining(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Whether all is read.
    pub fn is_empty(&self) -> bool {
        self.remaining() == 0
    }

    number!(u8 u16 u32 u64 i8 i16 i32 i64 f32 f64);

    /// A truth value: anything but 0 is true.
    pub fn bool(&mut self) -> Result<bool> {
        Ok(self.u8()? != 0)
    }

    /// A size; `None` is the null of strings and unions.
    #[inline]
    pub fn size(&mut self) -> Result<Option<u32>> {
        match self.u8()? {
            255 => Ok(None),
            254 => self.large_size().map(Some),
            small => Ok(Some(small.into())),
        }
    }

    fn large_size(&mut self) -> Result<u32> {
        let at = self.at;
        match self.u32()? {
            size if size <= i32::MAX as u32 => Ok(size),
            size => Err(Error::at(at, "a size below 2^31", size.to_string())),
        }
    }

    /// A number of elements of at least `bytes` bytes each, which the rest of the message can hold. Null is none.
    #[inline]
    pub fn count(&mut self, bytes: usize) -> Result<usize> {
        let at = self.at;
        let count = self.size()?.unwrap_or(0) as usize;
        // Before any allocation: the count is a claim of the peer.
        if count.saturating_mul(bytes) > self.remaining() {
            let found = format!("{count} elements, {} bytes left", self.remaining());
            return Err(Error::at(
                at,
                format!("elements of {bytes} bytes or more that fit the message"),
                found,
            ));
        }
        Ok(count)
    }

    /// A text. Null is empty; bytes that are not UTF-8 are replaced.
    #[inline]
    pub fn str(&mut self) -> Result<Cow<'a, str>> {
        let count = self.count(1)?;
        self.bytes(count).map(String::from_utf8_lossy)
    }

    /// The next `count` bytes.
    #[inline]
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        let found = self.at.checked_add(count).and_then(|end| self.bytes.get(self.at..end));
        let found = found.ok_or_else(|| self.short("bytes", count))?;
        self.at += count;
        Ok(found)
    }

    /// The next `count` bytes as an object of its own: large ones share the message if that is shared.
    pub fn take(&mut self, count: usize) -> Result<Bytes> {
        let start = self.at;
        let bytes = self.bytes(count)?;
        match self.owner {
            // A small piece is copied: a reference would keep the whole message.
            Some(owner) if count >= SHARE_BYTES => Ok(owner.slice(start..start + count)),
            _ => Ok(Bytes::copy_from_slice(bytes)),
        }
    }

    /// Whether [`Reader::take`] would share the next `count` bytes.
    pub fn shares(&self, count: usize) -> bool {
        self.owner.is_some() && count >= SHARE_BYTES
    }

    /// The next `N` bytes; `wanted` names them.
    #[inline]
    pub fn array<const N: usize>(&mut self, wanted: &'static str) -> Result<[u8; N]> {
        let found = self.rest().first_chunk::<N>().ok_or_else(|| self.short(wanted, N))?;
        self.at += N;
        Ok(*found)
    }

    #[cold]
    fn short(&self, wanted: &'static str, count: usize) -> Error {
        let wanted = format!("{wanted} ({count} bytes)");
        Error::at(self.at, wanted, format!("{} bytes until the end", self.remaining()))
    }

    /// Runs `read` one level deeper; too deep is an error.
    pub(crate) fn deeper<T, E: From<Error>>(
        &mut self,
        read: impl FnOnce(&mut Self) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        if self.depth == MAX_DEPTH {
            return Err(Error::at(self.at, format!("at most {MAX_DEPTH} levels"), "one more").into());
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Notes that `bytes` of memory are needed; out of proportion to the message it is an error.
    pub(crate) fn charge(&mut self, bytes: usize) -> Result<()> {
        let wanted = "a value whose size is in proportion to its message";
        let left = self.budget.checked_sub(bytes);
        // Counted before memory is taken: a message of some bytes could claim gigabytes.
        self.budget = left.ok_or_else(|| Error::at(self.at, wanted, format!("{bytes} bytes more")))?;
        Ok(())
    }
}

/// The rest of a message, kept to be read later, with what its reading may still cost.
#[cfg(feature = "server")]
#[derive(Debug)]
pub(crate) struct Kept {
    bytes: Bytes,
    at: usize,
    order: Order,
    budget: usize,
}

#[cfg(feature = "server")]
impl Kept {
    /// The bytes that `reader` has not read yet.
    pub(crate) fn of(reader: &mut Reader<'_>) -> Result<Kept> {
        let bytes = reader.take(reader.remaining())?;
        Ok(Kept { bytes, at: 0, order: reader.order, budget: reader.budget })
    }

    /// Reads on. The position and the rest of the budget are noted for the next time.
    pub(crate) fn read<T>(&mut self, read: impl FnOnce(&mut Reader<'_>) -> T) -> T {
        let Kept { at, budget, .. } = *self;
        let mut reader = Reader { at, budget, ..Reader::shared(&self.bytes, self.order) };
        let result = read(&mut reader);
        let Reader { at, budget, .. } = reader;
        (self.at, self.budget) = (at, budget);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_message_is_not_a_leave_to_take_many_times_as_much() {
        let message = vec![0; 64 << 20];
        let mut reader = Reader::new(&message, Order::Big);
        assert!(reader.charge(1 << 30).is_ok());
        let error = reader.charge(1 << 30).unwrap_err().to_string();
        assert!(error.contains("in proportion to its message"), "{error}");
    }
}
