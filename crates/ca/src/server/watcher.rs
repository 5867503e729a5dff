//! A monitor of a client, as the owner of a channel sees it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use livetime_guests::{Account, Charge};

use super::mailbox::Mailbox;
use crate::Changes;
use crate::dbr::Reading;

/// Updates of one number or text that wait for a client.
const DEPTH: usize = 16;
/// Values from which on only the newest ones are sent: an old picture is of no use.
const LARGE: usize = 64;

/// An update that waits.
#[derive(Debug)]
pub(crate) enum Update {
    /// With these values.
    Reading(Arc<Reading>),
    /// With the values of the moment at which it is sent.
    Newest,
}

/// The queue of updates of one monitor. When a slow client has filled it, or its share of memory, the newest update takes the place of
/// the last one.
pub struct Watcher {
    wanted: Changes,
    mailbox: Arc<Mailbox>,
    // The number of the monitor at its session.
    number: u32,
    queue: Mutex<Queue>,
    overwritten: AtomicU64,
    closed: AtomicBool,
}

struct Queue {
    updates: VecDeque<Update>,
    // For all but the first one, which the price of a monitor pays for.
    charge: Charge,
}

impl Queue {
    /// Adds an update, instead of the last one if there is no room. Returns whether one was replaced.
    fn add(&mut self, update: Update, depth: usize) -> bool {
        let bytes = update.bytes();
        let is_first = self.updates.is_empty();
        let fits = self.updates.len() < depth
            && (is_first || self.charge.set_spare(self.charge.bytes().saturating_add(bytes)));
        if !fits {
            // The old last one's bytes stay counted: both are about equal.
            self.updates.pop_back();
        }
        self.updates.push_back(update);
        !fits
    }

    fn take(&mut self) -> Option<Update> {
        let update = self.updates.pop_front();
        let rest: usize = self.updates.iter().skip(1).map(Update::bytes).sum();
        // Less is always granted.
        let _ = self.charge.set(rest.min(self.charge.bytes()));
        update
    }
}

impl Update {
    /// About how much memory it takes.
    fn bytes(&self) -> usize {
        match self {
            Update::Reading(reading) => reading.bytes(),
            Update::Newest => 0,
        }
    }
}

impl Watcher {
    pub(super) fn new(
        wanted: Changes,
        mailbox: Arc<Mailbox>,
        number: u32,
        account: &Arc<Account>,
    ) -> Watcher {
        let queue = Mutex::new(Queue { updates: VecDeque::new(), charge: Charge::new(account) });
        let (overwritten, closed) = Default::default();
        Watcher { wanted, mailbox, number, queue, overwritten, closed }
    }

    /// Queues an update for the client, if it wants to hear of these changes.
    pub fn push(&self, reading: &Arc<Reading>, changes: Changes) {
        match reading.values.len() < LARGE {
            true => self.queue_up(changes, DEPTH, || Update::Reading(Arc::clone(reading))),
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
        let was_empty = queue.updates.is_empty();
        if queue.add(update(), depth) {
            self.overwritten.fetch_add(1, Relaxed);
        }
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
        let mut queue = self.queue();
        queue.updates.clear();
        // Less is always granted.
        let _ = queue.charge.set(0);
    }

    /// The next update, and whether there are more.
    pub(super) fn take(&self) -> (Option<Update>, bool) {
        let mut queue = self.queue();
        (queue.take(), !queue.updates.is_empty())
    }

    /// Puts an update with the newest values in front, instead of one that was taken and not sent.
    pub(super) fn again(&self) {
        self.queue().updates.push_front(Update::Newest);
    }

    /// Updates that a newer one replaced before they were sent.
    pub fn overwritten(&self) -> u64 {
        self.overwritten.load(Relaxed)
    }

    fn queue(&self) -> std::sync::MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
