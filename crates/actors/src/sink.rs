//! Receivers to which messages can be offered, and how their senders wait for room.

use std::sync::Arc;

use livetime_runtime::sync::{AtomicBool, Mutex, Ordering, Ordering::Relaxed, fence, lock};
use livetime_runtime::{Doorbell, LossReason};

use super::local::Local;
use super::strand::{ROOM, StrandHandle};

/// Something that messages can be offered to.
pub(crate) trait Sink<T>: Send + Sync {
    /// Queues the message, or counts it as lost; `Ok` says which. Returns the message as an error when there
    /// is no room and the sender must wait and offer it `again`. `local` is the sender's strand, if the
    /// sender is an agent.
    fn offer(&self, message: T, stamp_ns: u64, again: bool, local: Option<&mut Local>) -> Result<bool, T>;

    /// True when a message offered now would be queued.
    fn has_room(&self) -> bool;

    /// A message that had to wait is given up.
    fn give_up(&self, reason: LossReason);

    /// Registers a waiter to be notified when there is room. Returns false when there is room already.
    fn wait_for_room(&self, waiter: Waiter) -> bool;

    /// True when nothing will ever be taken from it again.
    fn is_closed(&self) -> bool;

    /// True when another thread takes, so that waiting for room makes sense.
    fn may_wait(&self) -> bool;
}

/// A sender that waits for room.
pub(crate) enum Waiter {
    Strand(Arc<StrandHandle>),
    Thread(Arc<Doorbell>),
}

/// The senders that wait for room.
#[derive(Default)]
pub(crate) struct Waiters {
    any: AtomicBool,
    list: Mutex<Vec<Waiter>>,
}

impl Waiters {
    /// The caller then checks for room once more.
    pub(crate) fn add(&self, waiter: Waiter) {
        lock(&self.list).push(waiter);
        self.any.store(true, Relaxed);
        // The waiter is listed before its caller checks for room; pairs with the fence of the thread that made room.
        fence(Ordering::SeqCst);
    }

    /// Notifies the waiters that there is room. The caller must place a fence after making room.
    pub(crate) fn tell(&self) {
        if !self.any.load(Relaxed) {
            return;
        }
        let waiters = {
            let mut list = lock(&self.list);
            self.any.store(false, Relaxed);
            std::mem::take(&mut *list)
        };
        for waiter in waiters {
            match waiter {
                Waiter::Strand(strand) => strand.tell(ROOM),
                Waiter::Thread(bell) => bell.ring(),
            }
        }
    }
}
