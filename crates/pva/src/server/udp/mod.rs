//! Searches and beacons.

mod answer;
mod beacon;
mod datagram;
mod limit;
mod responder;

pub(crate) use responder::Responder;
