//! The inbox of a shard, which other threads fill.

use std::io;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use mio::Waker;
use mio::net::TcpStream;

use super::guests::Guest;
use crate::lock::lock;

/// Where other threads leave work for a shard. However much they leave, it is woken once.
pub(super) struct Inbox {
    waker: Waker,
    woken: AtomicBool,
    work: Mutex<Work>,
}

#[derive(Default)]
pub(super) struct Work {
    /// Connections with something in their mailbox.
    pub(super) rung: Vec<usize>,
    pub(super) accepted: Vec<Accepted>,
    pub(super) stop: bool,
}

/// A new connection.
pub(super) struct Accepted {
    pub(super) stream: TcpStream,
    pub(super) address: SocketAddr,
    pub(super) guest: Guest,
}

impl Inbox {
    pub(super) fn new(waker: Waker) -> Inbox {
        Inbox { waker, woken: AtomicBool::new(false), work: Mutex::default() }
    }

    pub(super) fn ring(&self, connection: usize) {
        self.leave(|work| work.rung.push(connection));
    }

    pub(super) fn accepted(&self, accepted: Accepted) {
        self.leave(|work| work.accepted.push(accepted));
    }

    pub(super) fn stop(&self) {
        self.leave(|work| work.stop = true);
    }

    fn leave(&self, put: impl FnOnce(&mut Work)) {
        // Left before the thread is woken, so that it finds it.
        put(&mut lock(&self.work));
        // AcqRel: pairs with the store in `take`, so that either the shard sees the new work or this thread wakes it.
        if !self.woken.swap(true, Ordering::AcqRel) {
            // The wake fails only if the shard is gone, which takes no message any more.
            let _: io::Result<()> = self.waker.wake();
        }
    }

    /// Whether there is something, at a glance.
    pub(super) fn has_work(&self) -> bool {
        self.woken.load(Ordering::Acquire)
    }

    /// Swaps the content with `empty`; later items wake the shard again.
    pub(super) fn take(&self, empty: &mut Work) {
        if self.has_work() {
            // Before looking, so that nothing is left without a wake-up.
            self.woken.store(false, Ordering::Release);
            std::mem::swap(&mut *lock(&self.work), empty);
        }
    }
}
