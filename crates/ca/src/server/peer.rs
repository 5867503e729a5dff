//! A client.

use std::net::SocketAddr;

/// Who asks: an address, and the names that the client gives itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Peer {
    /// From where.
    pub address: SocketAddr,
    /// The user, as the client says.
    pub user: String,
    /// The host, as the client says. Nothing may depend on it: any client can say anything.
    pub host: String,
}
