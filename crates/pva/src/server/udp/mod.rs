//! Searches and beacons.

mod answer;
mod beacon;
mod datagram;
mod responder;
mod sockets;

pub use answer::{Answer, Arrival};
pub(crate) use responder::Responder;
