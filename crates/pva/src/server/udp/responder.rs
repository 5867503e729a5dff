//! The thread that answers searches and sends beacons.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use mio::net::UdpSocket;
use mio::{Events, Interest, Poll, Token, Waker};
use socket2::{Domain, Protocol, Socket, Type};

use super::answer::{Action, Arrival, answer};
use super::beacon::Beacons;
use super::datagram::{Destination, prepare, receive};
use super::limit::Limit;
use crate::server::session::Shared;
use crate::server::statistics::add;
use crate::server::{ServerConfig, Service};

/// What servers on one machine tell each other, which never leaves it.
const GROUP: Ipv4Addr = Ipv4Addr::new(224, 0, 0, 128);

const WAKE: Token = Token(usize::MAX);

/// So many datagrams of one socket are worked on before the others have their turn.
const TURN: usize = 64;

/// Answers searches until it is dropped.
pub(crate) struct Responder {
    waker: Arc<Waker>,
    port: u16,
    thread: Option<JoinHandle<()>>,
}

impl Responder {
    /// Nothing if `config` wants no searches.
    pub(crate) fn start(config: &ServerConfig, service: &Service) -> io::Result<Option<Responder>> {
        let Some(port) = config.udp_port else { return Ok(None) };
        let poll = Poll::new()?;
        let waker = Arc::new(Waker::new(poll.registry(), WAKE)?);
        let mut state = State::bind(config, service, poll, port)?;
        let port = state.port;
        let thread = thread::Builder::new().name("pva-search".into()).spawn(move || state.run())?;
        Ok(Some(Responder { waker, port, thread: Some(thread) }))
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        // Fails only if the thread is gone.
        let _ = self.waker.wake();
        self.thread.take().map(JoinHandle::join);
    }
}

struct State {
    shared: Arc<Shared>,
    poll: Poll,
    sockets: Vec<UdpSocket>,
    // The last of `sockets`: receives what other servers on this machine pass on.
    group: Option<usize>,
    port: u16,
    addresses: Vec<IpAddr>,
    ignore: Vec<SocketAddr>,
    destinations: Vec<SocketAddr>,
    beacons: Beacons,
    limit: Limit,
    limit_forwarded: Limit,
    buffer: Vec<u8>,
    start: Instant,
}

impl State {
    fn bind(config: &ServerConfig, service: &Service, poll: Poll, mut port: u16) -> io::Result<State> {
        let shared = Arc::clone(&service.0);
        let addresses: Vec<IpAddr> =
            config.addresses.iter().copied().filter(|address| address.is_ipv4()).collect();
        let mut sockets = Vec::new();
        for address in bind_to(&addresses) {
            let socket = open(address, port)?;
            prepare(&socket)?;
            port = socket.local_addr()?.as_socket().map_or(port, |address| address.port());
            sockets.push(UdpSocket::from_std(socket.into()));
        }
        let mut group = None;
        match open_group(port) {
            Ok(socket) => {
                group = Some(sockets.len());
                sockets.push(UdpSocket::from_std(socket.into()));
            }
            // Then searches to one server only are not shared with the others, which is no reason to fail.
            Err(error) => shared.problem(format!("cannot share searches with other servers here: {error}")),
        }
        for (index, socket) in sockets.iter_mut().enumerate() {
            poll.registry().register(socket, Token(index), Interest::READABLE)?;
        }
        Ok(State {
            shared,
            poll,
            sockets,
            group,
            port,
            addresses,
            ignore: config.ignore.clone(),
            destinations: config.beacons.clone(),
            beacons: Beacons::default(),
            limit: Limit::new(config.limits.searches),
            // They all come from this machine, whoever asked.
            limit_forwarded: Limit::new(config.limits.searches.saturating_mul(4)),
            buffer: vec![0; 1 << 16],
            start: Instant::now(),
        })
    }

    fn run(&mut self) {
        let mut events = Events::with_capacity(16);
        let mut more = Vec::new();
        loop {
            self.announce();
            let wait = match more.is_empty() {
                true => self.beacons.due().saturating_sub(self.start.elapsed()),
                false => Duration::ZERO,
            };
            match self.poll.poll(&mut events, Some(wait)) {
                Err(error) if error.kind() != ErrorKind::Interrupted => {
                    return self.shared.problem(format!("cannot wait for searches: {error}"));
                }
                _ => {}
            }
            if events.iter().any(|event| event.token() == WAKE) {
                return;
            }
            let mut readable: Vec<usize> = std::mem::take(&mut more);
            readable.extend(events.iter().map(|event| event.token().0));
            readable.sort_unstable();
            readable.dedup();
            more.extend(readable.into_iter().filter(|&socket| self.read(socket)));
        }
    }

    fn announce(&mut self) {
        if !self.beacons.take(self.start.elapsed()) {
            return;
        }
        let Some(socket) = self.sockets.first() else { return };
        let beacon = self.beacons.encode(&self.shared, self.told().filter(|a| !a.is_unspecified()));
        for to in &self.destinations {
            if let Err(error) = socket.send_to(&beacon, *to) {
                self.shared.problem(format!("cannot announce the server to {to}: {error}"));
            }
        }
    }

    /// The address that clients are told: ours if there is one, else they take that of the answer.
    fn told(&self) -> Option<IpAddr> {
        match self.addresses[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    /// Works on some datagrams of a socket. Returns whether there may be more.
    fn read(&mut self, index: usize) -> bool {
        for _ in 0..TURN {
            let Some(socket) = self.sockets.get(index) else { return false };
            match receive(socket, &mut self.buffer) {
                Ok(received) => {
                    let forwarded = self.group == Some(index);
                    self.datagram(index, received.len, received.source, received.destination, forwarded);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    // Such as that the other end of an earlier answer is gone.
                    self.shared.problem(format!("cannot receive a search: {error}"));
                }
            }
        }
        true
    }

    fn datagram(
        &mut self,
        socket: usize,
        len: usize,
        source: SocketAddr,
        destination: Option<Destination>,
        forwarded: bool,
    ) {
        if !self.welcome(source, destination, forwarded) {
            return add(&self.shared.counters.dropped, 1);
        }
        let arrival = Arrival {
            source,
            destination: destination.map(|to| to.header),
            unicast: destination.map(|to| to.header == to.local),
            forwarded,
        };
        let told = self.told().unwrap_or(Ipv4Addr::UNSPECIFIED.into());
        let Ok(actions) = answer(&self.shared, &self.buffer[..len], arrival, told) else {
            return add(&self.shared.counters.dropped, 1);
        };
        actions.into_iter().for_each(|action| self.act(socket, action, arrival, told));
    }

    fn welcome(&mut self, source: SocketAddr, destination: Option<Destination>, forwarded: bool) -> bool {
        let ip = source.ip();
        let ignored = self
            .ignore
            .iter()
            .any(|ignored| ignored.ip() == ip && (ignored.port() == 0 || ignored.port() == source.port()));
        // The group reaches only this machine, so nobody else can have sent to it.
        let strange = forwarded && !ip.is_loopback() && destination.is_none_or(|to| to.local != ip);
        let elsewhere = !forwarded
            && destination.is_some_and(|to| {
                !self.addresses.iter().any(|address| address.is_unspecified() || *address == to.local)
            });
        let limit = if forwarded { &mut self.limit_forwarded } else { &mut self.limit };
        !ignored && !strange && !elsewhere && limit.admits(ip, self.start.elapsed())
    }

    fn act(&self, socket: usize, action: Action, arrival: Arrival, told: IpAddr) {
        let result = match (action, self.group.and_then(|group| self.sockets.get(group))) {
            (Action::Reply(to, bytes), _) => self.reply(socket, to, &bytes),
            (Action::Forward(bytes), Some(group)) => {
                group.send_to(&bytes, SocketAddr::new(GROUP.into(), self.port))
            }
            // Nobody to share with: answered as if it had been shared.
            (Action::Forward(bytes), None) => {
                let arrival = Arrival { forwarded: true, ..arrival };
                let actions = answer(&self.shared, &bytes, arrival, told).unwrap_or_default();
                for action in actions {
                    self.act(socket, action, arrival, told);
                }
                Ok(0)
            }
        };
        if let Err(error) = result
            && error.kind() != ErrorKind::WouldBlock
        {
            self.shared.problem(format!("cannot answer a search of {}: {error}", arrival.source));
        }
    }

    /// Answers from a socket whose address the client knows, not from the group's.
    fn reply(&self, socket: usize, to: SocketAddr, bytes: &[u8]) -> io::Result<usize> {
        let own = if self.group == Some(socket) { 0 } else { socket };
        self.sockets.get(own).map_or(Ok(0), |socket| socket.send_to(bytes, to))
    }
}

/// On loopback alone exactly these addresses, else all: a broadcast reaches no socket with an address of its own.
fn bind_to(addresses: &[IpAddr]) -> Vec<IpAddr> {
    let local = addresses.iter().all(|address| address.is_loopback());
    if local { addresses.to_vec() } else { vec![Ipv4Addr::UNSPECIFIED.into()] }
}

/// A socket that shares its address with other servers and clients.
fn open(address: IpAddr, port: u16) -> io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_reuse_address(true)?;
    #[cfg(unix)]
    socket.set_reuse_port(true)?;
    socket.set_nonblocking(true)?;
    socket.set_broadcast(true)?;
    // What is sent to the group has a socket of its own.
    #[cfg(target_os = "linux")]
    socket.set_multicast_all_v4(false)?;
    socket.bind(&SocketAddr::new(address, port).into())?;
    Ok(socket)
}

fn open_group(port: u16) -> io::Result<Socket> {
    let socket = open(GROUP.into(), port)?;
    socket.join_multicast_v4(&GROUP, &Ipv4Addr::LOCALHOST)?;
    socket.set_multicast_if_v4(&Ipv4Addr::LOCALHOST)?;
    socket.set_multicast_loop_v4(true)?;
    prepare(&socket)?;
    Ok(socket)
}
