//! Messages out of a stream of bytes.

use bytes::{Buf, Bytes, BytesMut};

use super::Header;
use crate::{Error, Result};

/// A header and its payload.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// The header.
    pub header: Header,
    /// The payload with its padding.
    pub payload: Bytes,
}

/// Puts messages together from pieces of a stream. It keeps at most one message and one piece.
#[derive(Debug)]
pub struct Assembler {
    bytes: BytesMut,
    most: usize,
    // Bytes of a payload that is passed over, which have not come yet.
    skipped: usize,
}

/// After a message with a longer payload the memory for it is given back.
const LARGE: usize = 64 << 10;

impl Assembler {
    /// For messages whose payload has at most `most` bytes.
    pub fn new(most: usize) -> Assembler {
        Assembler { bytes: BytesMut::new(), most, skipped: 0 }
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, piece: &[u8]) {
        let skipped = self.skipped.min(piece.len());
        self.skipped -= skipped;
        self.bytes.extend_from_slice(&piece[skipped..]);
    }

    /// The header of the next message, whose payload need not have come.
    #[inline]
    pub fn header(&self) -> Option<Header> {
        Header::decode(&self.bytes).map(|(header, _)| header)
    }

    /// Passes over the next message, as far as it has come and as far as it will come.
    pub fn skip(&mut self) {
        let Some((header, len)) = Header::decode(&self.bytes) else { return };
        let whole = len.saturating_add(header.size as usize);
        let here = whole.min(self.bytes.len());
        self.bytes.advance(here);
        self.skipped = whole - here;
    }

    /// How many bytes the next message has, if it has not come whole; 0 while its header has not.
    pub fn expected(&self) -> usize {
        let whole =
            Header::decode(&self.bytes).map_or(0, |(header, len)| len.saturating_add(header.size as usize));
        if whole > self.bytes.len() { whole } else { 0 }
    }

    /// Whether a message has begun and not come whole.
    pub fn is_inside(&self) -> bool {
        self.skipped > 0 || self.expected() > 0 || (!self.bytes.is_empty() && self.header().is_none())
    }

    /// Makes room for the rest of a message at once, so that its memory does not grow in steps that each take twice as much.
    pub fn make_room(&mut self) {
        let missing = self.expected().saturating_sub(self.bytes.len());
        self.bytes.reserve(missing);
    }

    /// The next whole message; `None` until more bytes come.
    ///
    /// # Errors
    /// When a payload is larger than allowed. The stream cannot be read further then.
    #[allow(clippy::should_implement_trait)] // an iterator would end at the first missing byte
    #[inline]
    pub fn next(&mut self) -> Result<Option<Message>> {
        let Some((header, len)) = Header::decode(&self.bytes) else { return Ok(None) };
        // The check comes before any room is made for a payload that was only announced.
        let size = usize::try_from(header.size).unwrap_or(usize::MAX);
        if size > self.most {
            return Err(Error::new(format!("a payload of at most {} bytes", self.most), format!("{size}")));
        }
        if self.bytes.len() < len + size {
            return Ok(None);
        }
        self.bytes.advance(len);
        // Most requests have no payload; a part of nothing would have to be shared.
        let payload = if size == 0 { Bytes::new() } else { self.bytes.split_to(size).freeze() };
        if size > LARGE && self.bytes.is_empty() {
            self.bytes = BytesMut::new();
        }
        Ok(Some(Message { header, payload }))
    }

    /// How many bytes it holds.
    pub fn held(&self) -> usize {
        self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn message(command: u16, payload: &[u8]) -> Vec<u8> {
        let size = payload.len() as u32;
        let mut bytes = Vec::new();
        Header { command, size, ..Header::default() }.encode(&mut bytes);
        bytes.extend(payload);
        bytes
    }

    #[test]
    fn a_payload_that_is_too_large_is_refused_before_it_comes() {
        let mut assembler = Assembler::new(64);
        assembler.push(&message(4, &[0; 72])[..16]);
        assert_eq!(
            assembler.next().unwrap_err().to_string(),
            "wanted a payload of at most 64 bytes, found 72"
        );
    }

    #[test]
    fn a_message_that_is_passed_over_needs_no_memory() {
        let stream = [message(4, &[1; 4000]), message(5, &[2; 8])].concat();
        for cut in [16, 100, 4016, 4020] {
            let mut assembler = Assembler::new(8000);
            assembler.push(&stream[..cut]);
            assert_eq!(assembler.header().map(|header| header.size), Some(4000));
            assert_eq!(assembler.expected(), if cut < 4016 { 4016 } else { 0 }, "{cut}");
            assembler.skip();
            assert_eq!((assembler.held(), assembler.is_inside()), (cut.saturating_sub(4016), cut != 4016));
            assembler.push(&stream[cut..]);
            let found = assembler.next().unwrap().unwrap();
            assert_eq!((found.header.command, &found.payload[..]), (5, &[2; 8][..]));
            assert!(!assembler.is_inside());
        }
    }

    proptest! {
        /// However a stream is cut, its messages come out.
        #[test]
        fn pieces_make_messages(payloads in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 1..9), cut in 1_usize..50) {
            let stream: Vec<u8> = payloads.iter().flat_map(|payload| message(15, payload)).collect();
            let mut assembler = Assembler::new(1000);
            let mut found = Vec::new();
            for piece in stream.chunks(cut) {
                assembler.push(piece);
                while let Some(message) = assembler.next().unwrap() {
                    found.push(message.payload.to_vec());
                }
            }
            prop_assert_eq!(found, payloads);
            prop_assert_eq!(assembler.held(), 0);
        }
    }
}
