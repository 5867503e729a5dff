//! Writing messages: small things into one buffer, large arrays by reference.

use bytes::Bytes;

use super::{Encoded, HEADER_LEN, Header, MAX_PAYLOAD, Order, SHARE_BYTES};
use crate::{Error, Result};

/// Collects bytes. Its buffer is kept from message to message; large arrays are only referred to.
#[derive(Debug)]
pub struct Writer {
    order: Order,
    small: Vec<u8>,
    // Each with the length of `small` in front of it.
    shared: Vec<(usize, Bytes)>,
    shared_len: usize,
    oversized: bool,
}

macro_rules! number {
    ($($name:ident)*) => {$(
        #[doc = concat!("A `", stringify!($name), "`.")]
        #[inline]
        pub fn $name(&mut self, value: $name) {
            let bytes = if self.order == Order::Big { value.to_be_bytes() } else { value.to_le_bytes() };
            self.small.extend_from_slice(&bytes);
        }
    )*};
}

impl Writer {
    /// An empty writer.
    pub fn new(order: Order) -> Writer {
        Writer { order, small: Vec::new(), shared: Vec::new(), shared_len: 0, oversized: false }
    }

    /// The byte order.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Changes the byte order of later numbers.
    pub fn set_order(&mut self, order: Order) {
        self.order = order;
    }

    /// How many bytes it holds, shared ones included.
    pub fn len(&self) -> usize {
        self.small.len() + self.shared_len
    }

    /// How many bytes of memory it has taken itself, used or not.
    pub fn memory(&self) -> usize {
        self.small.capacity() + self.shared.capacity() * size_of::<(usize, Bytes)>()
    }

    /// Whether it refers to memory of others.
    pub fn is_sharing(&self) -> bool {
        !self.shared.is_empty()
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets its content and keeps its buffer.
    pub fn clear(&mut self) {
        self.cut(0, 0, 0);
    }

    /// Gives memory of its buffer back if it has room for more than `bytes` bytes.
    pub fn shrink(&mut self, bytes: usize) {
        // The buffer of one large message would otherwise stay as long as the connection.
        if self.small.capacity() > bytes {
            self.small.shrink_to(bytes);
        }
        if self.shared.capacity() * size_of::<(usize, Bytes)>() > bytes {
            self.shared.shrink_to(0);
        }
    }

    number!(u8 u16 u32 u64 i8 i16 i32 i64 f32 f64);

    /// A truth value.
    pub fn bool(&mut self, value: bool) {
        self.u8(value.into());
    }

    /// A size. One of 2^31 or more makes the message around it fail.
    #[inline]
    pub fn size(&mut self, size: usize) {
        // The protocol writes sizes below 254 in one byte.
        if size < 254 {
            return self.u8(size as u8);
        }
        self.oversized |= size > MAX_PAYLOAD;
        self.u8(254);
        self.u32(size as u32);
    }

    /// The size that means null.
    pub fn null(&mut self) {
        self.u8(255);
    }

    /// A text.
    pub fn str(&mut self, text: &str) {
        self.size(text.len());
        self.raw(text.as_bytes());
    }

    /// Bytes as they are.
    #[inline]
    pub fn raw(&mut self, bytes: &[u8]) {
        self.small.extend_from_slice(bytes);
    }

    /// Bytes as they are; large ones by reference.
    pub fn share(&mut self, bytes: &Bytes) {
        // A small array is copied, because a piece of its own costs more.
        if bytes.len() < SHARE_BYTES {
            return self.raw(bytes);
        }
        self.shared_len += bytes.len();
        self.shared.push((self.small.len(), bytes.clone()));
    }

    /// An encoded value.
    pub fn encoded(&mut self, encoded: &Encoded) {
        encoded.chunks().for_each(|chunk| self.share(chunk));
    }

    /// `elements` of `bytes` bytes each, swapped if the order asks for it.
    pub(crate) fn elements(&mut self, elements: &Bytes, bytes: usize) {
        // Elements in the wanted order need no copy.
        if !self.order.swaps(bytes) {
            return self.share(elements);
        }
        let start = self.small.len();
        self.small.extend_from_slice(elements);
        swap(&mut self.small[start..], bytes);
    }

    /// An application message: its header, and the output of `payload`. Fails, and writes nothing, if that is
    /// more than a message can hold.
    pub fn message(&mut self, server: bool, command: u8, payload: impl FnOnce(&mut Writer)) -> Result<()> {
        let (start, shared, before) = (self.small.len(), self.shared.len(), self.shared_len);
        self.raw(&[0; HEADER_LEN]);
        payload(self);
        let size = self.small.len() - start - HEADER_LEN + self.shared_len - before;
        if size > MAX_PAYLOAD || self.oversized {
            // The buffer is as before, so that other messages in it can still be sent.
            self.cut(start, shared, before);
            return Err(Error::new(format!("a payload of at most {MAX_PAYLOAD} bytes"), size.to_string()));
        }
        // The size is known only behind the payload.
        let header = Header::message(self.order, server, command, size as u32);
        self.small[start..start + HEADER_LEN].copy_from_slice(&header.encode());
        Ok(())
    }

    /// A control message.
    pub fn control(&mut self, server: bool, command: u8, argument: u32) {
        let header = Header::control(self.order, server, command, argument);
        self.raw(&header.encode());
    }

    fn cut(&mut self, small: usize, shared: usize, shared_len: usize) {
        self.small.truncate(small);
        self.shared.truncate(shared);
        self.shared_len = shared_len;
        self.oversized = false;
    }

    /// All pieces in order, for a vectored write.
    pub fn chunks(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.shared.iter().map(|(at, _)| *at));
        let ends = self.shared.iter().map(|(at, _)| *at).chain(std::iter::once(self.small.len()));
        let shared = self.shared.iter().map(|(_, bytes)| &bytes[..]).chain(std::iter::once(&[][..]));
        let pairs = starts.zip(ends).zip(shared);
        pairs.flat_map(|((start, end), shared)| [&self.small[start..end], shared]).filter(|c| !c.is_empty())
    }

    /// Takes out the written bytes, to be kept and sent many times. The buffer stays with the writer.
    pub fn take(&mut self) -> Encoded {
        // The copy is as large as its content, while the buffer keeps its room.
        let small = Bytes::copy_from_slice(&self.small);
        let encoded = if self.shared.is_empty() { Encoded::from(small) } else { self.rope(&small) };
        self.clear();
        encoded
    }

    fn rope(&self, small: &Bytes) -> Encoded {
        let mut chunks = Vec::with_capacity(2 * self.shared.len() + 1);
        let mut start = 0;
        for (at, shared) in &self.shared {
            chunks.extend([small.slice(start..*at), shared.clone()]);
            start = *at;
        }
        chunks.push(small.slice(start..));
        Encoded::from_chunks(chunks)
    }

    /// Everything in one piece, copied.
    pub fn to_vec(&self) -> Vec<u8> {
        self.chunks().collect::<Vec<_>>().concat()
    }
}

/// Reverses the bytes of each element of `size` bytes.
pub(crate) fn swap(bytes: &mut [u8], size: usize) {
    // As numbers, so that the compiler makes vector shuffles of it.
    macro_rules! swapped {
        ($t:ty) => {
            for e in bytes.as_chunks_mut::<{ size_of::<$t>() }>().0 {
                *e = <$t>::from_ne_bytes(*e).swap_bytes().to_ne_bytes();
            }
        };
    }
    match size {
        2 => swapped!(u16),
        4 => swapped!(u32),
        8 => swapped!(u64),
        // Bytes have no order.
        _ => {}
    }
}
