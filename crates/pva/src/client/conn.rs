//! A connection, and who reads from it.
//!
//! A thread that waits for an answer reads from the connection itself, one thread at a time ([`ReadBy`]). Other threads that wait follow: they sleep
//! until the reader has its answer, and one of them goes on. When no thread waits, the client's thread reads. So an answer that is waited for
//! wakes one thread and not two.
//!
//! Locks are taken in this order. A thread that holds one takes only those below it:
//!
//! | lock | protects | held while |
//! |---|---|---|
//! | `Conn::incoming` | buffer and assembler of received bytes | the socket is read, and callbacks of users run |
//! | `ClientThread::channels` | the channels that users have | |
//! | `ClientParts::directory` | which channels and connections there are | channels are linked to connections |
//! | `Conn::core` | protocol state, and pending output | a message is handled or sent |
//! | `ChannelParts::state` | link and waiting operations of a channel | |
//! | `Op::state` | place, outcome and queue of an operation | |
//! | `Conn::readers`, `ClientParts::deeds` | the reading thread; work for the client's thread | nothing else is locked below these |
//!
//! `Op`'s lock around a callback is only tried, never waited for.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use mio::unix::SourceFd;
use mio::{Interest, Registry, Token};

use super::config::ClientConfig;
use super::lock::lock;
use super::reader::{NextReader, ReadBy};
use super::socket::{How, Once, Socket};
use crate::proto::client::{Connection, Event};
use crate::wire::{Assembler, LARGE_BYTES, Payload};
use crate::{Error as WireError, Result as WireResult};

// Bytes read at once: a few hundred small answers per system call.
const BUFFER: usize = 256 << 10;

// Where a large message is expected, so little is read that most of it goes straight to its place.
const PREFIX: usize = 4096;

// A connection that always has more to read must not keep the thread of the client from others.
const TURNS: usize = 16;

/// The owner of connections: they know its channels and requests as keys, and tell it the events.
pub(super) trait Owner: Sized + 'static {
    /// The shared state of all connections of a client.
    type Shared: Send + Sync;
    /// A channel.
    type Channel: Send;
    /// A request.
    type Request: Send;
    /// Work that came up while messages were read, to be done later.
    type Later: Default + Send;

    /// How the client is set up.
    fn config(shared: &Self::Shared) -> &ClientConfig;

    /// Where sockets are watched.
    fn registry(shared: &Self::Shared) -> &Registry;

    /// A message of the server means `event`. The connection is locked. Returns where in `payload` a large array began.
    fn event(
        conn: &Arc<Conn<Self>>,
        event: Event<'_, Self::Channel, Self::Request>,
        payload: &Payload<'_>,
        later: &mut Self::Later,
    ) -> Option<usize>;

    /// All messages that were there are taken, and the connection is still locked. Unless one made no sense, operations
    /// that waited for their channels may begin.
    fn taken(conn: &Arc<Conn<Self>>, core: &mut Protocol<Self>, later: &mut Self::Later, made_sense: bool);

    /// The connection is not locked any more.
    fn unlocked(conn: &Arc<Conn<Self>>, later: &mut Self::Later);

    /// Nothing but the input of the connection is locked: threads that wait may be woken, and functions of users called.
    fn run(later: &mut Self::Later);

    /// The connection ends with these channels and requests on it, which may have been running. It is locked.
    fn ended(channels: &[Self::Channel], requests: Vec<(Self::Request, bool)>, later: &mut Self::Later);

    /// The connection is broken and locked, so that it cannot be closed now.
    fn broken(conn: &Arc<Conn<Self>>, why: Broken);

    /// The connection is closed; these channels were on it.
    fn closed(conn: &Arc<Conn<Self>>, channels: Vec<Self::Channel>, why: Broken);

    /// A waiter takes over reading from the client's thread.
    fn linger(shared: &Self::Shared);
}

/// Why a connection is over.
#[derive(Debug)]
pub(super) enum Broken {
    /// The server closed it.
    Closed,
    /// The system cannot read or write.
    System(io::Error),
    /// Received bytes made no sense, or nothing came for too long.
    Wrong(WireError),
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Closed => f.write_str("the server closed the connection"),
            Broken::System(error) => error.fmt(f),
            Broken::Wrong(error) => error.fmt(f),
        }
    }
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Broken {
        Broken::System(error)
    }
}

impl From<WireError> for Broken {
    fn from(error: WireError) -> Broken {
        Broken::Wrong(error)
    }
}

/// A connection to a server.
pub(super) struct Conn<O: Owner> {
    pub(super) address: SocketAddr,
    pub(super) token: Token,
    /// It is asked for names, too.
    pub(super) name_server: bool,
    socket: Socket,
    shared: Arc<O::Shared>,
    core: Mutex<Protocol<O>>,
    incoming: Mutex<Incoming<O>>,
    readers: Mutex<Readers>,
    /// Wakes followers.
    follow: Condvar,
    /// Set once, and never taken back.
    closed: AtomicBool,
    /// Messages must be read although no thread waits for them. Set once, and never taken back.
    attended: AtomicBool,
}

/// The state of the connection, and its pending output.
pub(super) struct Protocol<O: Owner> {
    pub(super) connection: Connection<O::Channel, O::Request>,
    // Output that the system did not take yet.
    backlog: VecDeque<Bytes>,
    progress: Instant,
}

struct Incoming<O: Owner> {
    assembler: Assembler,
    buffer: Vec<u8>,
    expect_large: bool,
    later: O::Later,
}

/// The reading thread, the next ones, and the events that the system watches for.
struct Readers {
    reader: ReadBy,
    /// Threads that wait for an operation while another one reads.
    followers: usize,
    /// The system has not taken all that is to be sent.
    writing: bool,
    /// The events that the system watches for now.
    registered: Option<Interest>,
}

impl<O: Owner> Conn<O> {
    pub(super) fn new(
        shared: &Arc<O::Shared>,
        socket: Socket,
        address: SocketAddr,
        token: Token,
        name_server: bool,
    ) -> Arc<Conn<O>> {
        let now = Instant::now();
        let config = O::config(shared);
        let mut assembler = Assembler::new(config.max_message);
        assembler.use_buffers(Arc::clone(&config.buffers));
        let later = O::Later::default();
        let incoming = Incoming { assembler, buffer: vec![0; BUFFER], expect_large: false, later };
        let connection = Connection::new(config.identity(), now);
        let conn = Arc::new(Conn {
            address,
            token,
            name_server,
            socket,
            shared: Arc::clone(shared),
            core: Mutex::new(Protocol { connection, backlog: VecDeque::new(), progress: now }),
            incoming: Mutex::new(incoming),
            readers: Mutex::new(Readers {
                reader: ReadBy::Idle(NextReader::Thread),
                followers: 0,
                writing: false,
                registered: None,
            }),
            follow: Condvar::new(),
            closed: AtomicBool::new(false),
            attended: AtomicBool::new(false),
        });
        conn.watch(&mut lock(&conn.readers));
        conn
    }

    /// The shared state of all connections of the client.
    pub(super) fn shared(&self) -> &O::Shared {
        &self.shared
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    pub(super) fn core(&self) -> MutexGuard<'_, Protocol<O>> {
        lock(&self.core)
    }

    /// Works on the connection and sends the resulting output.
    pub(super) fn with<T>(self: &Arc<Self>, run: impl FnOnce(&mut Protocol<O>) -> T) -> T {
        let mut core = self.core();
        let result = run(&mut core);
        self.flush(&mut core);
        result
    }

    // ---- sending

    /// Sends pending output, as much as the system takes now.
    pub(super) fn flush(self: &Arc<Self>, core: &mut Protocol<O>) {
        let writer = core.connection.output();
        if writer.is_empty() {
            return;
        }
        // Earlier output goes first: pieces stay in their order.
        if !core.backlog.is_empty() {
            core.backlog.extend(writer.take().chunks().cloned());
            return;
        }
        let total = writer.len();
        let sent = match self.socket.write(writer) {
            Ok(sent) => sent,
            Err(error) => {
                writer.clear();
                return O::broken(self, error.into());
            }
        };
        if sent == total {
            return writer.clear();
        }
        core.backlog.extend(writer.take().chunks().cloned());
        // From now on the server has its time to read.
        core.progress = Instant::now();
        skip(&mut core.backlog, sent);
        self.watch_writing(true);
    }

    /// Sends more of the output that the system did not take before.
    pub(super) fn flush_backlog(self: &Arc<Self>, core: &mut Protocol<O>) {
        while !core.backlog.is_empty() {
            let pieces: Vec<_> = core.backlog.iter().take(32).map(|piece| IoSlice::new(piece)).collect();
            match self.socket.write_pieces(&pieces) {
                Ok(0) => return,
                Ok(sent) => {
                    core.progress = Instant::now();
                    skip(&mut core.backlog, sent);
                }
                Err(error) => {
                    core.backlog.clear();
                    return O::broken(self, error.into());
                }
            }
        }
        self.watch_writing(false);
        self.flush(core);
    }

    /// Whether so much waits to be sent that a search had better not be added.
    pub(super) fn is_busy(&self) -> bool {
        self.core().backlog.iter().map(Bytes::len).sum::<usize>() > LARGE_BYTES
    }

    /// Looks at the clock: echoes, and whether the server is alive.
    pub(super) fn tick(self: &Arc<Self>, now: Instant) {
        let mut core = self.core();
        // A server that does not read is as dead as one that does not write.
        let stalled = !core.backlog.is_empty() && now > core.progress + O::config(&self.shared).idle;
        let result = match stalled {
            true => Err(WireError::new("a server that reads", "one that does not")),
            false => core.connection.tick(now),
        };
        match result {
            Ok(()) => self.flush(&mut core),
            Err(error) => O::broken(self, error.into()),
        }
    }

    // ---- who reads

    /// Reads, or lets others read, until `until` holds, the connection is closed, or it is late.
    pub(super) fn drive(self: &Arc<Self>, until: &dyn Fn() -> bool, deadline: Option<Instant>) {
        loop {
            let mut readers = lock(&self.readers);
            if until() || self.is_closed() || deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return;
            }
            let Some(was_notified) = readers.reader.begin() else {
                self.follow(readers, deadline);
                continue;
            };
            self.watch(&mut readers);
            // Others may want to follow while this thread reads.
            drop(readers);
            if was_notified {
                O::linger(&self.shared);
            }
            self.read_until(until, deadline);
            self.leave();
        }
    }

    fn follow(&self, mut readers: MutexGuard<'_, Readers>, deadline: Option<Instant>) {
        readers.followers += 1;
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let mut readers = match left {
            Some(left) => self.follow.wait_timeout(readers, left).unwrap_or_else(PoisonError::into_inner).0,
            None => self.follow.wait(readers).unwrap_or_else(PoisonError::into_inner),
        };
        readers.followers -= 1;
    }

    /// The reading waiter has its answer: a follower goes on, or the client's thread.
    fn leave(&self) {
        let mut readers = lock(&self.readers);
        readers.reader.leave(NextReader::Waiter { left: Instant::now() });
        if readers.followers > 0 {
            self.follow.notify_all();
        } else if self.attended.load(Ordering::Acquire) {
            self.listen(&mut readers);
        }
    }

    fn read_until(self: &Arc<Self>, until: &dyn Fn() -> bool, deadline: Option<Instant>) {
        let how = if O::config(&self.shared).spin { How::Spin(deadline) } else { How::Sleep(deadline) };
        let mut incoming = lock(&self.incoming);
        while !until() && !self.is_closed() {
            match self.read(&mut incoming, how) {
                Ok(true) => self.notify_followers(),
                Ok(false) if deadline.is_some_and(|deadline| Instant::now() >= deadline) => return,
                Ok(false) => {}
                Err(why) => {
                    drop(incoming);
                    return self.close(why);
                }
            }
        }
    }

    fn notify_followers(&self) {
        if lock(&self.readers).followers > 0 {
            self.follow.notify_all();
        }
    }

    /// Reads waiting bytes, for the thread of the client, if no other thread reads.
    pub(super) fn read_ready(self: &Arc<Self>) {
        if self.is_closed() || !lock(&self.readers).reader.enter() {
            return;
        }
        let mut incoming = lock(&self.incoming);
        let mut more = true;
        for _ in 0..TURNS {
            match self.read(&mut incoming, How::Now) {
                Ok(true) => {}
                Ok(false) => {
                    more = false;
                    break;
                }
                Err(why) => {
                    drop(incoming);
                    self.close(why);
                    return self.leave_thread();
                }
            }
        }
        drop(incoming);
        self.leave_thread();
        if more {
            self.relisten(&mut lock(&self.readers));
        }
    }

    fn leave_thread(&self) {
        let mut readers = lock(&self.readers);
        readers.reader.leave_thread();
        if readers.followers > 0 {
            self.follow.notify_all();
        }
    }

    /// Messages must be read although no thread waits for them.
    pub(super) fn attend(&self) {
        if !self.attended.swap(true, Ordering::AcqRel) {
            self.listen(&mut lock(&self.readers));
        }
    }

    /// Lets the thread of the client read if no thread did for a while. Returns whether it has to be asked again.
    pub(super) fn resume(&self) -> bool {
        let mut readers = lock(&self.readers);
        if readers.reader.is_left(Instant::now()) {
            self.listen(&mut readers);
        }
        !readers.reader.notifies() && !self.is_closed()
    }

    fn watch_writing(&self, writing: bool) {
        let mut readers = lock(&self.readers);
        readers.writing = writing;
        self.watch(&mut readers);
    }

    /// Lets the client's thread be notified, unless a thread reads.
    fn listen(&self, readers: &mut Readers) {
        readers.reader.notify();
        self.watch(readers);
    }

    // The system tells only once that there is something to read: ask again.
    fn relisten(&self, readers: &mut Readers) {
        if let (Some(interest), false) = (readers.registered, self.is_closed()) {
            let _ =
                O::registry(&self.shared).reregister(&mut SourceFd(&self.socket.fd()), self.token, interest);
        }
    }

    /// Asks the system to watch for the events that are needed now.
    fn watch(&self, readers: &mut Readers) {
        let wanted = if self.is_closed() { None } else { readers.reader.interest(readers.writing) };
        let (registry, fd) = (O::registry(&self.shared), self.socket.fd());
        let result = match (readers.registered, wanted) {
            (None, None) => Ok(()),
            (Some(_), None) => registry.deregister(&mut SourceFd(&fd)),
            (None, Some(interest)) => registry.register(&mut SourceFd(&fd), self.token, interest),
            (Some(old), Some(new)) if old == new => Ok(()),
            (Some(_), Some(interest)) => registry.reregister(&mut SourceFd(&fd), self.token, interest),
        };
        readers.registered = wanted;
        if let Err(error) = result {
            log::warn!("{}: the system does not watch the connection: {error}", self.address);
        }
    }

    // ---- reading

    /// Reads once and handles the messages. `false`: nothing came in time. The error says why it is over.
    fn read(self: &Arc<Self>, incoming: &mut Incoming<O>, how: How) -> Result<bool, Broken> {
        let fills = incoming.assembler.missing() >= PREFIX;
        let result = if fills {
            incoming.assembler.fill(Once { socket: &self.socket, how, used: false })
        } else {
            let end = if incoming.expect_large { PREFIX } else { BUFFER };
            self.socket.read(&mut incoming.buffer[..end], how, false)
        };
        let count = match result {
            Ok(0) => return Err(Broken::Closed),
            Ok(count) => count,
            Err(error) if is_patient(&error) => return Ok(false),
            Err(error) => return Err(error.into()),
        };
        let done = self.process(incoming, if fills { 0 } else { count });
        O::run(&mut incoming.later);
        done.map(|()| true).map_err(Broken::Wrong)
    }

    fn process(self: &Arc<Self>, incoming: &mut Incoming<O>, count: usize) -> WireResult<()> {
        let mut core = self.core();
        core.connection.heard(Instant::now());
        let result = self.receive(&mut core, incoming, count);
        // Messages before an error count.
        let later = &mut incoming.later;
        if let Ok(align) = &result {
            align.iter().for_each(|offset| incoming.assembler.align(*offset));
        }
        O::taken(self, &mut core, later, result.is_ok());
        if !core.backlog.is_empty() {
            self.flush_backlog(&mut core);
        }
        self.flush(&mut core);
        drop(core);
        O::unlocked(self, later);
        result.map(drop)
    }

    /// Takes all messages that are there. Returns where in its payload the last large array began.
    fn receive(
        self: &Arc<Self>,
        core: &mut Protocol<O>,
        incoming: &mut Incoming<O>,
        count: usize,
    ) -> WireResult<Option<usize>> {
        let Incoming { assembler, buffer, expect_large, later } = incoming;
        let (mut input, mut align) = (&buffer[..count], None);
        while let Some(message) = assembler.next(&mut input)? {
            *expect_large = message.bytes().len() >= LARGE_BYTES;
            let payload = &message.payload;
            core.connection.receive(&message, &mut |event| {
                align = O::event(self, event, payload, later).or(align);
            })?;
        }
        *expect_large &= assembler.missing() == 0;
        Ok(align)
    }

    /// Ends the connection, and tells why, unless another thread did so before.
    pub(super) fn close(self: &Arc<Self>, why: Broken) {
        if let Some(channels) = self.end() {
            O::closed(self, channels, why);
        }
    }

    /// Ends the connection and hands back the channels that were on it. Requests that may be done again go to
    /// their channels. Returns nothing if another thread ended it before.
    pub(super) fn end(self: &Arc<Self>) -> Option<Vec<O::Channel>> {
        if self.closed.swap(true, Ordering::AcqRel) {
            return None;
        }
        let mut later = O::Later::default();
        let mut core = self.core();
        let (channels, requests) = core.connection.into_lost();
        core.backlog.clear();
        core.connection.output().clear();
        O::ended(&channels, requests, &mut later);
        drop(core);
        // The system must not tell of a socket whose number another one may get.
        self.watch(&mut lock(&self.readers));
        self.socket.close();
        self.follow.notify_all();
        O::run(&mut later);
        Some(channels)
    }
}

fn is_patient(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

fn skip(backlog: &mut VecDeque<Bytes>, mut count: usize) {
    while let Some(first) = backlog.front_mut() {
        if count < first.len() {
            return drop(first.split_to(count));
        }
        count -= first.len();
        backlog.pop_front();
    }
}
