//! The thread that owns the sockets.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token, Waker};

use super::ClientConfig;
use super::connection::Connection;
use super::core::Core;
use super::parts::Queue;
use super::search::datagram;

const WAKE: Token = Token(usize::MAX);
const DATAGRAMS: Token = Token(usize::MAX - 1);

/// How often time-outs are checked.
const TICK: Duration = Duration::from_millis(200);
/// The longest attempt to connect.
const DIAL: Duration = Duration::from_secs(5);
/// Bytes that are read at once.
const SCRATCH: usize = 64 << 10;
/// Datagrams that are taken between two looks at the other sockets.
const AT_ONCE: usize = 64;

pub(super) struct Reactor {
    core: Core,
    queue: Arc<Queue>,
    poll: Poll,
    udp: UdpSocket,
    connections: BTreeMap<usize, Connection>,
    next: usize,
    // Whether more datagrams may have come.
    more: bool,
    scratch: Box<[u8]>,
    start: Instant,
    ticked: Duration,
}

impl Reactor {
    /// # Errors
    /// When the system gives no sockets.
    pub(super) fn new(config: ClientConfig) -> io::Result<Reactor> {
        let udp = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
        udp.set_broadcast(true)?;
        udp.set_nonblocking(true)?;
        // Answers to many searches come at one time; a smaller buffer only makes them come again.
        let _ = socket2::SockRef::from(&udp).set_recv_buffer_size(1 << 20);
        let poll = Poll::new()?;
        let waker = Waker::new(poll.registry(), WAKE)?;
        poll.registry().register(&mut SourceFd(&udp.as_raw_fd()), DATAGRAMS, Interest::READABLE)?;
        Ok(Reactor {
            core: Core::new(config),
            queue: Arc::new(Queue::new(waker)),
            poll,
            udp,
            connections: BTreeMap::new(),
            next: 0,
            more: false,
            scratch: vec![0; SCRATCH].into(),
            start: Instant::now(),
            ticked: Duration::ZERO,
        })
    }

    pub(super) fn queue(&self) -> &Arc<Queue> {
        &self.queue
    }

    pub(super) fn run(mut self) {
        let mut events = Events::with_capacity(256);
        while !self.queue.is_stopped() {
            let wait = self.wait();
            // For any reason of a failure the clock goes on, and users get their time-outs.
            if self.poll.poll(&mut events, Some(wait)).is_err() {
                events.clear();
            }
            self.events(&events);
            let now = self.start.elapsed();
            self.hear(now);
            for command in self.queue.take() {
                self.core.command(command, now);
            }
            self.search(now);
            self.dial(now);
            self.turns(now);
            self.hang_up();
            self.tick(now);
        }
    }

    fn wait(&mut self) -> Duration {
        let now = self.start.elapsed();
        let core = &mut self.core;
        if self.more || self.connections.values().any(|connection| connection.is_busy(core)) {
            return Duration::ZERO;
        }
        let search = core.searcher.due().map_or(TICK, |due| due.saturating_sub(now));
        // Below a millisecond, the poll would not sleep at all.
        TICK.min(search).max(Duration::from_millis(1))
    }

    fn events(&mut self, events: &Events) {
        for event in events {
            match event.token() {
                WAKE => {}
                DATAGRAMS => self.more = true,
                Token(index) => {
                    if let Some(connection) = self.connections.get_mut(&index) {
                        connection.event(event);
                    }
                }
            }
        }
    }

    fn hear(&mut self, now: Duration) {
        for _ in 0..AT_ONCE {
            if !self.more {
                return;
            }
            match self.udp.recv_from(&mut self.scratch) {
                Ok((len, from)) => self.core.datagram(&self.scratch[..len], from, now),
                Err(error) if error.kind() == ErrorKind::WouldBlock => self.more = false,
                // An earlier datagram found no server; the next call reads further.
                Err(_) => {}
            }
        }
    }

    fn search(&mut self, now: Duration) {
        for searches in self.core.searches(now) {
            let bytes = datagram(&searches);
            // A network that is down now may be up at the next search.
            self.core.config.search.iter().for_each(|to| drop(self.udp.send_to(&bytes, to)));
        }
        if let Some(repeater) = self.core.config.repeater
            && let Some(bytes) = self.core.beacons.register(now)
        {
            // Without a repeater there are no beacons.
            let _ = self.udp.send_to(&bytes, repeater);
        }
        self.core.tell(&self.queue);
    }

    fn dial(&mut self, now: Duration) {
        for server in self.core.dials(now) {
            if self.connect(server, now).is_err() {
                self.core.lost(server, now);
            }
        }
    }

    fn connect(&mut self, server: SocketAddr, now: Duration) -> io::Result<()> {
        let mut connection = Connection::new(server, now)?;
        let both = Interest::READABLE | Interest::WRITABLE;
        self.poll.registry().register(&mut connection.stream, Token(self.next), both)?;
        self.connections.insert(self.next, connection);
        self.next += 1;
        Ok(())
    }

    fn turns(&mut self, now: Duration) {
        let (core, scratch) = (&mut self.core, &mut self.scratch);
        let mut over = Vec::new();
        for (&index, connection) in &mut self.connections {
            if connection.is_busy(core) && connection.turn(core, scratch, now).is_err() {
                over.push(index);
            }
        }
        over.into_iter().for_each(|index| self.lose(index, now));
    }

    /// The connection is over.
    fn lose(&mut self, index: usize, now: Duration) {
        if let Some(server) = self.remove(index) {
            self.core.lost(server, now);
        }
    }

    fn remove(&mut self, index: usize) -> Option<SocketAddr> {
        let mut connection = self.connections.remove(&index)?;
        // Goes away with the socket in any case.
        let _ = self.poll.registry().deregister(&mut connection.stream);
        Some(connection.server)
    }

    /// Ends connections without channels.
    fn hang_up(&mut self) {
        for server in self.core.unused() {
            let found = self.connections.iter().find(|(_, connection)| connection.server == server);
            if let Some((&index, _)) = found {
                self.remove(index);
            }
        }
    }

    fn tick(&mut self, now: Duration) {
        if now - self.ticked < TICK {
            return;
        }
        self.ticked = now;
        let dead = self.core.tick(now);
        let is_late = |connection: &Connection| connection.dialled.is_some_and(|begun| now - begun > DIAL);
        let is_over = |connection: &Connection| dead.contains(&connection.server) || is_late(connection);
        let over = self.connections.iter().filter(|(_, connection)| is_over(connection));
        let over: Vec<usize> = over.map(|(&index, _)| index).collect();
        over.into_iter().for_each(|index| self.lose(index, now));
    }
}
