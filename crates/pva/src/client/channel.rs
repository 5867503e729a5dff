//! Channels and their operations.

use std::fmt;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use super::conn::Protocol;
use super::error::reason;
use super::lock::lock;
use super::op::{Conn, Home, Links, Op};
use super::{Client, Error, Result};
use crate::data::{Dynamic, Type, Value};
use crate::proto::client::{Answer, Job, Put};
use crate::request::parse;
use crate::wire::Status;

/// A channel: a name, and the server that has it as long as there is one. A clone is the same channel.
#[derive(Clone)]
pub struct Channel(Arc<Handle>);

/// The shared state of all clones of a channel; the last one closes it.
pub(super) struct Handle {
    pub(super) inner: Arc<ChannelParts>,
    client: Client,
}

/// The client's internal state of a channel.
pub(super) struct ChannelParts {
    pub(super) name: String,
    /// The server of the channel, which is then not searched.
    pub(super) server: Option<SocketAddr>,
    pub(super) state: Mutex<ChannelState>,
}

#[derive(Default)]
pub(super) struct ChannelState {
    /// Its number in the search.
    pub(super) search: Option<u32>,
    pub(super) link: Option<(Arc<Conn>, u32)>,
    open: bool,
    closed: bool,
    waiting: Vec<Arc<Op>>,
    refusal: Option<String>,
    pub(super) refusals: u32,
}

impl ChannelParts {
    pub(super) fn new(name: &str, server: Option<SocketAddr>) -> Arc<ChannelParts> {
        Arc::new(ChannelParts { name: name.into(), server, state: Mutex::new(ChannelState::default()) })
    }

    /// Asks the server on `conn` to open it. `false`: the connection is lost already.
    pub(super) fn link(self: &Arc<Self>, conn: &Arc<Conn>, core: &mut Protocol<Links>) -> bool {
        if conn.is_closed() {
            return false;
        }
        let mut state = lock(&self.state);
        // An answer to an older search may come after the channel was linked.
        if state.closed || state.link.is_some() {
            return true;
        }
        match core.connection.create_channel(Arc::clone(self), &self.name) {
            Some(cid) => state.link = Some((Arc::clone(conn), cid)),
            None => log::warn!("`{}`: too many channels on one connection", self.name),
        }
        true
    }

    /// The server opened it: waiting operations begin.
    pub(super) fn opened(self: &Arc<Self>, conn: &Arc<Conn>, core: &mut Protocol<Links>) {
        let mut state = lock(&self.state);
        state.open = true;
        state.refusal = None;
        state.refusals = 0;
        let cid = state.link.as_ref().map(|(_, cid)| *cid);
        let waiting = std::mem::take(&mut state.waiting);
        // `begin` locks the connection's requests and the operation, which come before and after this lock.
        drop(state);
        for op in waiting {
            let begun = cid.is_some_and(|cid| op.is_over() || op.begin(conn, core, cid));
            if !begun {
                lock(&self.state).waiting.push(op);
            }
        }
    }

    /// It is on no connection any more.
    pub(super) fn unlink(&self, refusal: Option<&Status>) {
        let mut state = lock(&self.state);
        state.link = None;
        state.open = false;
        if let Some(status) = refusal {
            state.refusal = Some(reason(status));
            state.refusals += 1;
        }
    }

    pub(super) fn note_failure(&self, failure: String) {
        lock(&self.state).refusal = Some(failure);
    }

    pub(super) fn is_closed(&self) -> bool {
        lock(&self.state).closed
    }

    /// Lets `op` begin, now or as soon as the channel is open.
    fn submit(&self, op: &Arc<Op>) {
        loop {
            let mut state = lock(&self.state);
            let Some((conn, cid)) = state.link.clone().filter(|_| state.open) else {
                state.waiting.push(Arc::clone(op));
                return;
            };
            drop(state);
            // The connection is locked before the channel, so the channel's lock is given back first, and its state is
            // looked at again.
            let mut core = conn.core();
            if op.begin(&conn, &mut core, cid) {
                return conn.flush(&mut core);
            }
            // Closed since we looked, or full.
            let same = lock(&self.state)
                .link
                .as_ref()
                .is_some_and(|(now, id)| Arc::ptr_eq(now, &conn) && *id == cid);
            if same {
                let full = Error::System("too many operations on one connection".into());
                return op.finish(Err(full), &mut Vec::new());
            }
        }
    }

    fn withdraw(&self, op: &Arc<Op>) {
        lock(&self.state).waiting.retain(|waiting| !Arc::ptr_eq(waiting, op));
    }
}

impl Home for ChannelParts {
    fn wait(&self, op: &Arc<Op>) {
        lock(&self.state).waiting.push(Arc::clone(op));
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let mut state = lock(&self.inner.state);
        state.closed = true;
        let link = state.link.take();
        let waiting = std::mem::take(&mut state.waiting);
        // Operations that end here may lock the channel.
        drop(state);
        drop(waiting);
        if let Some((conn, cid)) = link {
            conn.with(|core| core.connection.destroy_channel(cid));
        }
        self.client.shared().forget(&self.inner);
    }
}

impl Channel {
    pub(super) fn new(inner: Arc<ChannelParts>, client: Client) -> Channel {
        Channel(Arc::new(Handle { inner, client }))
    }

    pub(super) fn from_handle(handle: Arc<Handle>) -> Channel {
        Channel(handle)
    }

    pub(super) fn handle(&self) -> &Arc<Handle> {
        &self.0
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0.inner.name
    }

    /// The server that it is open at.
    pub fn server(&self) -> Option<SocketAddr> {
        let state = lock(&self.0.inner.state);
        state.link.as_ref().filter(|_| state.open).map(|(conn, _)| conn.address)
    }

    /// Reads all fields.
    pub fn get(&self) -> Pending<Value> {
        self.get_with("")
    }

    /// Reads the fields that `request` names, such as `"field(value,alarm)"`; see [`parse`].
    pub fn get_with(&self, request: &str) -> Pending<Value> {
        self.start(Job::Get, request, value)
    }

    /// Writes fields: `("value", 4.2)`, a [`Put`] of several, or a whole [`Value`].
    ///
    /// Numbers and texts are converted if they fit; a choice can be written as its text.
    pub fn put(&self, put: impl Into<Put>) -> Pending<()> {
        self.put_with("", put)
    }

    /// As [`Channel::put`] with a request, such as `"record[process=true,block=true]"`, which ends when the record
    /// has been processed.
    pub fn put_with(&self, request: &str, put: impl Into<Put>) -> Pending<()> {
        self.start(Job::Put(put.into()), request, nothing)
    }

    /// Writes fields and reads the value after that. Few servers know this.
    pub fn put_get(&self, request: &str, put: impl Into<Put>) -> Pending<Value> {
        self.start(Job::PutGet(put.into()), request, value)
    }

    /// Makes a record process. Few servers know this.
    pub fn process(&self) -> Pending<()> {
        self.start(Job::Process, "", nothing)
    }

    /// Calls a procedure. Its argument usually is an [NTURI](crate::nt::uri).
    pub fn rpc(&self, argument: impl Into<Dynamic>) -> Pending<Option<Dynamic>> {
        self.start(Job::Call(argument.into()), "", |answer| match answer {
            Answer::Returned(value) => Some(value),
            _ => None,
        })
    }

    /// Asks for the type.
    pub fn info(&self) -> Pending<Type> {
        self.start(Job::Describe, "", |answer| match answer {
            Answer::Type(ty) => Some(ty),
            _ => None,
        })
    }

    fn start<T: 'static>(&self, job: Job, request: &str, take: fn(Answer) -> Option<T>) -> Pending<T> {
        let op = match parse(request) {
            Ok(request) => {
                let op = Arc::new(Op::new(job, request, true).on(self.home()));
                self.submit(&op);
                op
            }
            Err(error) => Arc::new(Op::ended_by(error.into())),
        };
        Pending { op, channel: self.clone(), take: Box::new(take) }
    }

    /// Where its operations wait for it.
    pub(super) fn home(&self) -> Arc<dyn Home> {
        Arc::clone(&self.0.inner) as Arc<dyn Home>
    }

    pub(super) fn submit(&self, op: &Arc<Op>) {
        self.0.inner.submit(op);
    }

    /// Ends `op`, wherever it is.
    pub(super) fn abandon(&self, op: &Arc<Op>) {
        let place = op.abandon();
        self.0.inner.withdraw(op);
        if let Some((conn, ioid)) = place {
            conn.with(|core| core.connection.destroy(ioid));
        }
    }

    /// Why nothing came within `timeout`.
    pub(super) fn late(&self, what: &str, timeout: Duration) -> Error {
        let state = lock(&self.0.inner.state);
        let open = state.open;
        let server = state.link.as_ref().map(|(conn, _)| conn.address);
        let (search, refusal) = (state.search, state.refusal.clone());
        drop(state);
        let tried = match server {
            Some(server) if open => format!("{server} has it and did not answer"),
            Some(server) => format!("{server} did not open it"),
            None => self.0.client.shared().tried(&self.0.inner, search),
        };
        let refusal = refusal.map(|reason| format!("; the last refusal: {reason}")).unwrap_or_default();
        let name = self.name();
        Error::Timeout(format!("{what} of `{name}`: no answer within {timeout:?}: {tried}{refusal}"))
    }
}

impl fmt::Debug for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Channel({})", self.name())
    }
}

fn value(answer: Answer) -> Option<Value> {
    if let Answer::Value(value) = answer { Some(value) } else { None }
}

fn nothing(answer: Answer) -> Option<()> {
    matches!(answer, Answer::Done).then_some(())
}

/// A running operation. Wait for it, or await it. Dropping it before its end cancels it.
#[must_use = "it is cancelled when it is dropped"]
pub struct Pending<T> {
    op: Arc<Op>,
    channel: Channel,
    take: Box<dyn Fn(Answer) -> Option<T> + Send + Sync>,
}

impl<T: 'static> Pending<T> {
    /// The same operation with another result; `None` of `take` is an error.
    pub(super) fn map<U: 'static>(self, take: fn(T) -> Option<U>) -> Pending<U> {
        let (op, channel) = (Arc::clone(&self.op), self.channel.clone());
        let mut this = self;
        let before = std::mem::replace(&mut this.take, Box::new(|_| None));
        this.op = Arc::new(Op::ended());
        Pending { op, channel, take: Box::new(move |answer| before(answer).and_then(take)) }
    }
}

impl<T> Pending<T> {
    /// Waits for the end of the operation and reads from the connection meanwhile. The error after `timeout`
    /// says what was tried.
    pub fn wait(self, timeout: Duration) -> Result<T> {
        if !self.op.wait(Instant::now().checked_add(timeout)) {
            return Err(self.channel.late(&format!("{:?}", self.op.job.command()), timeout));
        }
        self.outcome()
    }

    fn outcome(&self) -> Result<T> {
        let outcome = self.op.state().outcome.take();
        let answer = outcome.ok_or(Error::Closed)??;
        (self.take)(answer).ok_or(Error::Closed)
    }
}

impl<T> Future for Pending<T> {
    type Output = Result<T>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        if self.op.register(context.waker()) { Poll::Ready(self.outcome()) } else { Poll::Pending }
    }
}

impl<T> Drop for Pending<T> {
    fn drop(&mut self) {
        if !self.op.is_ready() {
            self.channel.abandon(&self.op);
        }
    }
}

impl<T> fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} of {}", self.op.job.command(), self.channel.name())
    }
}
