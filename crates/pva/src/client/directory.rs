//! Which channels are where.

use std::collections::HashMap;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mio::unix::SourceFd;
use mio::{Interest, Registry, Token};
use socket2::{Domain, Protocol, Socket as RawSocket, Type};

use super::config::ClientConfig;
use super::lock::lock;
use super::op::Conn;
use super::parts::ChannelParts;
use super::socket::Socket;
use super::tokens::FIRST_CONN;
use crate::net::named;
use crate::proto::client::{Found, Searcher};
use crate::proto::{Guid, SearchResponse, ServerMessage};

/// The longest attempt to connect.
const DIAL: Duration = Duration::from_secs(5);
/// The pause before the next attempt to connect to a server with a configured address.
const REDIAL: Duration = Duration::from_secs(2);
/// The pause after a server refused a channel. It grows with each refusal up to the second value, so that a server
/// that always refuses costs little.
const REFUSED: Duration = Duration::from_secs(5);
const LONGEST_REFUSED: Duration = Duration::from_secs(30);

/// A server.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Server {
    /// Its identity until it ends.
    pub guid: Guid,
    /// Where it is.
    pub address: SocketAddr,
}

/// Makes connections for the directory.
pub(super) trait Maker {
    /// Where their sockets are watched.
    fn registry(&self) -> &Registry;

    /// A connection over a socket that is connected.
    fn conn(&self, socket: Socket, address: SocketAddr, token: Token, name_server: bool) -> Arc<Conn>;
}

/// Which server has which channel, and the search for channels without a server.
pub(super) struct Directory {
    pub(super) searcher: Searcher<Arc<ChannelParts>>,
    pub(super) conns: HashMap<Token, Arc<Conn>>,
    /// Ask who is there.
    pub(super) ping: bool,
    pub(super) listeners: Vec<Arc<Mutex<Vec<Server>>>>,
    links: HashMap<SocketAddr, Token>,
    dials: HashMap<Token, Dial>,
    name_servers: Vec<SocketAddr>,
    // Servers to connect to again, with a channel that is bound to it.
    redials: Vec<(Instant, SocketAddr, Option<Arc<ChannelParts>>)>,
    next: usize,
}

/// A connection that is being made.
struct Dial {
    socket: RawSocket,
    address: SocketAddr,
    begun: Instant,
    waiting: Vec<Arc<ChannelParts>>,
}

impl Directory {
    pub(super) fn new(config: &ClientConfig) -> Directory {
        let now = Instant::now();
        Directory {
            searcher: Searcher::default(),
            conns: HashMap::new(),
            ping: false,
            listeners: Vec::new(),
            links: HashMap::new(),
            dials: HashMap::new(),
            name_servers: config.name_servers.clone(),
            redials: config.name_servers.iter().map(|server| (now, *server, None)).collect(),
            next: FIRST_CONN,
        }
    }

    // ---- channels

    /// Searches a new channel, or connects to its server.
    pub(super) fn add(&mut self, channel: &Arc<ChannelParts>, now: Instant) {
        match channel.server {
            Some(server) => self.redials.push((now, server, Some(Arc::clone(channel)))),
            None => {
                let search = self.searcher.add(Arc::clone(channel), &channel.name, now);
                if search.is_none() {
                    channel.note_failure("a name has 1 to 500 bytes".into());
                }
                lock(&channel.state).search = search;
            }
        }
    }

    /// Looks for a channel again, after `wait`.
    pub(super) fn again(&mut self, channel: &Arc<ChannelParts>, now: Instant, wait: Duration) {
        if channel.is_closed() {
            return;
        }
        match channel.server {
            Some(server) => {
                let wait = wait.max(REDIAL);
                self.redials.push((now + wait, server, Some(Arc::clone(channel))));
            }
            None => {
                let search = lock(&channel.state).search;
                search.into_iter().for_each(|id| self.searcher.again(id, now, wait));
            }
        }
    }

    pub(super) fn refused(&mut self, channel: &Arc<ChannelParts>, now: Instant) {
        let times = lock(&channel.state).refusals;
        self.again(channel, now, (REFUSED * times.min(6)).min(LONGEST_REFUSED));
    }

    // ---- messages of servers

    /// Takes a message that came by UDP.
    pub(super) fn heard(
        &mut self,
        maker: &impl Maker,
        (from, message): (SocketAddr, ServerMessage<'_>),
        now: Instant,
    ) {
        match message {
            ServerMessage::SearchResponse(response) => self.found(maker, &response, from),
            ServerMessage::Beacon(beacon) => {
                let server = named(beacon.address, beacon.port, from);
                if self.searcher.beacon(server, &beacon, now) {
                    log::debug!("a server at {server}");
                }
            }
            _ => {}
        }
    }

    /// Takes the answer to a search. `from` is the server if the answer does not name one.
    pub(super) fn found(&mut self, maker: &impl Maker, response: &SearchResponse<'_>, from: SocketAddr) {
        // An answer over a connection speaks of that connection if it names no other.
        let server = match response.port {
            // A server sends port 0 over its own connection.
            0 => from,
            port => named(response.address, port, from),
        };
        self.tell_listeners(server, response);
        let mut found = Vec::new();
        self.searcher.answer(response, |what| match what {
            Found::Channel(channel) => found.push(Arc::clone(channel)),
            Found::Twice(name, first) => {
                log::warn!(
                    "`{name}` is served twice: by the server in use ({}), and at {server}",
                    hex(&first)
                );
            }
        });
        // A name server may answer for others, with an identity of its own.
        let guid = (server.ip() == from.ip().to_canonical()).then_some(response.guid);
        found.iter().for_each(|channel| channel.found_at(guid));
        if !found.is_empty() {
            self.link(maker, server, found);
        }
    }

    fn tell_listeners(&mut self, address: SocketAddr, response: &SearchResponse<'_>) {
        if response.protocol != "tcp" {
            return;
        }
        // A listener is dropped by the call that waits for answers.
        self.listeners.retain(|listener| Arc::strong_count(listener) > 1);
        for listener in &self.listeners {
            let (server, mut known) = (Server { guid: response.guid, address }, lock(listener));
            if !known.contains(&server) && known.len() < 100_000 {
                known.push(server);
            }
        }
    }

    // ---- connections

    pub(super) fn conn(&self, token: Token) -> Option<Arc<Conn>> {
        self.conns.get(&token).cloned()
    }

    pub(super) fn all(&self) -> Vec<Arc<Conn>> {
        self.conns.values().cloned().collect()
    }

    pub(super) fn take_all(&mut self) -> Vec<Arc<Conn>> {
        self.dials.clear();
        self.conns.drain().map(|(_, conn)| conn).collect()
    }

    /// Opens channels at a server, to which there may be no connection yet.
    fn link(&mut self, maker: &impl Maker, server: SocketAddr, channels: Vec<Arc<ChannelParts>>) {
        let token = self.links.get(&server).copied();
        if let Some(conn) = token.and_then(|token| self.conns.get(&token)) {
            let left = conn.with(|core| {
                channels.into_iter().filter(|channel| !channel.link(conn, core)).collect::<Vec<_>>()
            });
            // The connection was lost just now, so its channels are searched again.
            return left.iter().for_each(|channel| self.again(channel, Instant::now(), Duration::ZERO));
        }
        match token.and_then(|token| self.dials.get_mut(&token)) {
            Some(dial) => dial.waiting.extend(channels),
            None => self.dial(maker, server, channels),
        }
    }

    fn dial(&mut self, maker: &impl Maker, address: SocketAddr, waiting: Vec<Arc<ChannelParts>>) {
        let token = Token(self.next);
        self.next += 1;
        let socket = connect(address).and_then(|socket| {
            maker.registry().register(&mut SourceFd(&socket.as_raw_fd()), token, Interest::WRITABLE)?;
            Ok(socket)
        });
        match socket {
            Ok(socket) => {
                self.links.insert(address, token);
                self.dials.insert(token, Dial { socket, address, begun: Instant::now(), waiting });
            }
            Err(error) => self.undialled(address, waiting, &error.to_string()),
        }
    }

    /// The system is done with connecting.
    pub(super) fn dialled(&mut self, maker: &impl Maker, token: Token) {
        let Some(dial) = self.dials.remove(&token) else { return };
        let address = dial.address;
        let _ = maker.registry().deregister(&mut SourceFd(&dial.socket.as_raw_fd()));
        let failed = dial.socket.take_error();
        let socket = match failed {
            Ok(None) => Socket::new(TcpStream::from(dial.socket)),
            Ok(Some(error)) | Err(error) => Err(error),
        };
        match socket {
            Ok(socket) => {
                let name_server = self.name_servers.contains(&address);
                self.conns.insert(token, maker.conn(socket, address, token, name_server));
                self.link(maker, address, dial.waiting);
            }
            Err(error) => self.undialled(address, dial.waiting, &error.to_string()),
        }
    }

    fn undialled(&mut self, address: SocketAddr, waiting: Vec<Arc<ChannelParts>>, error: &str) {
        self.links.remove(&address);
        let now = Instant::now();
        for channel in waiting {
            channel.note_failure(format!("cannot connect to {address}: {error}"));
            self.again(&channel, now, Duration::from_secs(1));
        }
        self.call_name_server(address, now);
    }

    fn call_name_server(&mut self, address: SocketAddr, now: Instant) {
        if self.name_servers.contains(&address) {
            self.redials.push((now + REDIAL, address, None));
        }
    }

    /// A connection is gone: its channels are looked for again.
    pub(super) fn lost(&mut self, conn: &Arc<Conn>, channels: Vec<Arc<ChannelParts>>, now: Instant) {
        self.conns.remove(&conn.token);
        self.links.remove(&conn.address);
        channels.iter().for_each(|channel| self.again(channel, now, Duration::ZERO));
        self.call_name_server(conn.address, now);
    }

    /// Connects to servers whose time has come.
    pub(super) fn redial(&mut self, maker: &impl Maker, now: Instant) {
        let due = |(when, ..): &mut (Instant, SocketAddr, Option<Arc<ChannelParts>>)| *when <= now;
        let due: Vec<_> = self.redials.extract_if(.., due).collect();
        for (_, server, channel) in due {
            let channels: Vec<_> = channel.into_iter().filter(|channel| !channel.is_closed()).collect();
            self.link(maker, server, channels);
        }
    }

    /// When something is to be done.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let redial = self.redials.iter().map(|(when, ..)| *when).min();
        [self.searcher.deadline(), redial].into_iter().flatten().min()
    }

    /// Gives up connecting to addresses that do not answer.
    pub(super) fn tick(&mut self, now: Instant) {
        let late = |(_, dial): (&Token, &Dial)| now >= dial.begun + DIAL;
        let late: Vec<Token> =
            self.dials.iter().filter(|entry| late(*entry)).map(|(token, _)| *token).collect();
        for dial in late.into_iter().filter_map(|token| self.dials.remove(&token)).collect::<Vec<_>>() {
            self.undialled(dial.address, dial.waiting, "no answer within 5 s");
        }
    }
}

fn connect(address: SocketAddr) -> std::io::Result<RawSocket> {
    let socket = RawSocket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_nonblocking(true)?;
    match socket.connect(&address.into()) {
        Err(error) if error.raw_os_error() != Some(nix::errno::Errno::EINPROGRESS as i32) => Err(error),
        _ => Ok(socket),
    }
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
