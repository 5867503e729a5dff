//! A monitor of a client, as the owner of a channel sees it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use super::mailbox::Mailbox;
use crate::Changes;
use crate::dbr::Reading;

/// Updates of one number or text that wait for a client.
const DEPTH: usize = 16;
/// Values from which on only the newest ones are sent: an old picture is of no use.
const LARGE: usize = 64;

/// An update that waits.
pub(crate) enum Update {
    /// With these values.
    Reading(Reading),
    /// With the values of the moment at which it is sent.
    Newest,
}

/// The queue of updates of one monitor. When a slow client has filled it, the newest update takes the place of the last one.
pub struct Watcher {
    wanted: Changes,
    mailbox: Arc<Mailbox>,
    // The number of the monitor at its session.
    number: u32,
    queue: Mutex<VecDeque<Update>>,
    overwritten: AtomicU64,
    closed: AtomicBool,
}

impl Watcher {
    pub(super) fn new(wanted: Changes, mailbox: Arc<Mailbox>, number: u32) -> Watcher {
        let (queue, overwritten, closed) = Default::default();
        Watcher { wanted, mailbox, number, queue, overwritten, closed }
    }

    /// Queues an update for the client, if it wants to hear of these changes.
    pub fn push(&self, reading: &Reading, changes: Changes) {
        match reading.values.len() < LARGE {
            true => self.queue_up(changes, DEPTH, || Update::Reading(reading.clone())),
            false => self.push_newest(changes),
        }
    }

    /// Queues an update with the values that the channel has when the update is sent, if the client wants to hear of these changes:
    /// nothing is copied for a client that is slow.
    pub fn push_newest(&self, changes: Changes) {
        self.queue_up(changes, 1, || Update::Newest);
    }

    fn queue_up(&self, changes: Changes, depth: usize, update: impl FnOnce() -> Update) {
        if !self.wanted.meet(changes) || self.is_closed() {
            return;
        }
        let mut queue = self.queue();
        let was_empty = queue.is_empty();
        if queue.len() >= depth {
            queue.pop_back();
            self.overwritten.fetch_add(1, Relaxed);
        }
        queue.push_back(update());
        drop(queue);
        if was_empty {
            self.mailbox.updated(self.number);
        }
    }

    /// Whether the monitor has ended, so that nothing need be pushed any more.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Relaxed)
    }

    pub(super) fn close(&self) {
        self.closed.store(true, Relaxed);
        self.queue().clear();
    }

    pub(super) fn take(&self) -> Option<Update> {
        self.queue().pop_front()
    }

    pub(super) fn has_more(&self) -> bool {
        !self.queue().is_empty()
    }

    /// Updates that a newer one replaced before they were sent.
    pub fn overwritten(&self) -> u64 {
        self.overwritten.load(Relaxed)
    }

    fn queue(&self) -> std::sync::MutexGuard<'_, VecDeque<Update>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
