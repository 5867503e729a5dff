//! Carriers: bytes both ways between exactly two ends.
//!
//! A carrier keeps order until it breaks, and may lose everything under way when it breaks. All else is the protocol's
//! work. A carrier that breaks is connected again by both ends; the protocol goes on from what the receiver has.
//!
//! # How other engines fit
//!
//! **ZeroMQ** (`livetime-link-zmq`): one connection of two PAIR sockets per link, with CURVE keys of the two hosts. A
//! message is a multipart message: the head, then one part for each payload. High-water marks do not matter, because credits
//! keep the queues short.
//!
//! **Kafka** is the crate `livetime-link-kafka`: a topic is the log of what a sender says, and each end's carrier plays
//! the missing end. What only a store between the ends can know travels as a [`Notice`](crate::Notice).

pub mod memory;
mod stream;
pub mod tcp;

use std::fmt;
use std::io;
use std::time::Duration;

use livetime_frame::{Frame, FrameMut};

use crate::message::Message;
use crate::wire::{FrameHead, WireError};
pub use stream::{Rest, is_small, write_all};

/// Finds memory for a frame. It may wait for memory; `None` breaks the connection.
pub type Memory<'a> = &'a mut dyn FnMut(&FrameHead) -> Option<FrameMut>;

/// One end of a carrier, which connects to the other end again and again.
pub trait Carrier: Send {
    /// Waits for a connection, at most this long; `None` when there is none yet. Both halves of the connection before must
    /// have been closed or dropped.
    ///
    /// # Errors
    /// [`CarrierError`] when this end will never connect, such as an address that is in use.
    fn connect(&mut self, wait: Duration) -> Result<Option<Connected>, CarrierError>;

    /// Where this end waits for its peer, for a peer to connect to; `None` for an end that connects.
    fn address(&self) -> Option<String> {
        None
    }
}

/// The two halves of a connection, for a thread each.
pub type Connected = (Box<dyn Outgoing>, Box<dyn Incoming>);

/// The half of a connection that sends.
pub trait Outgoing: Send {
    /// Sends a message. May wait as long as the other end does not read.
    ///
    /// # Errors
    /// [`CarrierError`] when the connection is broken. The message may have come through or not.
    fn send(&mut self, message: &Message<Frame>) -> Result<(), CarrierError>;

    /// Sends as much of a message as goes without a wait, and says whether that is all. If not, the next call must be
    /// [`Outgoing::send`] with the same message; it sends the rest. A carrier whose sends may always wait sends nothing.
    ///
    /// # Errors
    /// As [`Outgoing::send`].
    fn send_at_once(&mut self, _message: &Message<Frame>) -> Result<bool, CarrierError> {
        Ok(false)
    }

    /// Breaks the connection, also for the other half.
    fn close(&mut self);
}

/// The half of a connection that receives.
pub trait Incoming: Send {
    /// Waits for the next message.
    ///
    /// # Errors
    /// [`CarrierError`] when the connection is broken, or the bytes are no message.
    fn receive(&mut self, memory: Memory<'_>) -> Result<Message<Frame>, CarrierError>;
}

/// Why a connection ends.
#[derive(Debug)]
pub enum CarrierError {
    /// The connection is broken, or could not be made.
    Broken(io::Error),
    /// A message that does not fit the wire form.
    Wire(WireError),
    /// There is no memory for a frame.
    NoMemory,
    /// The peer does not speak the protocol below the messages or may not come in, or it is not for this link.
    Refused(Box<dyn std::error::Error + Send + Sync>),
}

impl CarrierError {
    /// The peer is refused, for this reason.
    pub fn refused(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> CarrierError {
        CarrierError::Refused(why.into())
    }
}

impl fmt::Display for CarrierError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CarrierError::Broken(e) => write!(f, "the link is broken: {e}"),
            CarrierError::Wire(e) => e.fmt(f),
            CarrierError::Refused(e) => e.fmt(f),
            CarrierError::NoMemory => write!(f, "the link is closed: wanted memory for a frame, found none"),
        }
    }
}

impl std::error::Error for CarrierError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CarrierError::Broken(e) => Some(e),
            CarrierError::Wire(e) => Some(e),
            CarrierError::Refused(e) => Some(&**e),
            CarrierError::NoMemory => None,
        }
    }
}

impl From<io::Error> for CarrierError {
    fn from(error: io::Error) -> CarrierError {
        CarrierError::Broken(error)
    }
}

impl From<WireError> for CarrierError {
    fn from(error: WireError) -> CarrierError {
        CarrierError::Wire(error)
    }
}
