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
}

impl Assembler {
    /// For messages whose payload has at most `most` bytes.
    pub fn new(most: usize) -> Assembler {
        Assembler { bytes: BytesMut::new(), most }
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
    }

    /// The next whole message; `None` until more bytes come.
    ///
    /// # Errors
    /// When a payload is larger than allowed. The stream cannot be read further then.
    #[allow(clippy::should_implement_trait)] // an iterator would end at the first missing byte
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
        Ok(Some(Message { header, payload: self.bytes.split_to(size).freeze() }))
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
