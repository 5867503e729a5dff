//! Datagrams by IPv4 and IPv6, to hosts and to groups.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use socket2::{Domain, Protocol, SockRef, Socket, Type};

use super::Destination;

/// Whether this machine speaks IPv6, at least with itself.
pub fn has_ipv6() -> bool {
    UdpSocket::bind((Ipv6Addr::LOCALHOST, 0)).is_ok()
}

/// Where to listen for `addresses`, of which `::` means all of both kinds. A machine without IPv6 listens at the
/// others; the addresses left out go to `problem`.
#[cfg(feature = "server")]
pub(crate) fn listening(addresses: &[IpAddr], mut problem: impl FnMut(String)) -> Vec<IpAddr> {
    let any_v6 = IpAddr::V6(Ipv6Addr::UNSPECIFIED);
    let mut found: Vec<IpAddr> = Vec::new();
    for &address in addresses {
        let both = if address == any_v6 { &[Ipv4Addr::UNSPECIFIED.into(), any_v6][..] } else { &[address] };
        let new: Vec<IpAddr> = both.iter().copied().filter(|address| !found.contains(address)).collect();
        found.extend(new);
    }
    if found.iter().any(IpAddr::is_ipv6) && !has_ipv6() {
        let (left, missing): (Vec<_>, Vec<_>) = found.into_iter().partition(IpAddr::is_ipv4);
        problem(format!("this machine has no IPv6: not listening at {missing:?}"));
        return left;
    }
    found
}

/// The send buffer of a connection over loopback: as large as the kernel would let it grow, a get of a million doubles takes a third longer.
/// With 128 KiB it takes a fifth longer, because of more wake-ups.
#[cfg(feature = "server")]
const LOOPBACK_BUFFER: usize = 1 << 20;

/// Gives an accepted connection the options that [`Server`](crate::server::Server) gives its own.
///
/// # Errors
/// Errors of the operating system.
#[cfg(feature = "server")]
pub fn tune(stream: &impl std::os::fd::AsFd) -> io::Result<()> {
    livetime_guests::tune(stream, LOOPBACK_BUFFER)
}

/// A socket for datagrams at `address`. IPv6 and IPv4 have sockets of their own. Other sockets, too, may have a shared
/// address.
pub(crate) fn udp(address: SocketAddr, shared: bool) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    // The programs of a machine share the port of searches.
    if shared {
        socket.set_reuse_address(true)?;
        #[cfg(unix)]
        socket.set_reuse_port(true)?;
    }
    socket.set_nonblocking(true)?;
    match address {
        // Searches go to broadcast addresses.
        SocketAddr::V4(_) => socket.set_broadcast(true)?,
        SocketAddr::V6(_) => socket.set_only_v6(true)?,
    }
    only_joined_groups(&socket, address);
    socket.bind(&address.into())?;
    Ok(socket)
}

/// Only sockets that joined a group receive its datagrams. On systems without this option searches arrive
/// several times.
fn only_joined_groups(socket: &Socket, address: SocketAddr) {
    #[cfg(target_os = "linux")]
    let _ = match address {
        SocketAddr::V4(_) => socket.set_multicast_all_v4(false),
        SocketAddr::V6(_) => socket.set_multicast_all_v6(false),
    };
    #[cfg(not(target_os = "linux"))]
    let _ = (socket, address);
}

/// A socket that hears datagrams to a multicast group, at `port`, and nothing else.
pub(crate) fn join(group: &Destination, port: u16) -> io::Result<Socket> {
    let mut address = group.address;
    address.set_port(port);
    let socket = udp(address, true)?;
    match address {
        SocketAddr::V4(v4) => {
            socket.join_multicast_v4(v4.ip(), &group.interface.unwrap_or(Ipv4Addr::UNSPECIFIED))?;
        }
        SocketAddr::V6(v6) => socket.join_multicast_v6(v6.ip(), v6.scope_id())?,
    }
    Ok(socket)
}

/// Sends a datagram from `socket`, whose kind of address must be the same as in `to`.
pub(crate) fn send(socket: SockRef<'_>, to: &Destination, datagram: &[u8]) -> io::Result<usize> {
    if to.is_group() {
        // Set again each time: another destination may have wanted something else.
        let ttl = to.ttl.unwrap_or(1).into();
        match to.address {
            SocketAddr::V4(_) => {
                socket.set_multicast_if_v4(&to.interface.unwrap_or(Ipv4Addr::UNSPECIFIED))?;
                socket.set_multicast_ttl_v4(ttl)?;
            }
            SocketAddr::V6(_) => socket.set_multicast_hops_v6(ttl)?,
        }
    }
    socket.send_to(datagram, &to.address.into())
}

/// Where the server is that says it is at `address` and `port`; unspecified: where its datagram came `from`, whose
/// interface also tells where a link-local address is.
#[cfg(feature = "client")]
pub(crate) fn named(address: IpAddr, port: u16, from: SocketAddr) -> SocketAddr {
    let address = if address.is_unspecified() { from.ip() } else { address };
    let mut server = SocketAddr::new(address.to_canonical(), port);
    if let (SocketAddr::V6(server), SocketAddr::V6(from)) = (&mut server, from)
        && server.ip().is_unicast_link_local()
    {
        server.set_scope_id(from.scope_id());
    }
    server
}

#[cfg(all(test, feature = "client", feature = "server"))]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_addresses_are_listened_at_where_there_are_both() {
        let all = [IpAddr::V6(Ipv6Addr::UNSPECIFIED), Ipv4Addr::UNSPECIFIED.into()];
        let mut problems = Vec::new();
        let found = listening(&all, |problem| problems.push(problem));
        assert_eq!(found[0], IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        assert_eq!(found.len() + problems.len(), 2);
        assert_eq!(listening(&all[1..], |_| panic!()), [found[0]]);
    }

    #[test]
    fn a_server_is_where_it_says_or_where_its_datagram_came_from() {
        let from: SocketAddr = "[fe80::2%7]:4000".parse().unwrap();
        let at = |address: &str| named(address.parse().unwrap(), 5075, from).to_string();
        assert_eq!([at("::"), at("0.0.0.0")], ["[fe80::2%7]:5075", "[fe80::2%7]:5075"]);
        assert_eq!([at("fe80::3"), at("fd00::3")], ["[fe80::3%7]:5075", "[fd00::3]:5075"]);
        assert_eq!([at("10.0.0.1"), at("::ffff:10.0.0.1")], ["10.0.0.1:5075", "10.0.0.1:5075"]);
    }
}
