//! The thread that owns the sockets.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr, TcpListener, UdpSocket};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use livetime_guests::{Guest, Reports};
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token, Waker};
use socket2::{SockRef, TcpKeepalive};

use super::beacon::Beacons;
use super::connection::{Connection, End};
use super::searches::Searches;
use super::{Event, Provider, ServerConfig, Service, Session};
use crate::Error;

const WAKE: Token = Token(usize::MAX);
/// For connections and for searches: after an event all sockets of both kinds are looked at.
const LISTENER: Token = Token(usize::MAX - 1);

/// How often time-outs are checked.
const TICK: Duration = Duration::from_millis(500);
/// How long a connection is silent before the kernel asks whether the machine of the client is still there.
const SILENCE: Duration = Duration::from_secs(60);
/// The send buffer of a connection over loopback. Where client and server share a core, a picture of 1 MiB takes two thirds longer with
/// 512 KiB; with 32 KiB libca waits 0.2 s for each.
const LOCAL_BUFFER: usize = 256 << 10;
/// Bytes that are read at once.
const SCRATCH: usize = 64 << 10;
/// Datagrams, and connections, that are taken between two looks at the other sockets.
const AT_ONCE: usize = 32;

/// A server. It runs until it is dropped.
pub struct Server {
    tcp: SocketAddr,
    udp: Option<SocketAddr>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

/// State of the server that other threads share with its thread.
struct Shared {
    waker: Waker,
    stop: AtomicBool,
    // Connections that were rung.
    rung: Mutex<Vec<usize>>,
}

impl Shared {
    fn ring(&self, connection: usize) {
        let mut rung = self.rung.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = rung.is_empty();
        rung.push(connection);
        drop(rung);
        if is_first {
            // The thread looks at least twice a second anyway.
            let _ = self.waker.wake();
        }
    }
}

struct Reactor {
    service: Service,
    shared: Arc<Shared>,
    poll: Poll,
    listeners: Vec<TcpListener>,
    searches: Searches,
    beacons: Beacons,
    connections: BTreeMap<usize, Connection>,
    next: usize,
    // Connections that want another turn.
    busy: VecDeque<usize>,
    // Whether more searches, or connections, may have come.
    more: bool,
    refused: Reports,
    displaced: Reports,
    scratch: Box<[u8]>,
    start: Instant,
}

impl Server {
    /// Serves the channels of `provider`.
    ///
    /// # Errors
    /// When no address can be listened at, or no thread started.
    pub fn start(config: ServerConfig, provider: impl Provider + 'static) -> io::Result<Server> {
        let listeners = bind(&config)?;
        let tcp = listeners.first().map(TcpListener::local_addr).transpose()?;
        let tcp = tcp.ok_or_else(|| io::Error::other("no address to listen at"))?;
        let service = Service::new(&config, tcp.port(), provider);
        let searches = Searches::bind(&config, |text| service.0.problem(text))?;
        let udp = searches.sockets.first().map(UdpSocket::local_addr).transpose()?;
        let poll = Poll::new()?;
        let waker = Waker::new(poll.registry(), WAKE)?;
        let shared = Arc::new(Shared { waker, stop: AtomicBool::new(false), rung: Mutex::default() });
        let sockets = searches.sockets.iter().map(AsRawFd::as_raw_fd);
        for socket in listeners.iter().map(AsRawFd::as_raw_fd).chain(sockets) {
            poll.registry().register(&mut SourceFd(&socket), LISTENER, Interest::READABLE)?;
        }
        let beacons = Beacons::new(config.beacons, tcp.port(), config.beacon_period, Duration::ZERO);
        let reactor = Reactor {
            service,
            shared: Arc::clone(&shared),
            poll,
            listeners,
            searches,
            beacons,
            connections: BTreeMap::new(),
            next: 0,
            busy: VecDeque::new(),
            more: false,
            refused: Reports::default(),
            displaced: Reports::default(),
            scratch: vec![0; SCRATCH].into(),
            start: Instant::now(),
        };
        let thread = Some(Builder::new().name("ca-server".into()).spawn(move || reactor.run())?);
        Ok(Server { tcp, udp, shared, thread })
    }

    /// Where it accepts connections.
    pub fn tcp_address(&self) -> SocketAddr {
        self.tcp
    }

    /// Where it listens for searches.
    pub fn udp_address(&self) -> Option<SocketAddr> {
        self.udp
    }
}

impl Drop for Server {
    /// Closes all connections and waits for the thread.
    fn drop(&mut self) {
        self.shared.stop.store(true, SeqCst);
        let _ = self.shared.waker.wake();
        // A thread that panicked has nothing more to say.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// At all addresses with the wanted port, or with any: another server may have it, and searches tell clients the port.
fn bind(config: &ServerConfig) -> io::Result<Vec<TcpListener>> {
    bind_all(&config.addresses, config.tcp_port).or_else(|error| match error.kind() {
        ErrorKind::AddrInUse => bind_all(&config.addresses, 0),
        _ => Err(error),
    })
}

fn bind_all(addresses: &[IpAddr], mut port: u16) -> io::Result<Vec<TcpListener>> {
    let mut listeners = Vec::new();
    for &address in addresses {
        let listener = TcpListener::bind(SocketAddr::new(address, port))?;
        port = listener.local_addr()?.port();
        listener.set_nonblocking(true)?;
        listeners.push(listener);
    }
    Ok(listeners)
}

/// Answers are small, and clients wait for them. A client whose machine has gone is found by the kernel: clients may be silent for as long as
/// they like, because beacons tell them that the server is there.
fn tune(stream: &std::net::TcpStream) -> io::Result<()> {
    stream.set_nonblocking(true)?;
    livetime_guests::tune(stream, LOCAL_BUFFER)?;
    let alive = TcpKeepalive::new().with_time(SILENCE).with_interval(SILENCE / 4).with_retries(4);
    SockRef::from(stream).set_tcp_keepalive(&alive)
}

impl Reactor {
    fn run(mut self) {
        let mut events = Events::with_capacity(1024);
        let mut ticked = Duration::ZERO;
        while !self.shared.stop.load(SeqCst) {
            if let Err(error) = self.wait(&mut events)
                && error.kind() != ErrorKind::Interrupted
            {
                return self.service.0.tell(&Event::Ended(error.to_string()));
            }
            let now = self.start.elapsed();
            for event in &events {
                self.event(event, now);
            }
            let rung = std::mem::take(&mut *self.shared.rung.lock().unwrap_or_else(PoisonError::into_inner));
            rung.into_iter().for_each(|index| self.wake(index, now));
            self.go_on(now);
            if now - ticked >= TICK {
                ticked = now;
                self.tick(now);
            }
        }
        let left: Vec<usize> = self.connections.keys().copied().collect();
        left.into_iter().for_each(|index| self.close(index, &End::Stopped));
    }

    fn wait(&mut self, events: &mut Events) -> io::Result<()> {
        let now = self.start.elapsed();
        let speaker = self.searches.sockets.first();
        let beacon = speaker.map_or(TICK, |socket| self.beacons.send(socket, now));
        let idle = if self.busy.is_empty() && !self.more { TICK.min(beacon) } else { Duration::ZERO };
        self.poll.poll(events, Some(idle))
    }

    fn event(&mut self, event: &mio::event::Event, now: Duration) {
        match event.token() {
            WAKE => {}
            LISTENER => self.more = true,
            Token(index) => {
                if let Some(connection) = self.connections.get_mut(&index) {
                    connection.event(event);
                    self.wake(index, now);
                }
            }
        }
    }

    /// One connection has a turn, and searches and new connections have theirs.
    fn go_on(&mut self, now: Duration) {
        if std::mem::take(&mut self.more) {
            self.more = self.searches.answer(&self.service.0, AT_ONCE, now) | self.accept(now);
        }
        if let Some(index) = self.busy.pop_front() {
            if let Some(connection) = self.connections.get_mut(&index) {
                connection.is_queued = false;
            }
            self.turn(index, now);
        }
    }

    fn wake(&mut self, index: usize, now: Duration) {
        if self.connections.get(&index).is_some_and(|connection| !connection.is_queued) {
            self.turn(index, now);
        }
    }

    fn turn(&mut self, index: usize, now: Duration) {
        let Some(connection) = self.connections.get_mut(&index) else { return };
        match connection.turn(&mut self.scratch, now) {
            Ok(false) => {}
            Ok(true) => {
                connection.is_queued = true;
                self.busy.push_back(index);
            }
            Err(end) => self.close(index, &end),
        }
    }

    fn tick(&mut self, now: Duration) {
        self.more = true;
        let silent: Vec<(usize, Error)> = self
            .connections
            .iter_mut()
            .filter_map(|(&index, connection)| Some((index, connection.session.tick(now).err()?)))
            .collect();
        silent.into_iter().for_each(|(index, error)| self.close(index, &End::Wrong(error)));
        let asked: Vec<usize> = self.connections.keys().copied().collect();
        asked.into_iter().for_each(|index| self.wake(index, now));
    }

    fn close(&mut self, index: usize, end: &End) {
        let Some(mut connection) = self.connections.remove(&index) else { return };
        let peer = Arc::clone(connection.session.peer());
        self.service.0.tell(&Event::Closed { peer, reason: end.to_string() });
        // Goes away with the socket in any case.
        let _ = self.poll.registry().deregister(&mut connection.stream);
        if connection.is_queued {
            self.busy.retain(|&busy| busy != index);
        }
    }

    /// Returns whether more connections may wait.
    fn accept(&mut self, now: Duration) -> bool {
        let mut has_more = false;
        for index in 0..self.listeners.len() {
            has_more |= self.accept_some(index, now);
        }
        has_more
    }

    fn accept_some(&mut self, listener: usize, now: Duration) -> bool {
        for _ in 0..AT_ONCE {
            let (stream, address) = match self.listeners[listener].accept() {
                Ok(accepted) => accepted,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return false,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    // Descriptors may be lacking; it is tried again at the next tick.
                    let told = self.refused.add("cannot accept", "connections", "one", error, now);
                    told.into_iter().for_each(|text| self.service.0.problem(text));
                    return false;
                }
            };
            self.admit(stream, address, now);
        }
        true
    }

    fn admit(&mut self, stream: std::net::TcpStream, address: SocketAddr, now: Duration) {
        let parts = Arc::clone(&self.service.0);
        let told = match parts.guests.admit(address.ip(), now) {
            Ok((guest, is_displacing)) => {
                match self.add(stream, address, guest, now) {
                    Ok(index) => self.turn(index, now),
                    Err(error) => parts.problem(format!("cannot serve {address}: {error}")),
                }
                let why = "all places were taken, and the connection without a channel that rested longest is closed";
                is_displacing
                    .then(|| self.displaced.add("made room for", "connections", address, why, now))
                    .flatten()
            }
            Err(why) => self.refused.add("refused", "connections", address, why, now),
        };
        told.into_iter().for_each(|text| parts.problem(text));
    }

    fn add(
        &mut self,
        stream: std::net::TcpStream,
        address: SocketAddr,
        guest: Guest,
        now: Duration,
    ) -> io::Result<usize> {
        tune(&stream)?;
        let mut stream = mio::net::TcpStream::from_std(stream);
        let index = self.next;
        self.poll.registry().register(&mut stream, Token(index), Interest::READABLE | Interest::WRITABLE)?;
        let (shared, bell) = (Arc::clone(&self.shared), Arc::clone(&self.shared));
        guest.sit(move || bell.ring(index));
        let session = Session::new(&self.service, address, move || shared.ring(index), now);
        self.connections.insert(index, Connection::new(stream, session, guest));
        self.next += 1;
        self.service.0.tell(&Event::Connected(address));
        Ok(index)
    }
}
