//! The half of a connection that sends.

use std::borrow::Cow;
use std::io::{IoSlice, Write};
use std::net::{Shutdown, TcpStream};

use livetime_frame::Frame;
use livetime_link::carrier::{CarrierError, Outgoing, Rest, is_small, write_all};
use livetime_link::wire::{encode, payload};
use livetime_link::{Body, Message};

use crate::curve::{SEALED_BYTES, Sealer};
use crate::zmtp::{Head, MAX_HEAD_BYTES};

/// Sealed bytes that wait for more of their message at most, but for one part.
const TOGETHER_BYTES: usize = 64 << 10;

pub(crate) struct ZmqOutgoing {
    stream: TcpStream,
    sealer: Option<Sealer>,
    /// The head of a message, whose memory is kept.
    head: Vec<u8>,
    /// The heads of all parts, one behind the other; sealed parts with their heads.
    heads: Vec<u8>,
    rest: Rest,
}

impl ZmqOutgoing {
    pub(crate) fn new(stream: TcpStream, sealer: Option<Sealer>) -> ZmqOutgoing {
        ZmqOutgoing { stream, sealer, head: Vec::new(), heads: Vec::new(), rest: Rest::default() }
    }

    /// Parts go out sealed, small ones together.
    fn write_sealed(&mut self, parts: &[&[u8]], sealer: &mut Sealer, how: How) -> Result<bool, CarrierError> {
        self.heads.clear();
        for (place, part) in parts.iter().enumerate() {
            let bytes = MAX_HEAD_BYTES + SEALED_BYTES + part.len();
            // A small message is sealed whole: of sealed parts none may be left out.
            if how == How::Whole && !self.heads.is_empty() && self.heads.len() + bytes > TOGETHER_BYTES {
                self.stream.write_all(&self.heads)?;
                self.heads.clear();
            }
            self.heads.reserve(bytes);
            sealer.put(part, place + 1 < parts.len(), &mut self.heads)?;
        }
        how.write(&mut self.stream, &mut [IoSlice::new(&self.heads)], &mut self.rest)
    }

    fn write(&mut self, parts: &[&[u8]], how: How) -> Result<bool, CarrierError> {
        self.heads.clear();
        let mut ends = Vec::with_capacity(parts.len());
        for (place, part) in parts.iter().enumerate() {
            let more = place + 1 < parts.len();
            Head { more, command: false, len: part.len() as u64 }.put(&mut self.heads);
            ends.push(self.heads.len());
        }
        let mut slices = Vec::with_capacity(2 * parts.len());
        let mut start = 0;
        for (part, end) in parts.iter().zip(ends) {
            debug_assert!(end - start <= MAX_HEAD_BYTES);
            slices.extend([IoSlice::new(&self.heads[start..end]), IoSlice::new(part)]);
            start = end;
        }
        how.write(&mut self.stream, &mut slices, &mut self.rest)
    }

    /// Sends a message; false when a rest of it is left.
    fn put(&mut self, message: &Message<Frame>, how: How) -> Result<bool, CarrierError> {
        let mut head = std::mem::take(&mut self.head);
        head.clear();
        encode(message, &mut head)?;
        let frames: &[Frame] = if let Body::Data(data) = &message.body { &data.frames } else { &[] };
        let payloads: Vec<Cow<'_, [u8]>> = frames.iter().map(payload).collect();
        let mut parts = Vec::with_capacity(1 + payloads.len());
        parts.push(&*head);
        parts.extend(payloads.iter().map(|payload| &**payload));
        let written = match self.sealer.take() {
            None => self.write(&parts, how),
            Some(mut sealer) => {
                let written = self.write_sealed(&parts, &mut sealer, how);
                self.sealer = Some(sealer);
                written
            }
        };
        self.head = head;
        written
    }
}

/// How bytes are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// All of them, however long it takes.
    Whole,
    /// As many as the socket takes without a wait.
    AtOnce,
}

impl How {
    fn write(
        self,
        to: &mut TcpStream,
        slices: &mut [IoSlice<'_>],
        rest: &mut Rest,
    ) -> Result<bool, CarrierError> {
        match self {
            How::Whole => Ok(write_all(to, slices).map(|()| true)?),
            How::AtOnce => Ok(rest.write_at_once(to, slices)?),
        }
    }
}

impl Outgoing for ZmqOutgoing {
    fn send(&mut self, message: &Message<Frame>) -> Result<(), CarrierError> {
        if !self.rest.write(&mut self.stream)? {
            self.put(message, How::Whole)?;
        }
        Ok(())
    }

    fn send_at_once(&mut self, message: &Message<Frame>) -> Result<bool, CarrierError> {
        if is_small(message) { self.put(message, How::AtOnce) } else { Ok(false) }
    }

    fn close(&mut self) {
        // An error says that it is closed already.
        _ = self.stream.shutdown(Shutdown::Both);
    }
}

impl Drop for ZmqOutgoing {
    fn drop(&mut self) {
        self.close();
    }
}
