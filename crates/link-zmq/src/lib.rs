//! Links over ZeroMQ: the carrier [`Zmq`] speaks ZMTP 3.1, the wire protocol of ZeroMQ, as one PAIR socket.
//!
//! A message of a link is a multipart message: its head ([`livetime_link::wire`]), then the payload of each frame. So any
//! program with libzmq can take part: a proxy of two PAIR sockets passes a link on, in both directions.
//!
//! The protocol is spoken here and not by libzmq, so that payloads go from the memory of frames to the socket and back
//! without a copy and without a thread in between, and so that the sizes and the number of parts, which libzmq does not
//! bound for a message, are checked before memory is taken (`docs/decisions/025-zeromq.md`).
//!
//! With [`Keys`] both ends prove who they are, and everything is encrypted (CURVE, as libzmq has it).
//!
//! A peer that is no PAIR, has another key, or speaks something else, is told so and disconnected.

#![deny(missing_docs)]
#![forbid(unsafe_code)]

mod carrier;
mod curve;
mod handshake;
mod incoming;
mod keys;
mod outgoing;
mod z85;
mod zmtp;

pub use carrier::Zmq;
pub use keys::{KeyError, Keys, create as create_keys};
pub use zmtp::ZmtpError;
