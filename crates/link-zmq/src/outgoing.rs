//! The half of a connection that sends.

use std::borrow::Cow;
use std::io::IoSlice;
use std::net::{Shutdown, TcpStream};

use livetime_frame::Frame;
use livetime_link::carrier::{CarrierError, Outgoing, write_all};
use livetime_link::wire::{encode, payload};
use livetime_link::{Body, Message};

use crate::zmtp::{Head, MAX_HEAD_BYTES};

pub(crate) struct ZmqOutgoing {
    stream: TcpStream,
    /// The head of a message, whose memory is kept.
    head: Vec<u8>,
    /// The heads of all parts, one behind the other.
    heads: Vec<u8>,
}

impl ZmqOutgoing {
    pub(crate) fn new(stream: TcpStream) -> ZmqOutgoing {
        ZmqOutgoing { stream, head: Vec::new(), heads: Vec::new() }
    }

    fn write(&mut self, parts: &[&[u8]]) -> Result<(), CarrierError> {
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
        Ok(write_all(&mut self.stream, &mut slices)?)
    }
}

impl Outgoing for ZmqOutgoing {
    fn send(&mut self, message: &Message<Frame>) -> Result<(), CarrierError> {
        let mut head = std::mem::take(&mut self.head);
        head.clear();
        encode(message, &mut head)?;
        let frames: &[Frame] = if let Body::Data(data) = &message.body { &data.frames } else { &[] };
        let payloads: Vec<Cow<'_, [u8]>> = frames.iter().map(payload).collect();
        let mut parts = Vec::with_capacity(1 + payloads.len());
        parts.push(&*head);
        parts.extend(payloads.iter().map(|payload| &**payload));
        self.write(&parts)?;
        self.head = head;
        Ok(())
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
