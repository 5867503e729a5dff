//! Events of a server, for its owner.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use super::Peer;
use crate::wire::Status;

/// Receives the events of a server. The function is called from the server's threads, and from threads that answer puts
/// and calls, and must not block.
pub type Log = Arc<dyn Fn(&Event) + Send + Sync>;

/// Something that happened.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// The server accepts connections.
    Listening {
        /// Where.
        address: SocketAddr,
        /// Why it is another port than the one that was asked for, if it is.
        moved: Option<String>,
    },
    /// A client connected.
    Connected(SocketAddr),
    /// A connection ended.
    Closed {
        /// The client.
        peer: Arc<Peer>,
        /// Why.
        reason: String,
    },
    /// A client wrote, or called a procedure. The event follows the answer.
    Write {
        /// Which channel.
        channel: String,
        /// The client.
        peer: Arc<Peer>,
        /// The fields, or the function that was called.
        what: String,
        /// Why it was refused, if it was: by the access rules, or by the PV's handler.
        outcome: Result<(), Status>,
    },
    /// Something did not work; the server continues.
    Problem(String),
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Listening { address, moved: None } => write!(f, "listening at {address}"),
            Event::Listening { address, moved: Some(reason) } => {
                write!(f, "listening at {address}, because {reason}")
            }
            Event::Connected(address) => write!(f, "{address} connected"),
            Event::Closed { peer, reason } => write!(f, "connection of {peer} closed: {reason}"),
            Event::Write { channel, peer, what, outcome: Ok(()) } => {
                write!(f, "{peer} wrote {channel}: {what}")
            }
            Event::Write { channel, peer, what, outcome: Err(reason) } => {
                write!(f, "{peer} was refused to write {channel}: {what}: {}", reason.message)
            }
            Event::Problem(text) => f.write_str(text),
        }
    }
}
