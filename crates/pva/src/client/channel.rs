//! Channels and their operations.

use std::fmt;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use super::handle::Handle;
use super::lock::lock;
use super::op::{Home, Op};
use super::{Error, Result};
use crate::data::{Dynamic, Type, Value};
use crate::proto::client::{Answer, Job, Put};
use crate::request::parse;

/// A channel: a name, and the server that has it as long as there is one. A clone is the same channel.
#[derive(Clone)]
pub struct Channel(Arc<Handle>);

impl Channel {
    pub(super) fn from_handle(handle: Arc<Handle>) -> Channel {
        Channel(handle)
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0.inner.name
    }

    /// The server that it is open at.
    pub fn server(&self) -> Option<SocketAddr> {
        let state = lock(&self.0.inner.state);
        // A link without an open channel may still be refused by its server.
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
            // The error comes with the result, so that every call returns a `Pending`.
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
        // The operation may wait at the channel, be on its way, or be at the server; all three are left.
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
        // The last refusal explains a timeout best.
        let (search, refusal) = (state.search, state.refusal.clone());
        // `tried` asks the client, which has locks of its own.
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
        // `this` is dropped here, and must not cancel the operation of the result.
        this.op = Arc::new(Op::ended());
        Pending { op, channel, take: Box::new(move |answer| before(answer).and_then(take)) }
    }
}

impl<T> Pending<T> {
    /// Waits for the end of the operation and reads from the connection meanwhile. The error after `timeout`
    /// says what was tried.
    pub fn wait(self, timeout: Duration) -> Result<T> {
        // A time limit beyond the clock means without an end.
        if !self.op.wait(Instant::now().checked_add(timeout)) {
            return Err(self.channel.late(&format!("{:?}", self.op.job.command()), timeout));
        }
        self.outcome()
    }

    fn outcome(&self) -> Result<T> {
        let outcome = self.op.state().outcome.take();
        // An answer of another kind can come only from a server that breaks the protocol.
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
        // The server need not go on with work that no caller waits for.
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
