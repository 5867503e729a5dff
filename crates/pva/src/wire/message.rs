//! A message as it came.

use bytes::Bytes;

use super::{Header, Reader};

/// A message: a control message without payload, or a whole application message.
#[derive(Clone, Debug)]
pub struct Message<'a> {
    /// Its header. Of a message that came in segments, the header of the first.
    pub header: Header,
    /// Its payload.
    pub payload: Payload<'a>,
    /// How many bytes it had if it was too long: then `payload` has only the first of them.
    pub too_long: Option<usize>,
}

/// Where a payload lies.
#[derive(Clone, Debug)]
pub enum Payload<'a> {
    /// In memory that will be used again.
    Borrowed(&'a [u8]),
    /// In memory of its own, which arrays may share.
    Shared(Bytes),
}

impl Message<'_> {
    /// The payload.
    pub fn bytes(&self) -> &[u8] {
        match &self.payload {
            Payload::Borrowed(bytes) => bytes,
            Payload::Shared(bytes) => bytes,
        }
    }

    /// Reads the payload; large arrays share it if it has memory of its own.
    pub fn reader(&self) -> Reader<'_> {
        match &self.payload {
            Payload::Borrowed(bytes) => Reader::new(bytes, self.header.order),
            Payload::Shared(bytes) => Reader::shared(bytes, self.header.order),
        }
    }
}
