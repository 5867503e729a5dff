//! Events of a server, for a log.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use super::Peer;

/// Is told of events. It is called by the thread of the server and must not wait.
pub type Log = Arc<dyn Fn(&Event) + Send + Sync>;

/// An event of a server.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Event {
    /// A client has connected.
    Connected(SocketAddr),
    /// A request was refused.
    Refused {
        /// The client.
        peer: Arc<Peer>,
        /// The request, and the reason, for people.
        text: String,
    },
    /// A connection has ended.
    Closed {
        /// The client.
        peer: Arc<Peer>,
        /// For people.
        reason: String,
    },
    /// Something did not work, or a bound for all clients was reached; the server continues.
    Problem(String),
    /// The server ends: it cannot wait for its sockets.
    Ended(String),
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Connected(address) => write!(f, "{address} connected"),
            Event::Refused { peer, text } => write!(f, "{peer}: {text}"),
            Event::Closed { peer, reason } => write!(f, "connection of {peer} closed: {reason}"),
            Event::Problem(text) => f.write_str(text),
            Event::Ended(reason) => write!(f, "the server ends: {reason}"),
        }
    }
}
