//! How far the broker has come with the records of a sender.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::Duration;

use livetime_link::{Losses, Standing, Told};
use livetime_runtime::lock;
use rdkafka::error::KafkaError;
use rdkafka::producer::{DeliveryResult, NoCustomPartitioner, ProducerContext};
use rdkafka::{ClientContext, Message};

use super::fault::Fault;
use crate::client::is_denied;

/// What a record ends, when the broker has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ends {
    Nothing,
    /// All frames before this position.
    Frames(u64),
    /// The sender's run.
    Run,
}

/// What the halves of a connection and the client's callbacks share. It stays over connections, as the client's queue does.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The sender's epoch, once it has greeted.
    pub(super) sender: Option<u64>,
    /// The position after the last frame that the client has.
    pub(super) written: u64,
    /// The position after the last frame that the broker has.
    pub(super) stored: u64,
    /// The sender's account in the last message.
    pub(super) told: Told,
    /// The record of the end was written, and the broker has it.
    pub(super) end_written: bool,
    pub(super) end_stored: bool,
    /// The offset that the next record must have.
    offset: Option<i64>,
    /// Offsets of records of others between ours, which must be looked at, and our records behind them.
    pub(super) gap: Option<(i64, i64)>,
    held: VecDeque<(Ends, i64)>,
    /// Nothing will be stored any more, and why.
    pub(super) fault: Option<Fault>,
    /// The connection has ended.
    pub(super) is_broken: bool,
    /// Number of the connection at the sender, from its welcome on.
    pub(super) peer: u64,
    pub(super) hello_due: bool,
    /// Something has changed since the last acknowledgement.
    pub(super) ack_due: bool,
}

impl State {
    pub(super) fn standing(&self) -> Standing {
        // The broker may have a frame before the thread that wrote it counts it.
        let received = self.written.max(self.stored);
        let (completed, stored) = (self.stored, self.stored);
        Standing { received, completed, stored, lost: Losses::default() }
    }

    /// Takes over that the broker has a record. Behind records of others it waits until these are known: behind a newer
    /// sender no reader takes it.
    fn delivered(&mut self, ends: Ends, offset: i64) {
        let wanted = *self.offset.get_or_insert(offset);
        if self.fault.is_some() {
            return;
        }
        if self.gap.is_some() || offset != wanted {
            self.gap.get_or_insert((wanted, offset));
            self.held.push_back((ends, offset));
            return;
        }
        self.offset = Some(offset + 1);
        match ends {
            Ends::Nothing => return,
            Ends::Frames(position) => self.stored = self.stored.max(position),
            Ends::Run => self.end_stored = true,
        }
        self.ack_due = true;
    }

    /// The records in the gap are known: what is left of an earlier sender, or a reason to stop.
    pub(super) fn know_gap(&mut self, known: Result<(), Fault>) {
        if let Err(fault) = known {
            self.fault.get_or_insert(fault);
        }
        let Some((_, to)) = self.gap.take() else { return };
        self.offset = Some(to);
        for (ends, offset) in std::mem::take(&mut self.held) {
            self.delivered(ends, offset);
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Shared {
    state: Mutex<State>,
    news: Condvar,
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Changes the state, and rings.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        let result = work(&mut self.lock());
        self.news.notify_all();
        result
    }

    pub(super) fn sleep<'a>(&self, state: MutexGuard<'a, State>, limit: Duration) -> MutexGuard<'a, State> {
        // A thread that panicked with the lock has left a state that still counts, as `lock` says too.
        self.news.wait_timeout(state, limit).unwrap_or_else(|poisoned| poisoned.into_inner()).0
    }
}

/// Hears from the client what has become of each record.
pub(super) struct Deliveries(pub(super) std::sync::Arc<Shared>);

impl ClientContext for Deliveries {
    /// A broker that is away is a link that is down, which the link tells.
    fn log(&self, _level: rdkafka::config::RDKafkaLogLevel, _facility: &str, _message: &str) {}

    fn error(&self, error: KafkaError, _reason: &str) {
        if is_denied(&error) {
            self.0.with(|state| _ = state.fault.get_or_insert(Fault::Client(error)));
        }
    }
}

impl ProducerContext<NoCustomPartitioner> for Deliveries {
    type DeliveryOpaque = Box<Ends>;

    fn delivery(&self, result: &DeliveryResult<'_>, ends: Box<Ends>) {
        self.0.with(|state| match result {
            Ok(record) => state.delivered(*ends, record.offset()),
            Err((error, _)) => _ = state.fault.get_or_insert(Fault::NotStored(error.clone())),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_a_gap() -> State {
        let mut state = State::default();
        for (position, offset) in [(1, 5), (2, 6), (3, 8), (4, 9), (5, 12)] {
            state.delivered(Ends::Frames(position), offset);
        }
        assert_eq!((state.stored, state.gap), (2, Some((7, 8))));
        state
    }

    #[test]
    fn a_frame_that_is_stored_before_it_is_counted_as_written_was_received() {
        let mut state = State { written: 3, ..State::default() };
        state.delivered(Ends::Frames(4), 0);
        assert_eq!((state.standing().received, state.standing().completed), (4, 4));
    }

    #[test]
    fn what_is_behind_a_newer_sender_is_not_stored() {
        let mut state = with_a_gap();
        state.know_gap(Err(Fault::NewerSender(7)));
        state.delivered(Ends::Frames(6), 13);
        assert_eq!((state.stored, state.gap, state.fault), (2, None, Some(Fault::NewerSender(7))));
    }

    #[test]
    fn what_is_left_of_an_earlier_sender_is_passed_over() {
        let mut state = with_a_gap();
        state.know_gap(Ok(()));
        assert_eq!((state.stored, state.gap), (4, Some((10, 12))));
        state.know_gap(Ok(()));
        assert_eq!((state.stored, state.gap, state.fault), (5, None, None));
    }
}
