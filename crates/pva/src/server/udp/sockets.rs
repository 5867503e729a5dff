//! The sockets at which a server hears searches.

use std::io;
use std::net::{IpAddr, Ipv4Addr};

use mio::net::UdpSocket;
use socket2::Socket;

use super::datagram::prepare;
use crate::net::{Destination, join, own, udp};
use crate::server::ServerConfig;

/// Messages between servers on one machine, which never leave it.
const LOCAL: Ipv4Addr = Ipv4Addr::new(224, 0, 0, 128);

/// The datagrams that a socket hears.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Hears {
    /// Datagrams to an address of this machine, or to all machines.
    Host,
    /// Datagrams to a multicast group.
    Group,
    /// Datagrams that other servers on this machine pass on.
    Neighbours,
    /// Datagrams of this machine to all machines. Clients on this machine find a server at loopback alone by these: by
    /// default they do not search at loopback.
    Machine,
}

pub(super) struct Listener {
    pub(super) socket: UdpSocket,
    pub(super) hears: Hears,
    v6: bool,
}

pub(super) struct Sockets {
    pub(super) all: Vec<Listener>,
    /// The port of all of them.
    pub(super) port: u16,
    /// Where they listen.
    addresses: Vec<IpAddr>,
}

impl Sockets {
    /// Fails if there is none for an address of `config`; other failures go to `problem`.
    pub(super) fn bind(config: &ServerConfig, port: u16, problem: impl Fn(String)) -> io::Result<Sockets> {
        let mut sockets = Sockets { all: Vec::new(), port, addresses: config.addresses.clone() };
        for address in bind_to(&config.addresses) {
            let socket = udp(own(address, sockets.port), true)?;
            // For port 0 the system chooses: all further sockets take the port of the first one.
            sockets.port = socket.local_addr()?.as_socket().map_or(port, |address| address.port());
            sockets.add(socket, Hears::Host, address.is_ipv6())?;
        }
        if sockets.is_local() && sockets.speaker(false).is_some() {
            let all = Ipv4Addr::UNSPECIFIED.into();
            let bound = udp(own(all, sockets.port), true).and_then(|s| sockets.add(s, Hears::Machine, false));
            if let Err(error) = bound {
                problem(format!("only clients that search at 127.0.0.1 find the server: {error}"));
            }
        }
        for group in &config.groups {
            let joined =
                join(group, sockets.port).and_then(|s| sockets.add(s, Hears::Group, group.address.is_ipv6()));
            if let Err(error) = joined {
                problem(format!("no searches are heard in the group {group}: {error}"));
            }
        }
        if sockets.speaker(false).is_some() {
            let joined = neighbours(sockets.port).and_then(|s| sockets.add(s, Hears::Neighbours, false));
            // Without this group other servers of the machine miss searches to this address, which is no reason to fail.
            if let Err(error) = joined {
                problem(format!("cannot share searches with other servers here: {error}"));
            }
        }
        Ok(sockets)
    }

    /// Whether only this machine can connect.
    pub(super) fn is_local(&self) -> bool {
        self.addresses.iter().all(|address| address.to_canonical().is_loopback())
    }

    fn add(&mut self, socket: Socket, hears: Hears, v6: bool) -> io::Result<()> {
        prepare(&socket, v6)?;
        self.all.push(Listener { socket: UdpSocket::from_std(socket.into()), hears, v6 });
        Ok(())
    }

    /// A socket that answers may come from: its address is one that clients know.
    pub(super) fn speaker(&self, v6: bool) -> Option<&UdpSocket> {
        self.all.iter().find(|one| one.hears == Hears::Host && one.v6 == v6).map(|one| &one.socket)
    }

    /// The socket that answers datagrams of socket `index`.
    pub(super) fn answering(&self, index: usize) -> Option<&UdpSocket> {
        let asked = self.all.get(index)?;
        if matches!(asked.hears, Hears::Host | Hears::Machine) {
            Some(&asked.socket)
        } else {
            // An answer must come from an address that clients know; a group is none.
            self.speaker(asked.v6)
        }
    }

    /// Passes a search on to the servers of this machine; `None` if that is not possible.
    pub(super) fn pass_on(&self, datagram: &[u8]) -> Option<io::Result<usize>> {
        let neighbours = self.all.iter().find(|one| one.hears == Hears::Neighbours)?;
        Some(neighbours.socket.send_to(datagram, (LOCAL, self.port).into()))
    }

    /// Whether the server listens at this address.
    pub(super) fn listens_at(&self, address: IpAddr) -> bool {
        let same =
            |own: &IpAddr| own.is_unspecified() && own.is_ipv6() == address.is_ipv6() || *own == address;
        self.addresses.iter().any(same)
    }

    /// The server's address in answers: its only address if there is one, else the unspecified one, with which clients
    /// take the address that the answer comes from.
    pub(super) fn told(&self, v6: bool) -> IpAddr {
        let mut ours = self.addresses.iter().filter(|address| address.is_ipv6() == v6);
        match (ours.next(), ours.next()) {
            (Some(one), None) if !one.is_unspecified() => *one,
            _ => Ipv4Addr::UNSPECIFIED.into(),
        }
    }
}

/// The addresses to bind to: at loopback alone exactly these, else all, because an IPv4 broadcast reaches no socket
/// with an address of its own. IPv6 has no broadcast.
fn bind_to(addresses: &[IpAddr]) -> Vec<IpAddr> {
    let (v4, v6): (Vec<IpAddr>, Vec<IpAddr>) = addresses.iter().copied().partition(IpAddr::is_ipv4);
    let local = v4.iter().all(IpAddr::is_loopback);
    let v4 = if local { v4 } else { vec![Ipv4Addr::UNSPECIFIED.into()] };
    [v4, v6].concat()
}

fn neighbours(port: u16) -> io::Result<Socket> {
    let local =
        Destination { interface: Some(Ipv4Addr::LOCALHOST), ..Destination::new((LOCAL, port).into()) };
    let socket = join(&local, port)?;
    socket.set_multicast_if_v4(&Ipv4Addr::LOCALHOST)?;
    // Without the loop, no other server on this machine would hear it.
    socket.set_multicast_loop_v4(true)?;
    Ok(socket)
}
