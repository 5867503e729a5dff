//! The network interfaces of this machine.

use std::collections::BTreeMap;
#[cfg(feature = "server")]
use std::net::SocketAddr;
use std::net::{IpAddr, Ipv4Addr};

use if_addrs::{IfAddr, Interface, get_if_addrs};

use crate::{Error, Result};

/// The broadcast addresses of all interfaces but loopback: where searches go unless the variables say otherwise.
/// A point-to-point link has none.
pub fn broadcasts() -> Vec<Ipv4Addr> {
    // Configured addresses still work where the system does not list its interfaces.
    let interfaces = get_if_addrs().unwrap_or_default();
    let used = interfaces.into_iter().filter(|interface| !interface.is_loopback());
    let mut found: Vec<_> = used.filter_map(|interface| broadcast(&interface.addr)).collect();
    found.sort();
    found.dedup();
    found
}

/// The broadcast addresses of the interfaces with one of `addresses`.
pub fn broadcasts_of(addresses: &[Ipv4Addr]) -> Vec<Ipv4Addr> {
    let interfaces = get_if_addrs().unwrap_or_default();
    let chosen = interfaces.iter().filter(|i| addresses.iter().any(|address| i.ip() == IpAddr::V4(*address)));
    chosen.filter_map(|interface| broadcast(&interface.addr)).collect()
}

fn broadcast(address: &IfAddr) -> Option<Ipv4Addr> {
    let IfAddr::V4(v4) = address else { return None };
    // A network of one address has no broadcast address.
    v4.broadcast.filter(|broadcast| *broadcast != v4.ip)
}

/// The IPv4 address of the interface that `text` names, or `text` itself if it is one.
pub fn interface_v4(text: &str) -> Result<Ipv4Addr> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let addresses = named(text).into_iter().filter_map(|interface| v4(&interface.addr));
    // The lowest one: the choice does not depend on the order of the system's list.
    addresses.min().ok_or_else(|| unknown(text))
}

/// The number of an interface, by which IPv6 knows it: the number of the interface that `text` names or that has this
/// address, or `text` itself if it is a number.
pub fn interface_number(text: &str) -> Result<u32> {
    if let Ok(number) = text.parse() {
        return Ok(number);
    }
    named(text).first().and_then(|interface| interface.index).ok_or_else(|| unknown(text))
}

/// The interfaces but loopback: the number, and the IPv4 address if there is one.
pub(super) fn multicast_interfaces() -> Vec<(u32, Option<Ipv4Addr>)> {
    let mut found = BTreeMap::new();
    let interfaces = get_if_addrs().unwrap_or_default();
    for interface in interfaces.iter().filter(|interface| !interface.is_loopback()) {
        // The list has an entry for each address: an interface is kept once, with its first IPv4 address.
        let address = found.entry(interface.index.unwrap_or(0)).or_insert(None);
        *address = address.or(v4(&interface.addr));
    }
    found.into_iter().collect()
}

/// A port at an address of this machine. Link-local addresses mean something only together with their interface.
#[cfg(feature = "server")]
pub(crate) fn own(address: IpAddr, port: u16) -> SocketAddr {
    let mut found = SocketAddr::new(address, port);
    if let SocketAddr::V6(v6) = &mut found
        && v6.ip().is_unicast_link_local()
    {
        v6.set_scope_id(interface_number(&address.to_string()).unwrap_or(0));
    }
    found
}

fn named(text: &str) -> Vec<Interface> {
    let address: Option<IpAddr> = text.parse().ok();
    let fits = |interface: &Interface| interface.name == text || Some(interface.ip()) == address;
    get_if_addrs().unwrap_or_default().into_iter().filter(fits).collect()
}

fn v4(address: &IfAddr) -> Option<Ipv4Addr> {
    if let IpAddr::V4(v4) = address.ip() { Some(v4) } else { None }
}

fn unknown(text: &str) -> Error {
    Error::new("the name, number or address of an interface", format!("`{text}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::own_addresses;

    #[test]
    fn loopback_is_ours_and_is_never_broadcast_to() {
        assert!(own_addresses().contains(&Ipv4Addr::LOCALHOST.into()));
        assert!(broadcasts().iter().all(|address| !address.is_loopback()));
        assert!(multicast_interfaces().iter().all(|(_, address)| *address != Some(Ipv4Addr::LOCALHOST)));
    }

    #[test]
    fn loopback_has_a_name_a_number_and_addresses() {
        assert_eq!(interface_v4("127.0.0.1"), Ok(Ipv4Addr::LOCALHOST));
        let number = interface_number("127.0.0.1").unwrap();
        assert_eq!(interface_number(&number.to_string()), Ok(number));
        let name = &named("127.0.0.1")[0].name;
        assert_eq!(interface_number(name), Ok(number));
        assert_eq!(interface_v4(name), Ok(Ipv4Addr::LOCALHOST));
        assert!(interface_number("no such").is_err() && interface_v4("no such").is_err());
    }
}
