//! The sockets at which searches are heard.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use std::time::Duration;

use livetime_guests::{Limit, Reports};

use super::ServerConfig;
use super::search::answers;
use super::service::Parts;

/// The longest datagram that is looked at; clients send none of more than 1024 bytes.
const DATAGRAM: usize = 4096;

pub(super) struct Searches {
    pub(super) sockets: Vec<UdpSocket>,
    /// Whether clients of other machines could not connect anyway.
    is_local: bool,
    // The only address of the server, if it has but one.
    address: Option<Ipv4Addr>,
    ignore: Vec<SocketAddr>,
    limit: Limit,
    limited: Reports,
    failed: Reports,
}

impl Searches {
    /// Sockets at all addresses of `config`, with one port. `problem` hears of broadcast addresses that cannot be had.
    pub(super) fn bind(config: &ServerConfig, problem: impl Fn(String)) -> io::Result<Searches> {
        let mut sockets: Vec<UdpSocket> = Vec::new();
        let mut port = config.udp_port;
        for address in config.addresses.iter().filter(|_| config.udp_port.is_some()) {
            let socket = searched_at(SocketAddr::new(*address, port.unwrap_or_default()))?;
            port = Some(socket.local_addr()?.port());
            sockets.push(socket);
        }
        let broadcasts = if sockets.is_empty() { &[][..] } else { &config.broadcasts };
        for &address in broadcasts {
            match searched_at(SocketAddr::new(address.into(), port.unwrap_or_default())) {
                Ok(socket) => sockets.push(socket),
                Err(error) => problem(format!("no searches are heard at {address}: {error}")),
            }
        }
        let only = match config.addresses[..] {
            [IpAddr::V4(address)] if !address.is_unspecified() => Some(address),
            _ => None,
        };
        Ok(Searches {
            sockets,
            is_local: config.addresses.iter().all(IpAddr::is_loopback),
            address: only,
            ignore: config.ignore.clone(),
            limit: Limit::new(config.limits.searches),
            limited: Reports::default(),
            failed: Reports::default(),
        })
    }

    /// Answers searches that have come, at most `most` datagrams of each socket. Returns whether more may have come.
    pub(super) fn answer(&mut self, parts: &Parts, most: usize, now: Duration) -> bool {
        let mut has_more = false;
        for index in 0..self.sockets.len() {
            has_more |= self.answer_some(index, parts, most, now);
        }
        has_more
    }

    fn answer_some(&mut self, index: usize, parts: &Parts, most: usize, now: Duration) -> bool {
        let mut datagram = [0; DATAGRAM];
        for _ in 0..most {
            match self.sockets[index].recv_from(&mut datagram) {
                Ok((len, from)) if self.is_welcome(from, parts, now) => {
                    for answer in answers(&*parts.provider, &datagram[..len], (self.address, parts.tcp_port))
                    {
                        // A client that has gone, or a full buffer: the client searches again.
                        let _ = self.sockets[index].send_to(&answer, from);
                    }
                }
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
                // An error of an earlier answer, as when a client has gone, comes back here.
                Err(error) if error.kind() == ErrorKind::ConnectionRefused => {}
                Err(error) => {
                    let told = self.failed.add("cannot hear", "searches", "UDP", error, now);
                    told.into_iter().for_each(|text| parts.problem(text));
                    // It is tried again at the next tick.
                    return false;
                }
            }
        }
        true
    }

    fn is_welcome(&mut self, from: SocketAddr, parts: &Parts, now: Duration) -> bool {
        let address = from.ip().to_canonical();
        let is_this = |one: &SocketAddr| one.ip() == address && [0, from.port()].contains(&one.port());
        if self.ignore.iter().any(is_this) || (self.is_local && !parts.guests.is_local(address)) {
            return false;
        }
        let is_admitted = self.limit.admits(address, now);
        if !is_admitted {
            let most = parts.limits.searches;
            let reason = format!("more than {most} datagrams per second");
            let told = self.limited.add("left out", "searches", address, reason, now);
            told.into_iter().for_each(|text| parts.problem(text));
        }
        is_admitted
    }
}

/// A socket that shares its port with other servers of this machine.
fn searched_at(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = socket2::Socket::new(socket2::Domain::for_address(address), socket2::Type::DGRAM, None)?;
    socket.set_reuse_address(true)?;
    socket.set_broadcast(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    Ok(socket.into())
}
