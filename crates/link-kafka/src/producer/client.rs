//! The client of a writing end.

use livetime_link::carrier::CarrierError;
use rdkafka::producer::ThreadedProducer;

use super::state::Deliveries;

/// The client of a writing end.
pub(super) type Client = ThreadedProducer<Deliveries>;

/// The end of a connection, for this reason.
pub(super) fn broken(why: &str) -> CarrierError {
    CarrierError::Broken(std::io::Error::other(why))
}
