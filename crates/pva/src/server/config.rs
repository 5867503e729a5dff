//! The configuration of a server.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use livetime_guests::Bounds;

use super::{Access, Log};
use crate::net::Destination;

/// The port that clients try first.
pub const TCP_PORT: u16 = 5075;

/// The port of searches and beacons.
pub const UDP_PORT: u16 = 5076;

/// The configuration of a server.
///
/// ```
/// use livetime_pva::server::ServerConfig;
///
/// let everywhere = ServerConfig::default();
/// let private = ServerConfig::loopback();
/// assert_eq!(private.tcp_port, 0);
/// ```
#[derive(Clone)]
pub struct ServerConfig {
    /// Addresses of this machine at which to listen; `0.0.0.0` means all, `::` all of both IPv4 and IPv6. A
    /// machine without IPv6 listens at the others and reports that.
    pub addresses: Vec<IpAddr>,
    /// Multicast groups whose searches are answered. Their ports count for nothing.
    pub groups: Vec<Destination>,
    /// The port for connections. If it is taken, or 0, another one is found and announced.
    pub tcp_port: u16,
    /// The port for searches, shared with other servers. `None`: no searches, no beacons.
    pub udp_port: Option<u16>,
    /// Where to announce the server.
    pub beacons: Vec<Destination>,
    /// Searches from here are ignored; port 0 means every port.
    pub ignore: Vec<SocketAddr>,
    /// How many threads serve connections.
    pub shards: usize,
    /// How long a thread polls before it sleeps. Polling saves wake-ups and occupies a core.
    pub spin: Duration,
    /// Rules of the clients that may write.
    pub access: Access,
    /// Added to the refusal of a write: how it could be allowed. `{host}` becomes the address of the client.
    pub hint: String,
    /// Whether types that a client knows already are sent as numbers.
    pub type_cache: bool,
    /// When to give up.
    pub timeouts: Timeouts,
    /// The limits of one client.
    pub limits: Limits,
    /// Receives the events of the server.
    pub log: Option<Log>,
}

impl Default for ServerConfig {
    /// At all interfaces and the usual ports, without beacons.
    fn default() -> ServerConfig {
        ServerConfig {
            addresses: vec![Ipv6Addr::UNSPECIFIED.into()],
            groups: Vec::new(),
            tcp_port: TCP_PORT,
            udp_port: Some(UDP_PORT),
            beacons: Vec::new(),
            ignore: Vec::new(),
            shards: 1,
            spin: Duration::ZERO,
            access: Access::default(),
            hint: String::new(),
            type_cache: true,
            timeouts: Timeouts::default(),
            limits: Limits::default(),
            log: None,
        }
    }
}

impl ServerConfig {
    /// On this machine only, at any port, without searches.
    /// [`Server::tcp_address`](super::Server::tcp_address) returns the address; for tests, and for clients
    /// that are given the address.
    pub fn loopback() -> ServerConfig {
        ServerConfig {
            addresses: vec![Ipv4Addr::LOCALHOST.into()],
            tcp_port: 0,
            udp_port: None,
            ..ServerConfig::default()
        }
    }
}

impl std::fmt::Debug for ServerConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerConfig")
            .field("addresses", &self.addresses)
            .field("groups", &self.groups)
            .field("tcp_port", &self.tcp_port)
            .field("udp_port", &self.udp_port)
            .field("beacons", &self.beacons)
            .finish_non_exhaustive()
    }
}

/// When to give up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timeouts {
    /// For the handshake of a new connection.
    pub handshake: Duration,
    /// Without a sign of the client; it should send one every 15 s.
    pub idle: Duration,
    /// The time-out of a client that does not read.
    pub stalled: Duration,
    /// For a message, from its first byte to its last, in however many segments.
    pub message: Duration,
}

impl Default for Timeouts {
    /// 5 s, 40 s, 40 s, 120 s.
    fn default() -> Timeouts {
        let long = Duration::from_secs(40);
        let message = Duration::from_secs(120);
        Timeouts { handshake: Duration::from_secs(5), idle: long, stalled: long, message }
    }
}

/// The bounds for clients.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Connections in all.
    pub connections: usize,
    /// Connections from one address.
    pub connections_per_host: usize,
    /// Channels of one connection.
    pub channels: usize,
    /// Operations of one connection.
    pub requests: usize,
    /// Bytes in a message from a client.
    pub message: usize,
    /// The most updates queued for one monitor, whatever queue size it requests.
    pub queue: usize,
    /// Bytes that wait for one monitor; one update always may.
    pub queue_bytes: usize,
    /// Monitors of one PV from one address.
    pub monitors_per_pv: usize,
    /// The most bytes that the server keeps for one connection: for channels, monitors, queued updates,
    /// incoming messages, and data that the client does not read. Queued updates may take half of it; beyond
    /// that, the newest update replaces the previous one. One update may always be queued.
    pub memory_per_connection: usize,
    /// The most memory for all connections from one address.
    pub memory_per_host: usize,
    /// The most memory for all connections.
    pub memory: usize,
    /// Searches per second from one address.
    pub searches: u32,
}

impl Limits {
    /// The bounds for all clients together.
    pub(crate) fn bounds(&self) -> Bounds {
        let Limits {
            connections, connections_per_host, memory_per_connection, memory_per_host, memory, ..
        } = *self;
        Bounds { connections, connections_per_host, memory_per_connection, memory_per_host, memory }
    }

    /// No more connections than the process may have files.
    pub(crate) fn affordable(self) -> Limits {
        let Bounds { connections, connections_per_host, .. } = self.bounds().affordable();
        Limits { connections, connections_per_host, ..self }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 4096,
            connections_per_host: 1024,
            channels: 200_000,
            requests: 400_000,
            message: 64 << 20,
            queue: 256,
            queue_bytes: 64 << 20,
            monitors_per_pv: 1000,
            memory_per_connection: 192 << 20,
            memory_per_host: 256 << 20,
            memory: 512 << 20,
            searches: 10_000,
        }
    }
}
