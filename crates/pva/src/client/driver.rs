//! The thread of a client: it searches, connects, keeps connections alive, and reads data for which no thread
//! waits.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mio::{Events, Poll, Registry, Token, Waker};

use super::config::ClientConfig;
use super::conn::Broken;
use super::directory::{Directory, Maker};
use super::lock::lock;
use super::op::Conn;
use super::parts::ChannelParts;
use super::reader::LINGER;
use super::socket::Socket;
use super::tokens::{FIRST_CONN, FIRST_UDP, WAKE};
use super::udp::{SearchedNames, Udp};
use super::{Error, Result};
use crate::proto::{Search, SearchResponse};

// The interval at which connections check their timeouts, which are in seconds.
const TICK: Duration = Duration::from_millis(500);

/// Something for the thread of the client to do.
pub(super) enum Deed {
    /// A connection is broken.
    Failed(Arc<Conn>, Broken),
    /// A connection was closed by the thread that noticed its failure; these channels were on it.
    Lost(Arc<Conn>, Vec<Arc<ChannelParts>>, Broken),
    /// A server does not open a channel.
    Refused(Arc<ChannelParts>),
    /// A server closed a channel.
    Closed(Arc<ChannelParts>),
    /// A search was answered over the connection to this server.
    Found(SocketAddr, Box<SearchResponse<'static>>),
    /// The handshake is over.
    Ready(Arc<Conn>),
}

/// State shared by the thread and the users of a client. The head of `conn.rs` has the order of locks.
pub(super) struct ClientParts {
    pub(super) config: ClientConfig,
    pub(super) registry: Registry,
    pub(super) directory: Mutex<Directory>,
    waker: Waker,
    deeds: Mutex<Vec<Deed>>,
    woken: AtomicBool,
    lingering: AtomicBool,
    stopped: AtomicBool,
}

impl ClientParts {
    /// Wakes the thread to check timeouts and queued deeds.
    pub(super) fn wake(&self) {
        if !self.woken.swap(true, Ordering::AcqRel) {
            let _ = self.waker.wake();
        }
    }

    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        let _ = self.waker.wake();
    }

    pub(super) fn todo(&self, deeds: &mut Vec<Deed>) {
        if deeds.is_empty() {
            return;
        }
        let mut all = lock(&self.deeds);
        if self.stopped.load(Ordering::Acquire) {
            // Queued deeds hold an `Arc` to their connection. No thread carries them out any more, so leaving
            // them here would leak the connections.
            drop(all);
            return deeds.clear();
        }
        all.append(deeds);
        drop(all);
        self.wake();
    }

    /// A waiter reads a connection that the thread read before. The thread checks soon whether that is still
    /// the case.
    pub(super) fn linger(&self) {
        if !self.lingering.swap(true, Ordering::AcqRel) {
            self.wake();
        }
    }

    /// `channel` is not searched any more.
    pub(super) fn forget(&self, channel: &ChannelParts) {
        let mut directory = lock(&self.directory);
        let search = lock(&channel.state).search.take();
        search.into_iter().for_each(|id| directory.searcher.remove(id));
    }

    /// Where a channel that is not found was looked for.
    pub(super) fn tried(&self, channel: &ChannelParts, search: Option<u32>) -> String {
        if let Some(server) = channel.server {
            return format!("no connection to {server}");
        }
        let list = |all: Vec<String>| if all.is_empty() { "nowhere".into() } else { all.join(" ") };
        let udp = list(self.config.search.iter().map(ToString::to_string).collect());
        let tcp = list(self.config.name_servers.iter().map(ToString::to_string).collect());
        let times = search.map_or(0, |id| lock(&self.directory).searcher.attempts(id));
        format!("no server has it; searched {times} times, by UDP at {udp}, by TCP at {tcp}")
    }
}

impl Maker for Arc<ClientParts> {
    fn registry(&self) -> &Registry {
        &self.registry
    }

    fn conn(&self, socket: Socket, address: SocketAddr, token: Token, name_server: bool) -> Arc<Conn> {
        Conn::new(self, socket, address, token, name_server)
    }
}

/// The thread's own things.
pub(super) struct Driver {
    shared: Arc<ClientParts>,
    poll: Poll,
    udp: Udp,
    ticked: Instant,
}

impl Driver {
    pub(super) fn new(config: ClientConfig) -> Result<Driver> {
        let system = |error: io::Error| Error::System(format!("cannot start a client: {error}"));
        let poll = Poll::new().map_err(system)?;
        let registry = poll.registry().try_clone().map_err(system)?;
        let waker = Waker::new(&registry, WAKE).map_err(system)?;
        let udp = Udp::new(&config, &registry).map_err(system)?;
        let shared = ClientParts {
            directory: Mutex::new(Directory::new(&config)),
            config,
            registry,
            waker,
            deeds: Mutex::new(Vec::new()),
            woken: AtomicBool::new(false),
            lingering: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
        };
        Ok(Driver { shared: Arc::new(shared), poll, udp, ticked: Instant::now() })
    }

    pub(super) fn shared(&self) -> &Arc<ClientParts> {
        &self.shared
    }

    pub(super) fn run(mut self) {
        let mut events = Events::with_capacity(256);
        while !self.shared.stopped.load(Ordering::Acquire) {
            let timeout = self.timeout(Instant::now());
            match self.poll.poll(&mut events, Some(timeout)) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                    log::error!("the client stops: {error}");
                    break;
                }
                _ => {}
            }
            // Before the work is looked at: later items wake the thread again.
            self.shared.woken.store(false, Ordering::Release);
            for event in &events {
                self.event(event.token(), event.is_writable());
            }
            self.work();
        }
        self.end();
    }

    fn timeout(&self, now: Instant) -> Duration {
        if self.udp.has_more() {
            return Duration::ZERO;
        }
        let lingering = self.shared.lingering.load(Ordering::Acquire);
        let longest = if lingering { LINGER } else { TICK };
        let due = lock(&self.shared.directory).deadline();
        due.map_or(longest, |due| due.saturating_duration_since(now).min(longest))
    }

    fn event(&mut self, token: Token, writable: bool) {
        match token.0 {
            0 => {}
            FIRST_UDP..FIRST_CONN => self.udp.readable(token),
            _ => {
                // The directory is free while the connection is read: callbacks may open channels.
                let conn = lock(&self.shared.directory).conn(token);
                match conn {
                    Some(conn) => {
                        if writable {
                            conn.flush_backlog(&mut conn.core());
                        }
                        conn.read_ready();
                    }
                    None => lock(&self.shared.directory).dialled(&self.shared, token),
                }
            }
        }
    }

    fn work(&mut self) {
        let now = Instant::now();
        let shared = Arc::clone(&self.shared);
        self.udp.read(|found| {
            let mut directory = lock(&shared.directory);
            directory.heard(&shared, found, now);
        });
        // Carrying out deeds may queue more of them.
        loop {
            let deeds = std::mem::take(&mut *lock(&shared.deeds));
            if deeds.is_empty() {
                break;
            }
            deeds.into_iter().for_each(|deed| self.act(deed, now));
        }
        // After the deeds, which may have added servers to call.
        lock(&shared.directory).redial(&shared, now);
        self.search(now);
        self.take_over();
        // The clock of connections is looked at twice a second, however busy the thread is.
        if now >= self.ticked + TICK {
            self.ticked = now;
            self.tick(now);
        }
    }

    fn act(&mut self, deed: Deed, now: Instant) {
        let shared = Arc::clone(&self.shared);
        match deed {
            Deed::Failed(conn, why) => conn.close(why),
            Deed::Lost(conn, channels, why) => {
                log::warn!("{}: connection lost: {why}", conn.address);
                lock(&shared.directory).lost(&conn, channels, now);
            }
            Deed::Refused(channel) => lock(&shared.directory).refused(&channel, now),
            Deed::Closed(channel) => lock(&shared.directory).again(&channel, now, Duration::ZERO),
            Deed::Found(server, response) => lock(&shared.directory).found(&shared, &response, server),
            Deed::Ready(conn) if conn.name_server => lock(&shared.directory).searcher.all_now(now),
            Deed::Ready(_) => {}
        }
    }

    fn search(&mut self, now: Instant) {
        let mut directory = lock(&self.shared.directory);
        let ping = std::mem::take(&mut directory.ping);
        let Directory { searcher, conns, .. } = &mut *directory;
        let servers: Vec<_> = conns.values().filter(|conn| conn.name_server).cloned().collect();
        let mut ask = |names: &SearchedNames<'_>| {
            let must = if names.is_empty() { Search::MUST_REPLY } else { 0 };
            self.udp.search(names, must);
            ask_name_servers(&servers, names, must);
        };
        if ping {
            ask(&[]);
        }
        searcher.poll(now, ask);
    }

    /// Reads the connections that no waiter reads any more.
    fn take_over(&self) {
        if !self.shared.lingering.swap(false, Ordering::AcqRel) {
            return;
        }
        let conns = lock(&self.shared.directory).all();
        if conns.iter().filter(|conn| conn.resume()).count() > 0 {
            self.shared.lingering.store(true, Ordering::Release);
        }
    }

    fn tick(&self, now: Instant) {
        let conns = lock(&self.shared.directory).all();
        conns.iter().for_each(|conn| conn.tick(now));
        lock(&self.shared.directory).tick(now);
    }

    fn end(self) {
        let conns = lock(&self.shared.directory).take_all();
        conns.iter().for_each(|conn| drop(conn.end()));
        lock(&self.shared.deeds).clear();
    }
}

fn ask_name_servers(servers: &[Arc<Conn>], names: &SearchedNames<'_>, must: u8) {
    for conn in servers.iter().filter(|conn| !conn.is_busy()) {
        let search = Search::of(names, must | Search::UNICAST, 0);
        let _ = conn
            .with(|core| if core.connection.is_ready() { core.connection.search(&search) } else { Ok(()) });
    }
}
