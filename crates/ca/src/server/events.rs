//! Events of a server, for a log.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use super::Peer;

/// Is told of events. It is called by the thread of the server and must not wait.
pub type Log = Arc<dyn Fn(&Event) + Send + Sync>;

/// An event of a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// A client has connected.
    Connected(SocketAddr),
    /// The server ends: it cannot wait for its sockets.
    Ended(String),
    /// A connection was not accepted.
    Refused {
        /// The address of the client.
        address: SocketAddr,
        /// For people.
        reason: String,
    },
    /// A connection has ended.
    Closed {
        /// The client.
        peer: Arc<Peer>,
        /// For people.
        reason: String,
    },
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Connected(address) => write!(f, "{address} connected"),
            Event::Ended(reason) => write!(f, "the server ends: {reason}"),
            Event::Refused { address, reason } => write!(f, "refused {address}: {reason}"),
            Event::Closed { peer, reason } => write!(f, "{} closed: {reason}", peer.address),
        }
    }
}
