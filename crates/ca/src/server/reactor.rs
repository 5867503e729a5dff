//! The thread that owns the sockets.

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token, Waker};

use super::beacon::Beacons;
use super::connection::{Connection, End};
use super::search::answer_all;
use super::{Event, Provider, ServerConfig, Session};
use crate::Error;

const WAKE: Token = Token(usize::MAX);
const LISTENER: Token = Token(usize::MAX - 1);
const SEARCHES: Token = Token(usize::MAX - 2);

/// How often time-outs are checked.
const TICK: Duration = Duration::from_millis(500);
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

/// What other threads may do to the thread of the server.
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
    provider: Arc<dyn Provider>,
    config: ServerConfig,
    shared: Arc<Shared>,
    poll: Poll,
    listener: TcpListener,
    tcp_port: u16,
    searches: Option<UdpSocket>,
    beacons: Beacons,
    connections: BTreeMap<usize, Connection>,
    next: usize,
    // Connections that want another turn.
    busy: VecDeque<usize>,
    // Whether more searches, or connections, may have come.
    more: bool,
    scratch: Box<[u8]>,
    start: Instant,
}

impl Server {
    /// Serves the channels of `provider`.
    ///
    /// # Errors
    /// When no address can be listened at, or no thread started.
    pub fn start(config: ServerConfig, provider: impl Provider + 'static) -> io::Result<Server> {
        let listener = bind(&config)?;
        let tcp = listener.local_addr()?;
        let searches =
            config.udp_port.map(|port| searched_at(SocketAddr::new(config.address, port))).transpose()?;
        let udp = searches.as_ref().map(UdpSocket::local_addr).transpose()?;
        let poll = Poll::new()?;
        let waker = Waker::new(poll.registry(), WAKE)?;
        let shared = Arc::new(Shared { waker, stop: AtomicBool::new(false), rung: Mutex::default() });
        poll.registry().register(&mut SourceFd(&listener.as_raw_fd()), LISTENER, Interest::READABLE)?;
        if let Some(searches) = &searches {
            poll.registry().register(&mut SourceFd(&searches.as_raw_fd()), SEARCHES, Interest::READABLE)?;
        }
        let beacons = Beacons::new(config.beacons.clone(), tcp.port(), config.beacon_period, Duration::ZERO);
        let reactor = Reactor {
            provider: Arc::new(provider),
            config,
            shared: Arc::clone(&shared),
            poll,
            listener,
            tcp_port: tcp.port(),
            searches,
            beacons,
            connections: BTreeMap::new(),
            next: 0,
            busy: VecDeque::new(),
            more: false,
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

/// At the wanted port, or at any: another server may have it, and searches tell clients the port.
fn bind(config: &ServerConfig) -> io::Result<TcpListener> {
    let at = |port| TcpListener::bind(SocketAddr::new(config.address, port));
    let listener = at(config.tcp_port).or_else(|error| match error.kind() {
        ErrorKind::AddrInUse => at(0),
        _ => Err(error),
    })?;
    listener.set_nonblocking(true)?;
    Ok(listener)
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

impl Reactor {
    fn run(mut self) {
        let mut events = Events::with_capacity(1024);
        let mut ticked = Duration::ZERO;
        while !self.shared.stop.load(SeqCst) {
            if let Err(error) = self.wait(&mut events)
                && error.kind() != ErrorKind::Interrupted
            {
                return self.tell(&Event::Ended(error.to_string()));
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
    }

    fn tell(&self, event: &Event) {
        self.config.log.iter().for_each(|log| log(event));
    }

    fn wait(&mut self, events: &mut Events) -> io::Result<()> {
        let now = self.start.elapsed();
        let beacon = match &self.searches {
            Some(socket) => self.beacons.send(socket, now),
            None => TICK,
        };
        let idle = if self.busy.is_empty() && !self.more { TICK.min(beacon) } else { Duration::ZERO };
        self.poll.poll(events, Some(idle))
    }

    fn event(&mut self, event: &mio::event::Event, now: Duration) {
        match event.token() {
            WAKE => {}
            LISTENER | SEARCHES => self.more = true,
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
            // A socket that fails is tried again at the next tick.
            let more = self
                .searches
                .as_ref()
                .map(|socket| answer_all(socket, &*self.provider, self.tcp_port, AT_ONCE));
            self.more = matches!(more, Some(Ok(true))) | self.accept(now);
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
        self.tell(&Event::Closed { peer: Arc::clone(connection.session.peer()), reason: end.to_string() });
        // Goes away with the socket in any case.
        let _ = self.poll.registry().deregister(&mut connection.stream);
        self.busy.retain(|&busy| busy != index);
    }

    /// Returns whether more connections may wait.
    fn accept(&mut self, now: Duration) -> bool {
        for _ in 0..AT_ONCE {
            let Ok((stream, address)) = self.listener.accept() else { return false };
            let most = self.config.limits.connections;
            let added = match self.connections.len() < most {
                true => self.add(stream, address, now).map_err(|error| error.to_string()),
                false => Err(format!("wanted at most {most} connections")),
            };
            match added {
                Ok(index) => self.turn(index, now),
                Err(reason) => self.tell(&Event::Refused { address, reason }),
            }
        }
        true
    }

    fn add(&mut self, stream: std::net::TcpStream, address: SocketAddr, now: Duration) -> io::Result<usize> {
        stream.set_nonblocking(true)?;
        // Answers are small, and clients wait for them.
        stream.set_nodelay(true)?;
        let mut stream = mio::net::TcpStream::from_std(stream);
        let (index, shared) = (self.next, Arc::clone(&self.shared));
        self.poll.registry().register(&mut stream, Token(index), Interest::READABLE | Interest::WRITABLE)?;
        let (provider, limits) = (Arc::clone(&self.provider), self.config.limits);
        let session = Session::new(provider, limits, address, self.tcp_port, move || shared.ring(index), now);
        self.connections.insert(index, Connection::new(stream, session));
        self.next += 1;
        self.tell(&Event::Connected(address));
        Ok(index)
    }
}
