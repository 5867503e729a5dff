//! Settings of a server.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use livetime_guests::{Bounds, Guests};

use super::Log;
use crate::wire::{REPEATER_PORT, SERVER_PORT};

/// Settings of a server.
#[derive(Clone)]
pub struct ServerConfig {
    /// Where it listens, for connections and for searches. With loopback addresses alone, it answers this machine only.
    pub addresses: Vec<IpAddr>,
    /// The port for connections; if it is taken at one of the addresses, any other.
    pub tcp_port: u16,
    /// The port for searches; `None`: clients find the server by its address only.
    pub udp_port: Option<u16>,
    /// Broadcast addresses at which it hears searches, too: a socket with an address of its own hears none of these.
    pub broadcasts: Vec<Ipv4Addr>,
    /// Searches from here are ignored; port 0 means every port.
    pub ignore: Vec<SocketAddr>,
    /// Where beacons go.
    pub beacons: Vec<SocketAddr>,
    /// The longest time between two beacons; the first ones come faster.
    pub beacon_period: Duration,
    /// Bounds on the requests of clients.
    pub limits: Limits,
    /// The clients of another server of this program, whose bounds this one shares; `None`: `limits.bounds`.
    pub guests: Option<Guests>,
    /// Is told of events, on the thread of the server.
    pub log: Option<Log>,
}

/// Bounds on the requests of clients.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections and memory of all clients, of a host and of a connection.
    pub bounds: Bounds,
    /// Channels of one connection.
    pub channels: usize,
    /// Monitors of one connection.
    pub monitors: usize,
    /// Monitors of one record from one host.
    pub monitors_per_record: usize,
    /// Puts of one connection that are not done yet.
    pub puts: usize,
    /// Bytes of one message from a client.
    pub message: usize,
    /// Bytes that wait for a client before its answers wait, too.
    pub output: usize,
    /// Datagrams with searches per second from one host.
    pub searches: u32,
    /// The longest time of a message from its first byte to its last.
    pub arrival: Duration,
    /// The longest time without reading anything of what waits.
    pub stalled: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            bounds: Bounds::default(),
            channels: 200_000,
            monitors: 200_000,
            monitors_per_record: 1000,
            puts: 1000,
            message: 80 << 20,
            output: 256 << 10,
            searches: 10_000,
            arrival: Duration::from_secs(120),
            stalled: Duration::from_secs(300),
        }
    }
}

impl Default for ServerConfig {
    /// For this machine alone, at the ports that clients expect.
    fn default() -> ServerConfig {
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        ServerConfig {
            addresses: vec![address],
            tcp_port: SERVER_PORT,
            udp_port: Some(SERVER_PORT),
            broadcasts: Vec::new(),
            ignore: Vec::new(),
            beacons: vec![SocketAddr::new(address, REPEATER_PORT)],
            beacon_period: Duration::from_secs(15),
            limits: Limits::default(),
            guests: None,
            log: None,
        }
    }
}

impl ServerConfig {
    /// For this machine alone, at ports that are free; no beacons.
    pub fn loopback() -> ServerConfig {
        ServerConfig { tcp_port: 0, udp_port: Some(0), beacons: Vec::new(), ..ServerConfig::default() }
    }
}
