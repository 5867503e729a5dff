//! Settings of a server.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;

use super::Log;
use crate::wire::{REPEATER_PORT, SERVER_PORT};

/// Settings of a server.
#[derive(Clone)]
pub struct ServerConfig {
    /// Where it listens, for connections and for searches.
    pub address: IpAddr,
    /// The port for connections; if it is taken, any other.
    pub tcp_port: u16,
    /// The port for searches; `None`: clients find the server by its address only.
    pub udp_port: Option<u16>,
    /// Where beacons go.
    pub beacons: Vec<SocketAddr>,
    /// The longest time between two beacons; the first ones come faster.
    pub beacon_period: Duration,
    /// What one client may ask for.
    pub limits: Limits,
    /// Is told of events, on the thread of the server.
    pub log: Option<Log>,
}

/// What clients may ask for.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at one time.
    pub connections: usize,
    /// Channels of one connection.
    pub channels: usize,
    /// Monitors of one connection.
    pub monitors: usize,
    /// Bytes of one message from a client.
    pub message: usize,
    /// Bytes that wait for a client before its answers wait, too.
    pub output: usize,
    /// Time without a message from a client that was asked whether it is there.
    pub silence: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 1000,
            channels: 50_000,
            monitors: 50_000,
            message: 80 << 20,
            output: 256 << 10,
            silence: Duration::from_secs(60),
        }
    }
}

impl Default for ServerConfig {
    /// For this machine alone, at the ports that clients expect.
    fn default() -> ServerConfig {
        let address = IpAddr::V4(Ipv4Addr::LOCALHOST);
        ServerConfig {
            address,
            tcp_port: SERVER_PORT,
            udp_port: Some(SERVER_PORT),
            beacons: vec![SocketAddr::new(address, REPEATER_PORT)],
            beacon_period: Duration::from_secs(15),
            limits: Limits::default(),
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
