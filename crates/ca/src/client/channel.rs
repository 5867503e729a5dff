//! Channels and their operations.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use super::circuit::Facts;
use super::handle::Handle;
use super::monitor::{Monitor, Subscription};
use super::op::{Answer, Event, Job, Sink};
use super::parts::Command;
use super::{Ask, Error, Result};
use crate::Changes;
use crate::dbr::{Reading, Values};

/// A channel: a name, and the server that has it as long as there is one. A clone is the same channel.
#[derive(Clone)]
pub struct Channel(Arc<Handle>);

impl Channel {
    pub(super) fn from_handle(handle: Handle) -> Channel {
        Channel(Arc::new(handle))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.0.parts.name
    }

    /// The server that it is open at.
    pub fn server(&self) -> Option<SocketAddr> {
        let seen = *self.0.parts.seen();
        seen.facts.and(seen.server)
    }

    /// The facts while it is open. Rights may change at any time.
    pub fn facts(&self) -> Option<Facts> {
        self.0.parts.seen().facts
    }

    /// Waits until it is open. Ends with its facts.
    pub fn open(&self) -> Pending<Facts> {
        self.start("opening", Job::Facts, |answer| match answer {
            Answer::Facts(facts) => Some(facts),
            _ => None,
        })
    }

    /// Reads values: in a form and the channel's own kind, as `Form::Time`, or as exactly a `Dbr`.
    pub fn get(&self, ask: impl Into<Ask>) -> Pending<Reading> {
        self.start("get", Job::Get(ask.into()), |answer| match answer {
            Answer::Reading(reading) => Some(reading),
            _ => None,
        })
    }

    /// Writes values. It ends when all has ended that the put began, as an acquisition.
    ///
    /// The server converts values of another kind, texts for example.
    pub fn put(&self, values: Values) -> Pending<()> {
        self.start("put", Job::Put { values, waits: true }, nothing)
    }

    /// Writes values without waiting for an answer. It ends when they are on their way; a refusal goes to the
    /// [log](super::ClientConfig::log).
    pub fn write(&self, values: Values) -> Pending<()> {
        self.start("put", Job::Put { values, waits: false }, nothing)
    }

    /// Watches changes. Updates wait in a bounded queue.
    pub fn monitor(&self, ask: impl Into<Ask>, changes: Changes) -> Monitor {
        let (monitor, tell) = Monitor::new();
        monitor.with(self.subscribe(ask, changes, tell))
    }

    /// Watches changes. `tell` is called by the thread of the client and must not wait.
    pub fn subscribe(
        &self,
        ask: impl Into<Ask>,
        changes: Changes,
        tell: impl FnMut(Event) + Send + 'static,
    ) -> Subscription {
        let id = self.begin(Job::Monitor(ask.into(), changes), Sink::Each(Box::new(tell)));
        Subscription::new(id, Arc::clone(&self.0))
    }

    fn begin(&self, job: Job, sink: Sink) -> u64 {
        let id = self.0.client.queue.id();
        self.0.push(Command::Begin { id, cid: self.0.parts.cid, job, sink });
        id
    }

    fn start<T>(&self, what: &'static str, job: Job, take: fn(Answer) -> Option<T>) -> Pending<T> {
        let (sender, answer) = channel();
        // A user who does not wait any more needs no answer.
        let tell = move |result| drop(sender.send(result));
        let id = self.begin(job, Sink::Once(Box::new(tell)));
        Pending { id, what, answer, take, is_over: false, channel: self.clone() }
    }
}

impl fmt::Debug for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Channel({})", self.name())
    }
}

fn nothing(answer: Answer) -> Option<()> {
    matches!(answer, Answer::Done).then_some(())
}

/// A running operation. Dropping it before its end cancels it; a put that was sent is carried out nevertheless.
#[must_use = "it is cancelled when it is dropped"]
pub struct Pending<T> {
    id: u64,
    what: &'static str,
    answer: Receiver<Result<Answer>>,
    take: fn(Answer) -> Option<T>,
    is_over: bool,
    channel: Channel,
}

impl<T> Pending<T> {
    /// Waits for the end of the operation. The error after `timeout` says what was tried.
    ///
    /// # Errors
    /// When the server refuses the operation, the connection is lost, or no answer comes.
    pub fn wait(mut self, timeout: Duration) -> Result<T> {
        let answer = self.answer.recv_timeout(timeout);
        self.is_over = !matches!(answer, Err(RecvTimeoutError::Timeout));
        match answer {
            Ok(result) => (self.take)(result?).ok_or(Error::Closed),
            Err(RecvTimeoutError::Disconnected) => Err(Error::Closed),
            Err(RecvTimeoutError::Timeout) => {
                let (name, tried) = (self.channel.name(), self.channel.0.tried());
                let what = self.what;
                Err(Error::Timeout(format!("{what} of `{name}`: no answer within {timeout:?}: {tried}")))
            }
        }
    }
}

impl<T> Drop for Pending<T> {
    fn drop(&mut self) {
        if !self.is_over {
            self.channel.0.push(Command::Cancel(self.id));
        }
    }
}

impl<T> fmt::Debug for Pending<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.what, self.channel.name())
    }
}
