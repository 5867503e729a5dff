//! The network interfaces of this machine.

use std::net::{IpAddr, Ipv4Addr};

use if_addrs::{IfAddr, get_if_addrs};

use crate::{Error, Result};

/// The broadcast addresses of all interfaces but loopback: where searches go unless the variables say otherwise.
/// A point-to-point link has none.
pub fn broadcasts() -> Vec<Ipv4Addr> {
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
    v4.broadcast.filter(|broadcast| *broadcast != v4.ip)
}

/// The addresses of all interfaces, loopback included.
pub fn own_addresses() -> Vec<IpAddr> {
    get_if_addrs().unwrap_or_default().into_iter().map(|interface| interface.ip()).collect()
}

/// The address of the interface that `text` names, or that address if it is one.
pub fn interface_address(text: &str) -> Result<IpAddr> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let interfaces = get_if_addrs().unwrap_or_default();
    let mut named: Vec<_> = interfaces.iter().filter(|i| i.name == text).map(|i| i.ip()).collect();
    named.sort();
    let missing = || Error::new("the name or address of an interface", format!("`{text}`"));
    named.first().copied().ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_ours_and_is_never_broadcast_to() {
        assert!(own_addresses().contains(&Ipv4Addr::LOCALHOST.into()));
        assert!(broadcasts().iter().all(|address| !address.is_loopback()));
        assert_eq!(interface_address("127.0.0.1"), Ok(Ipv4Addr::LOCALHOST.into()));
    }
}
