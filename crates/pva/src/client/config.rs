//! How a client is set up.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use super::Result;
use crate::net::{BROADCAST_PORT, Destination, List, Variables, broadcasts, broadcasts_of};
use crate::proto::client::Identity;
use crate::wire::{BufferSource, Recycler};

/// How a client is set up. [`ClientConfig::from_env`] is the usual way; a program of its own sets the fields.
#[derive(Clone)]
pub struct ClientConfig {
    /// Where to search by UDP.
    pub search: Vec<Destination>,
    /// Servers to ask by TCP who has a channel.
    pub name_servers: Vec<SocketAddr>,
    /// Where beacons of servers are received: broadcast addresses of this machine and multicast groups.
    /// Nothing is ever taken away from servers on this machine: their searches come to other addresses.
    pub beacons: Vec<Destination>,
    /// How long a server may be silent.
    pub idle: Duration,
    /// The user that the client names to servers; anonymous if `None`.
    pub account: Option<(String, String)>,
    /// Wait for answers without sleeping: the shortest answer times, at the price of a whole processor core.
    pub spin: bool,
    /// The longest message to accept, bytes.
    pub max_message: usize,
    /// Where large arrays are received.
    pub buffers: Arc<dyn BufferSource>,
}

impl ClientConfig {
    /// The identity of the client for servers.
    pub(super) fn identity(&self) -> Identity {
        Identity { account: self.account.clone(), idle: self.idle }
    }

    /// As the `EPICS_PVA_*` variables say. Entries of address lists that make no sense are logged and left out.
    pub fn from_env() -> Result<ClientConfig> {
        ClientConfig::from_variables(&Variables::from_env())
    }

    /// As [`ClientConfig::from_env`], with variables from elsewhere.
    pub fn from_variables(variables: &Variables) -> Result<ClientConfig> {
        let port = variables.client_broadcast_port()?;
        let name_servers = usable(variables.name_servers()?);
        let search = usable(variables.search_destinations()?);
        let beacons = beacons(&search, &usable(variables.client_interfaces()?), port);
        Ok(ClientConfig {
            search,
            name_servers: name_servers.into_iter().map(|server| server.address).collect(),
            beacons,
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
            beacons: vec![Destination::new((LOOPBACK_BROADCAST, port).into())],
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
            beacons: Vec::new(),
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

/// The broadcast addresses of `interfaces`, or of all, and the groups that are among them or that are searched.
fn beacons(search: &[Destination], interfaces: &[Destination], port: u16) -> Vec<Destination> {
    let listed = interfaces.iter().filter_map(|entry| match entry.address.ip() {
        IpAddr::V4(v4) if !v4.is_unspecified() && !v4.is_multicast() => Some(v4),
        _ => None,
    });
    let listed: Vec<Ipv4Addr> = listed.collect();
    let broadcasts = match listed.is_empty() {
        true => broadcasts().into_iter().chain([Ipv4Addr::BROADCAST, LOOPBACK_BROADCAST]).collect(),
        false => broadcasts_of(&listed),
    };
    let broadcasts = broadcasts.into_iter().map(|address| Destination::new((address, port).into()));
    let groups = interfaces.iter().chain(search).filter(|entry| entry.is_group());
    let mut found = List::default();
    let groups = groups.map(|group| Destination { ttl: None, ..*group });
    broadcasts.chain(groups).for_each(|destination| found.add(destination));
    found.destinations
}

fn user() -> String {
    let names = ["USER", "LOGNAME", "USERNAME"];
    let of_system = || Some(nix::unistd::User::from_uid(nix::unistd::geteuid()).ok()??.name);
    names
        .iter()
        .find_map(|name| std::env::var(name).ok())
        .or_else(of_system)
        .unwrap_or_else(|| "nobody".into())
}

fn host() -> String {
    nix::unistd::gethostname().ok().and_then(|name| name.into_string().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beacons_are_heard_at_broadcast_addresses_and_in_groups() {
        let list = |text| Destination::parse_list(text, 7).destinations;
        let texts = |search, interfaces| {
            let found = beacons(&list(search), &list(interfaces), 7);
            found.iter().map(Destination::to_string).collect::<Vec<_>>()
        };
        let group = "[ff02::42:1%1]:7";
        assert_eq!(texts("10.0.0.1 ff02::42:1,3@1 ::1", "192.0.2.1 ff02::42:1@1"), [group]);
        assert!(texts("", "").contains(&"127.255.255.255:7".into()));
    }
}
