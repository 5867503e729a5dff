//! How a client is set up.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use super::Result;
use crate::net::{BROADCAST_PORT, Destination, List, Variables, broadcasts};
use crate::wire::{BufferSource, Recycler};

/// How a client is set up. [`ClientConfig::from_env`] is what users expect; a program of its own sets the fields.
#[derive(Clone)]
pub struct ClientConfig {
    /// Where to search by UDP.
    pub search: Vec<Destination>,
    /// Servers to ask by TCP who has a channel.
    pub name_servers: Vec<SocketAddr>,
    /// The UDP port at which servers say that they are there; 0: do not listen.
    pub beacon_port: u16,
    /// The broadcast addresses to listen at for that. Nothing is ever taken away from servers on this machine:
    /// their searches come to other addresses.
    pub beacon_addresses: Vec<Ipv4Addr>,
    /// How long a server may be silent.
    pub idle: Duration,
    /// Who the servers are told that we are; nobody in particular if `None`.
    pub account: Option<(String, String)>,
    /// Wait for answers without sleeping: the shortest answer times, at the price of a whole processor core.
    pub spin: bool,
    /// The longest message to accept, bytes.
    pub max_message: usize,
    /// Where large arrays are received.
    pub buffers: Arc<dyn BufferSource>,
}

impl ClientConfig {
    /// As the `EPICS_PVA_*` variables say. Entries of address lists that make no sense are logged and left out.
    pub fn from_env() -> Result<ClientConfig> {
        ClientConfig::from_variables(&Variables::from_env())
    }

    /// As [`ClientConfig::from_env`], with variables from elsewhere.
    pub fn from_variables(variables: &Variables) -> Result<ClientConfig> {
        let port = variables.client_broadcast_port()?;
        let name_servers = usable(variables.name_servers()?);
        let listen = usable(variables.client_interfaces());
        Ok(ClientConfig {
            search: usable(variables.search_destinations()?),
            name_servers: name_servers.into_iter().map(|server| server.address).collect(),
            beacon_port: port,
            beacon_addresses: beacon_addresses(&listen),
            idle: variables.idle_limit(),
            account: Some((user(), host())),
            ..ClientConfig::loopback(port)
        })
    }

    /// Only this machine: servers that hear searches at UDP port `port`.
    pub fn loopback(port: u16) -> ClientConfig {
        ClientConfig {
            search: vec![Destination::new((Ipv4Addr::LOCALHOST, port).into())],
            name_servers: Vec::new(),
            beacon_port: port,
            beacon_addresses: vec![LOOPBACK_BROADCAST],
            idle: Duration::from_secs(40),
            account: Some((user(), host())),
            spin: false,
            max_message: 1 << 30,
            buffers: Arc::new(Recycler::default()),
        }
    }

    /// Only these servers, by TCP; no UDP at all.
    pub fn name_servers(servers: &[SocketAddr]) -> ClientConfig {
        ClientConfig {
            search: Vec::new(),
            name_servers: servers.to_vec(),
            beacon_port: 0,
            ..ClientConfig::loopback(BROADCAST_PORT)
        }
    }
}

impl fmt::Debug for ClientConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientConfig")
            .field("search", &self.search)
            .field("name_servers", &self.name_servers)
            .field("account", &self.account)
            .finish_non_exhaustive()
    }
}

const LOOPBACK_BROADCAST: Ipv4Addr = Ipv4Addr::new(127, 255, 255, 255);

fn usable(list: List) -> Vec<Destination> {
    list.problems.iter().for_each(|problem| log::warn!("an entry of an address list is left out: {problem}"));
    list.destinations
}

fn beacon_addresses(interfaces: &[Destination]) -> Vec<Ipv4Addr> {
    let listed = interfaces.iter().filter_map(|entry| match entry.address.ip() {
        std::net::IpAddr::V4(v4) if !v4.is_unspecified() => Some(v4),
        _ => None,
    });
    let listed: Vec<Ipv4Addr> = listed.collect();
    if listed.is_empty() {
        return broadcasts().into_iter().chain([Ipv4Addr::BROADCAST, LOOPBACK_BROADCAST]).collect();
    }
    crate::net::broadcasts_of(&listed)
}

fn user() -> String {
    let names = ["USER", "LOGNAME", "USERNAME"];
    names.iter().find_map(|name| std::env::var(name).ok()).unwrap_or_else(|| "nobody".into())
}

fn host() -> String {
    nix::unistd::gethostname().ok().and_then(|name| name.into_string().ok()).unwrap_or_default()
}
