//! The client at the other end of a connection.

use std::net::SocketAddr;

/// The identity of a client, as far as it is known.
///
/// The address is certain. Account and host are claims of the client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Peer {
    /// Where the connection comes from.
    pub address: SocketAddr,
    /// How the client identified itself: `ca` or `anonymous`.
    pub method: String,
    /// The account that the client claims; empty if it claims none.
    pub account: String,
    /// The host that the client claims; empty if it claims none.
    pub host: String,
    /// The groups that the client claims; no known client does.
    pub roles: Vec<String>,
    /// Whether the connection comes from this machine, at whichever of its addresses.
    pub local: bool,
}

impl Peer {
    /// A client at `address` that has not identified itself yet.
    pub fn anonymous(address: SocketAddr) -> Peer {
        let address = SocketAddr::new(address.ip().to_canonical(), address.port());
        Peer {
            local: address.ip().is_loopback(),
            address,
            method: "anonymous".into(),
            account: String::new(),
            host: String::new(),
            roles: Vec::new(),
        }
    }

    /// Whether the connection comes from this machine.
    pub fn is_local(&self) -> bool {
        self.local
    }
}

impl std::fmt::Display for Peer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.account.as_str() {
            "" => write!(f, "{}", self.address),
            account => write!(f, "{account} at {}", self.address),
        }
    }
}
