//! The eight bytes in front of every message.

use super::Order;
use crate::{Error, Result};

/// The first byte of every message.
pub const MAGIC: u8 = 0xCA;

/// The version of the protocol that we speak.
pub const VERSION: u8 = 2;

/// The length of a header in bytes.
pub const HEADER_LEN: usize = 8;

// Flags of a header: a control message; sent by a server; big-endian.
const CONTROL: u8 = 0x01;
const SERVER: u8 = 0x40;
const BIG: u8 = 0x80;

/// Which part of a message follows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Segment {
    /// All of it.
    #[default]
    Whole,
    /// Its beginning.
    First,
    /// Something between beginning and end.
    Middle,
    /// Its end.
    Last,
}

/// The header in front of every message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Header {
    /// The version of the sender.
    pub version: u8,
    /// Whether it is a control message, which has no payload.
    pub control: bool,
    /// Which part of a message follows.
    pub segment: Segment,
    /// Whether a server sent it.
    pub server: bool,
    /// The byte order of header and payload.
    pub order: Order,
    /// The kind of the message.
    pub command: u8,
    /// The length of the payload in bytes; of a control message its argument.
    pub size: u32,
}

impl Header {
    /// The header of a whole application message.
    pub fn message(order: Order, server: bool, command: u8, size: u32) -> Header {
        Header { version: VERSION, control: false, segment: Segment::Whole, server, order, command, size }
    }

    /// A control message.
    pub fn control(order: Order, server: bool, command: u8, argument: u32) -> Header {
        Header { control: true, ..Header::message(order, server, command, argument) }
    }

    /// Reads a header. It must begin with the magic byte and have a version of at least 1.
    pub fn decode(bytes: &[u8; HEADER_LEN]) -> Result<Header> {
        let [magic, version, flags, command, size @ ..] = *bytes;
        if magic != MAGIC {
            return Err(Error::at(0, "the magic byte 0xCA", format!("0x{magic:02X}")));
        }
        if version == 0 {
            return Err(Error::at(1, "version 1 or higher", "0"));
        }
        let order = if flags & BIG == 0 { Order::Little } else { Order::Big };
        // The flags of the same header name the byte order of the size.
        let size = if order == Order::Big { u32::from_be_bytes(size) } else { u32::from_le_bytes(size) };
        let (control, server) = (flags & CONTROL != 0, flags & SERVER != 0);
        Ok(Header { version, control, segment: segment(flags), server, order, command, size })
    }

    /// The eight bytes.
    pub fn encode(&self) -> [u8; HEADER_LEN] {
        let big = self.order == Order::Big;
        // The table has the order of `Segment`.
        let segment = [0x00, 0x10, 0x30, 0x20][self.segment as usize];
        let bit = |is: bool, bit: u8| if is { bit } else { 0 };
        let flags = bit(self.control, CONTROL) | bit(self.server, SERVER) | bit(big, BIG);
        let [a, b, c, d] = if big { self.size.to_be_bytes() } else { self.size.to_le_bytes() };
        [MAGIC, self.version, flags | segment, self.command, a, b, c, d]
    }
}

fn segment(flags: u8) -> Segment {
    match flags & 0x30 {
        0x10 => Segment::First,
        0x30 => Segment::Middle,
        0x20 => Segment::Last,
        _ => Segment::Whole,
    }
}
