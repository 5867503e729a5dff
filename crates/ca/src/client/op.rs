//! An operation of a channel, from its beginning to its end.

use super::circuit::Facts;
use super::{Ask, Error, Result};
use crate::Changes;
use crate::dbr::{Reading, Values};

/// An event of a monitor.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// The channel is open.
    Connected,
    /// New values, or the first ones.
    Update(Reading),
    /// The server is gone; the client searches it.
    Disconnected,
    /// The server refuses the monitor, or cannot give values.
    Refused(Error),
}

/// The aim of an operation.
pub(super) enum Job {
    Facts,
    Get(Ask),
    Put { values: Values, waits: bool },
    Monitor(Ask, Changes),
}

/// The result of an operation that ends.
pub(super) enum Answer {
    Facts(Facts),
    Reading(Reading),
    Done,
}

/// Takes what comes of an operation, on the thread of the client.
pub(super) enum Sink {
    Once(Box<dyn FnOnce(Result<Answer>) + Send>),
    Each(Box<dyn FnMut(Event) + Send>),
}

/// An operation.
pub(super) struct Op {
    pub(super) cid: u32,
    pub(super) job: Job,
    pub(super) sink: Sink,
    /// The number of its request at the circuit, once it is sent.
    pub(super) ioid: Option<u32>,
}

impl Op {
    /// It is over. A monitor has no more events.
    pub(super) fn end(self, result: Result<Answer>) {
        match (self.sink, result) {
            (Sink::Once(tell), result) => tell(result),
            (Sink::Each(mut tell), Err(error)) => tell(Event::Refused(error)),
            (Sink::Each(_), Ok(_)) => {}
        }
    }

    /// Tells a monitor of an event.
    pub(super) fn tell(&mut self, event: Event) {
        if let Sink::Each(tell) = &mut self.sink {
            tell(event);
        }
    }

    /// Whether the server may have begun something that must not be begun twice.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.ioid.is_some() && matches!(self.job, Job::Put { .. })
    }
}
