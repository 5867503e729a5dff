//! A client.

use std::fmt;
use std::net::SocketAddr;

/// The origin of a request: an address, and the names that the client gives itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Peer {
    /// From where.
    pub address: SocketAddr,
    /// The user, as the client says.
    pub user: String,
    /// The host, as the client says. Nothing may depend on it: any client can say anything.
    pub host: String,
    /// Whether the connection comes from this machine, at whichever of its addresses.
    pub is_local: bool,
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.user.as_str() {
            "" => write!(f, "{}", self.address),
            user => write!(f, "{user} at {}", self.address),
        }
    }
}
