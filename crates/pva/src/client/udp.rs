//! Searches and beacons by UDP.

use std::borrow::Cow;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;

use mio::unix::SourceFd;
use mio::{Interest, Registry, Token};
use socket2::SockRef;

use super::config::ClientConfig;
use super::tokens::{FIRST_CONN, FIRST_UDP};
use crate::net::{Destination, broadcasts, join, send, udp};
use crate::proto::{Search, ServerMessage};
use crate::wire::{Assembler, Order, Writer};

// A UDP datagram is never longer.
const LONGEST: usize = 1 << 16;

// Answers to many searches come at once, and the default buffer would drop some.
const RECEIVE_BUFFER: usize = 4 << 20;

// A storm of datagrams must not keep the thread from everything else.
const AT_ONCE: usize = 1024;

pub(super) type SearchedNames<'a> = [(u32, Cow<'a, str>)];

pub(super) struct Udp {
    sockets: Vec<Source>,
    targets: Vec<(Destination, bool)>,
    buffer: Vec<u8>,
    writer: Writer,
}

struct Source {
    socket: UdpSocket,
    // Searches go out of it; others only hear beacons.
    port: Option<u16>,
    v6: bool,
    readable: bool,
}

impl Udp {
    pub(super) fn new(config: &ClientConfig, registry: &Registry) -> io::Result<Udp> {
        let mut sockets = Vec::new();
        for v6 in [false, true] {
            let targets = config.search.iter().filter(|target| target.address.is_ipv6() == v6);
            let targets: Vec<IpAddr> = targets.map(|target| target.address.ip()).collect();
            match searcher(&targets, v6) {
                _ if targets.is_empty() => {}
                Ok(socket) => sockets.push(socket),
                Err(error) if v6 => {
                    log::warn!("no IPv6 here, so nothing is searched at {targets:?}: {error}")
                }
                Err(error) => return Err(error),
            }
        }
        for at in config.beacons.iter().take(FIRST_CONN - FIRST_UDP - sockets.len()) {
            match listener(at) {
                Ok(socket) => sockets.push(socket),
                Err(error) => log::info!("no beacons at {at}: {error}"),
            }
        }
        for (index, source) in sockets.iter().enumerate() {
            let token = Token(FIRST_UDP + index);
            registry.register(&mut SourceFd(&source.socket.as_raw_fd()), token, Interest::READABLE)?;
        }
        let all: Vec<IpAddr> = broadcasts().into_iter().map(IpAddr::V4).collect();
        let targets = config.search.iter().map(|target| (*target, target.is_unicast(&all))).collect();
        Ok(Udp { sockets, targets, buffer: vec![0; LONGEST], writer: Writer::new(Order::Big) })
    }

    pub(super) fn readable(&mut self, token: Token) {
        if let Some(source) = self.sockets.get_mut(token.0 - FIRST_UDP) {
            source.readable = true;
        }
    }

    pub(super) fn has_more(&self) -> bool {
        self.sockets.iter().any(|source| source.readable)
    }

    /// Passes on the messages of servers, with the source address of each datagram.
    pub(super) fn read(&mut self, mut sink: impl FnMut((SocketAddr, ServerMessage<'_>))) {
        for source in &mut self.sockets {
            for _ in 0..AT_ONCE {
                if !source.readable {
                    break;
                }
                match source.socket.recv_from(&mut self.buffer) {
                    Ok((count, from)) => messages(&self.buffer[..count], from, &mut sink),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => source.readable = false,
                    // An error of a datagram sent before, for example because no process listens there.
                    Err(_) => {}
                }
            }
        }
    }

    /// Searches for `names` everywhere, or, without names, for all servers, which then have to answer.
    pub(super) fn search(&mut self, names: &SearchedNames<'_>, must: u8) {
        for source in &self.sockets {
            let Some(port) = source.port else { continue };
            // Servers pass on datagrams marked as sent to one of them, so the mark has to be right for each target.
            for unicast in [true, false] {
                let targets =
                    self.targets.iter().filter(|(t, u)| *u == unicast && t.address.is_ipv6() == source.v6);
                self.writer.clear();
                let flags = must | if unicast { Search::UNICAST } else { 0 };
                let _ = Search::of(names, flags, port).encode(&mut self.writer);
                let datagram = self.writer.to_vec();
                targets.for_each(|(target, _)| ask(&source.socket, target, &datagram));
            }
        }
    }
}

fn ask(socket: &UdpSocket, target: &Destination, datagram: &[u8]) {
    if let Err(error) = send(SockRef::from(socket), target, datagram) {
        log::debug!("a search to {target} was not sent: {error}");
    }
}

fn searcher(targets: &[IpAddr], v6: bool) -> io::Result<Source> {
    // A client that only uses this machine need not be heard by others.
    let local = targets.iter().all(IpAddr::is_loopback);
    let any: IpAddr = match (v6, local) {
        (false, false) => Ipv4Addr::UNSPECIFIED.into(),
        (false, true) => Ipv4Addr::LOCALHOST.into(),
        (true, false) => Ipv6Addr::UNSPECIFIED.into(),
        (true, true) => Ipv6Addr::LOCALHOST.into(),
    };
    let socket = udp(SocketAddr::new(any, 0), false)?;
    let _ = socket.set_recv_buffer_size(RECEIVE_BUFFER);
    let socket: UdpSocket = socket.into();
    let port = Some(socket.local_addr()?.port());
    Ok(Source { socket, port, v6, readable: true })
}

/// A socket for beacons. It has a broadcast address or a group of its own: one for all addresses would take searches
/// that are sent to one server away from the servers on this machine.
fn listener(at: &Destination) -> io::Result<Source> {
    let socket = if at.is_group() { join(at, at.address.port())? } else { udp(at.address, true)? };
    Ok(Source { socket: socket.into(), port: None, v6: at.address.is_ipv6(), readable: true })
}

fn messages(datagram: &[u8], from: SocketAddr, sink: &mut impl FnMut((SocketAddr, ServerMessage<'_>))) {
    let (mut assembler, mut rest) = (Assembler::new(LONGEST), datagram);
    loop {
        match assembler.next(&mut rest) {
            Ok(Some(message)) if message.header.server => {
                match ServerMessage::decode(message.header.command, message.reader()) {
                    Ok(message) => sink((from, message)),
                    Err(error) => return log::debug!("a datagram of {from} makes no sense: {error}"),
                }
            }
            Ok(Some(_)) => {}
            Ok(None) => return,
            Err(error) => return log::debug!("a datagram of {from} makes no sense: {error}"),
        }
    }
}
