//! A connection, and who reads from it.
//!
//! A thread that waits for an answer reads from the connection itself, one thread at a time ([`Reader`]). Other threads that wait follow: they sleep
//! until the reader has what it wanted, and one of them goes on. When nobody waits, the client's thread reads. So an answer that is waited for
//! wakes one thread and not two.
//!
//! Locks are taken in this order. A thread that holds one takes only those below it:
//!
//! | lock | protects | held while |
//! |---|---|---|
//! | `Conn::incoming` | buffer and assembler of what was read | the socket is read, and callbacks of users run |
//! | `Shared::directory` | which channels and connections there are | channels are linked to connections |
//! | `Conn::core` | protocol state, and what is to be sent | a message is handled or sent |
//! | `channel::Inner::state` | link and waiting operations of a channel | |
//! | `Op::state` | place, outcome and queue of an operation | |
//! | `Conn::readers`, `Shared::deeds` | who reads; what the client's thread has to do | nothing else is locked below these |
//!
//! `Op`'s lock around a callback is only tried, never waited for.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use mio::unix::SourceFd;
use mio::{Interest, Token};

use super::channel::Inner;
use super::driver::{Deed, Shared};
use super::op::{Later, Op, lock};
use super::reader::{Next, Reader};
use super::socket::{How, Once, Socket};
use super::{Error, monitor};
use crate::data::Value;
use crate::proto::LogKind;
use crate::proto::client::{Answer, Connection, Event, Refusal};
use crate::wire::{Assembler, LARGE_BYTES, Payload};
use crate::{Error as WireError, Result as WireResult};

// Bytes read at once: a few hundred small answers per system call.
const BUFFER: usize = 256 << 10;

// Where a large message is expected, so little is read that most of it goes straight to its place.
const PREFIX: usize = 4096;

// A connection that always has more to read must not keep the thread of the client from others.
const TURNS: usize = 16;

/// A connection to a server.
pub(super) struct Conn {
    pub(super) address: SocketAddr,
    pub(super) token: Token,
    /// It is asked for names, too.
    pub(super) name_server: bool,
    socket: Socket,
    shared: Arc<Shared>,
    core: Mutex<Core>,
    incoming: Mutex<Incoming>,
    readers: Mutex<Readers>,
    /// Wakes followers.
    follow: Condvar,
    /// Set once, and never taken back.
    closed: AtomicBool,
    /// What comes must be read although nobody waits for it. Set once, and never taken back.
    attended: AtomicBool,
}

/// What is known about the connection, and what is to be sent.
pub(super) struct Core {
    pub(super) connection: Connection<Arc<Inner>, Arc<Op>>,
    // What the system did not take yet.
    backlog: VecDeque<Bytes>,
    progress: Instant,
}

struct Incoming {
    assembler: Assembler,
    buffer: Vec<u8>,
    expect_large: bool,
    later: Later,
}

/// Who reads, who wants to read next, and what the system is asked to watch for.
struct Readers {
    reader: Reader,
    /// Threads that wait for an operation while another one reads.
    followers: usize,
    /// The system has not taken all that is to be sent.
    writing: bool,
    /// What the system watches for now.
    registered: Option<Interest>,
}

impl Conn {
    pub(super) fn new(
        shared: &Arc<Shared>,
        socket: Socket,
        address: SocketAddr,
        token: Token,
        name_server: bool,
    ) -> Arc<Conn> {
        let now = Instant::now();
        let mut assembler = Assembler::new(shared.config.max_message);
        assembler.use_buffers(Arc::clone(&shared.config.buffers));
        let later = Later::default();
        let incoming = Incoming { assembler, buffer: vec![0; BUFFER], expect_large: false, later };
        let connection = Connection::new(shared.identity(), now);
        let conn = Arc::new(Conn {
            address,
            token,
            name_server,
            socket,
            shared: Arc::clone(shared),
            core: Mutex::new(Core { connection, backlog: VecDeque::new(), progress: now }),
            incoming: Mutex::new(incoming),
            readers: Mutex::new(Readers {
                reader: Reader::Idle(Next::Thread),
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

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    pub(super) fn core(&self) -> MutexGuard<'_, Core> {
        lock(&self.core)
    }

    /// Does something with the connection and sends what comes of it.
    pub(super) fn with<T>(self: &Arc<Self>, run: impl FnOnce(&mut Core) -> T) -> T {
        let mut core = self.core();
        let result = run(&mut core);
        self.flush(&mut core);
        result
    }

    /// Begins `op` on channel `cid`, which is open; `false` if it is not.
    pub(super) fn begin(self: &Arc<Self>, core: &mut Core, cid: u32, op: &Arc<Op>) -> bool {
        let begun = core.connection.begin(cid, op.job.clone(), &op.request, op.once, Arc::clone(op));
        let Ok(ioid) = begun else { return false };
        match op.attach(self, ioid) {
            Some(true) => self.attend(),
            Some(false) => {}
            None => drop(core.connection.destroy(ioid)),
        }
        true
    }

    // ---- sending

    /// Sends what is to be sent, as much as the system takes now.
    pub(super) fn flush(self: &Arc<Self>, core: &mut Core) {
        let writer = core.connection.output();
        if writer.is_empty() {
            return;
        }
        if !core.backlog.is_empty() {
            core.backlog.extend(writer.take().chunks().cloned());
            return;
        }
        let total = writer.len();
        let sent = match self.socket.write(writer) {
            Ok(sent) => sent,
            Err(error) => {
                writer.clear();
                return self.shared.fail(self, error.to_string());
            }
        };
        if sent == total {
            return writer.clear();
        }
        core.backlog.extend(writer.take().chunks().cloned());
        core.progress = Instant::now();
        skip(&mut core.backlog, sent);
        self.watch_writing(true);
    }

    /// Sends more of what the system did not take before.
    pub(super) fn flush_backlog(self: &Arc<Self>, core: &mut Core) {
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
                    return self.shared.fail(self, error.to_string());
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
        let stalled = !core.backlog.is_empty() && now > core.progress + self.shared.config.idle;
        let result = match stalled {
            true => Err(WireError::new("a server that reads", "one that does not")),
            false => core.connection.tick(now),
        };
        match result {
            Ok(()) => self.flush(&mut core),
            Err(error) => self.shared.fail(self, error.to_string()),
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
            drop(readers);
            if was_notified {
                self.shared.linger();
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

    /// The waiter that reads has what it wanted: a follower goes on, or the client's thread.
    fn leave(&self) {
        let mut readers = lock(&self.readers);
        readers.reader.leave(Next::Waiter { left: Instant::now() });
        if readers.followers > 0 {
            self.follow.notify_all();
        } else if self.attended.load(Ordering::Acquire) {
            self.listen(&mut readers);
        }
    }

    fn read_until(self: &Arc<Self>, until: &dyn Fn() -> bool, deadline: Option<Instant>) {
        let how = if self.shared.config.spin { How::Spin(deadline) } else { How::Sleep(deadline) };
        let mut incoming = lock(&self.incoming);
        while !until() && !self.is_closed() {
            match self.read(&mut incoming, how) {
                Ok(true) => self.notify_followers(),
                Ok(false) if deadline.is_some_and(|deadline| Instant::now() >= deadline) => return,
                Ok(false) => {}
                Err(reason) => {
                    drop(incoming);
                    return self.shared.close(self, reason);
                }
            }
        }
    }

    fn notify_followers(&self) {
        if lock(&self.readers).followers > 0 {
            self.follow.notify_all();
        }
    }

    /// Reads what is there, for the thread of the client, if nobody else does.
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
                Err(reason) => {
                    drop(incoming);
                    self.shared.close(self, reason);
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

    /// What comes must be read although nobody waits for it.
    pub(super) fn attend(&self) {
        if !self.attended.swap(true, Ordering::AcqRel) {
            self.listen(&mut lock(&self.readers));
        }
    }

    /// Lets the thread of the client read if nobody did for a while. Returns whether it has to be asked again.
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

    /// Lets the client's thread be notified, unless somebody reads.
    fn listen(&self, readers: &mut Readers) {
        readers.reader.notify();
        self.watch(readers);
    }

    // The system tells only once that there is something to read: ask again.
    fn relisten(&self, readers: &mut Readers) {
        if let (Some(interest), false) = (readers.registered, self.is_closed()) {
            let _ = self.shared.registry.reregister(&mut SourceFd(&self.socket.fd()), self.token, interest);
        }
    }

    /// Asks the system to watch for what is wanted now.
    fn watch(&self, readers: &mut Readers) {
        let wanted = if self.is_closed() { None } else { readers.reader.interest(readers.writing) };
        let (registry, fd) = (&self.shared.registry, self.socket.fd());
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

    /// Reads once and does what came. `false`: nothing came in time. The error says why it is over.
    fn read(self: &Arc<Self>, incoming: &mut Incoming, how: How) -> Result<bool, String> {
        let fills = incoming.assembler.missing() >= PREFIX;
        let result = if fills {
            incoming.assembler.fill(Once { socket: &self.socket, how, used: false })
        } else {
            let end = if incoming.expect_large { PREFIX } else { BUFFER };
            self.socket.read(&mut incoming.buffer[..end], how, false)
        };
        let count = match result {
            Ok(0) => return Err("the server closed the connection".into()),
            Ok(count) => count,
            Err(error) if is_patient(&error) => return Ok(false),
            Err(error) => return Err(error.to_string()),
        };
        let done = self.process(incoming, if fills { 0 } else { count });
        incoming.later.run();
        done.map(|()| true).map_err(|error| error.to_string())
    }

    fn process(self: &Arc<Self>, incoming: &mut Incoming, count: usize) -> WireResult<()> {
        let mut core = self.core();
        core.connection.heard(Instant::now());
        let result = self.receive(&mut core, incoming, count);
        // What came before an error counts. Queued deeds hold an `Arc` to this connection; leaving them here would leak it.
        let later = &mut incoming.later;
        match &result {
            Ok(align) => align.iter().for_each(|offset| incoming.assembler.align(*offset)),
            Err(_) => later.opened.clear(),
        }
        for channel in later.opened.drain(..) {
            channel.opened(self, &mut core);
        }
        for (op, ran) in later.lost.drain(..) {
            super::channel::lost(&op, ran, &mut later.wakers);
        }
        if !core.backlog.is_empty() {
            self.flush_backlog(&mut core);
        }
        self.flush(&mut core);
        drop(core);
        self.shared.todo(&mut later.deeds);
        result.map(drop)
    }

    /// Takes all messages that are there. Returns where in its payload the last large array began.
    fn receive(
        self: &Arc<Self>,
        core: &mut Core,
        incoming: &mut Incoming,
        count: usize,
    ) -> WireResult<Option<usize>> {
        let Incoming { assembler, buffer, expect_large, later } = incoming;
        let (mut input, mut align) = (&buffer[..count], None);
        while let Some(message) = assembler.next(&mut input)? {
            *expect_large = message.bytes().len() >= LARGE_BYTES;
            let payload = &message.payload;
            core.connection.receive(&message, &mut |event| {
                align = self.take(event, payload, later).or(align);
            })?;
        }
        *expect_large &= assembler.missing() == 0;
        Ok(align)
    }

    /// Notes what happened. Returns where in the payload a large array began.
    fn take(
        self: &Arc<Self>,
        event: Event<'_, Arc<Inner>, Arc<Op>>,
        payload: &Payload<'_>,
        later: &mut Later,
    ) -> Option<usize> {
        match event {
            Event::Answered(op, answer) => {
                let large = answer.as_ref().ok().and_then(|answer| match answer {
                    Answer::Value(value) => array_offset(value, payload),
                    _ => None,
                });
                let answer = answer.map_err(|refusal| match refusal {
                    Refusal::Server(status) => Error::Refused(status),
                    Refusal::Here(error) => Error::Invalid(error),
                });
                op.finish(answer, &mut later.wakers);
                if op.has_callback() {
                    later.callbacks.push(Arc::clone(op));
                }
                return large;
            }
            Event::Update(op, value, changed, overrun) => {
                op.push(|queue| queue.update(value, changed, overrun), &mut later.wakers);
                if op.has_callback() {
                    later.callbacks.push(Arc::clone(op));
                }
                return array_offset(value, payload);
            }
            Event::Started(op, _) => tell(op, |queue| queue.note(monitor::Event::Connected), later),
            Event::Ended(op, status) => {
                let end = if status.is_success() { Ok(()) } else { Err(Error::Refused(status)) };
                op.finish(end.map(|()| Answer::Done), &mut later.wakers);
                tell(op, |_| {}, later);
                op.detach();
            }
            Event::Opened(channel) => later.opened.push(Arc::clone(channel)),
            Event::Refused(channel, status) => {
                channel.unlink(Some(&status));
                later.deeds.push(Deed::Refused(channel));
            }
            Event::Closed(channel) => {
                channel.unlink(None);
                later.deeds.push(Deed::Closed(channel));
            }
            Event::Lost(op, ran) => {
                if op.has_callback() {
                    later.callbacks.push(Arc::clone(&op));
                }
                later.lost.push_back((op, ran));
            }
            Event::Found(found) => {
                later.deeds.push(Deed::Found(self.address, Box::new(owned(found))));
            }
            Event::Ready => later.deeds.push(Deed::Ready(Arc::clone(self))),
            Event::Log(log) => {
                let level = match log.kind {
                    LogKind::Info => log::Level::Info,
                    LogKind::Warning => log::Level::Warn,
                    LogKind::Error | LogKind::Fatal => log::Level::Error,
                };
                log::log!(level, "{} says: {}", self.address, log.text);
            }
        }
        None
    }

    /// Ends the connection and hands back the channels that were on it. Operations that may be done again go to
    /// their channels. Returns nothing if somebody else ended it before.
    pub(super) fn close(self: &Arc<Self>) -> Option<Vec<Arc<Inner>>> {
        if self.closed.swap(true, Ordering::AcqRel) {
            return None;
        }
        let mut later = Later::default();
        let mut core = self.core();
        let (channels, ops) = core.connection.into_lost();
        core.backlog.clear();
        core.connection.output().clear();
        for channel in &channels {
            channel.unlink(None);
        }
        for (op, ran) in ops {
            super::channel::lost(&op, ran, &mut later.wakers);
            if op.has_callback() {
                later.callbacks.push(op);
            }
        }
        drop(core);
        self.watch(&mut lock(&self.readers));
        self.socket.close();
        self.follow.notify_all();
        later.run();
        Some(channels)
    }
}

fn tell(op: &Arc<Op>, put: impl FnOnce(&mut monitor::Queue), later: &mut Later) {
    op.push(put, &mut later.wakers);
    if op.has_callback() {
        later.callbacks.push(Arc::clone(op));
    }
}

fn owned(found: crate::proto::SearchResponse<'_>) -> crate::proto::SearchResponse<'static> {
    crate::proto::SearchResponse { protocol: found.protocol.into_owned().into(), ..found }
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

/// Where in `payload` the first array of `value` lies that shares it: the next one will lie there, too.
fn array_offset(value: &Value, payload: &Payload<'_>) -> Option<usize> {
    let Payload::Shared(payload) = payload else { return None };
    let range = payload.as_ptr_range();
    let arrays = value.leaves().filter_map(|(_, field)| field.as_array());
    let shared = arrays.map(|array| array.data().as_ptr()).find(|start| range.contains(start));
    shared.map(|start| start.addr() - range.start.addr())
}
