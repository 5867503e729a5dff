//! The parts that a client's thread and its users share.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mio::Waker;

use super::circuit::Facts;
use super::op::{Job, Sink};

/// A wish of a user.
pub(super) enum Command {
    Open(Arc<ChannelParts>),
    Close(u32),
    Begin {
        id: u64,
        cid: u32,
        job: Job,
        sink: Sink,
    },
    Cancel(u64),
    /// Tell of servers: the known ones, and new ones as they come.
    Servers(Sender<SocketAddr>),
}

/// A channel, as its users and the thread see it.
pub(super) struct ChannelParts {
    pub(super) cid: u32,
    pub(super) name: String,
    /// The server that it is bound to.
    pub(super) server: Option<SocketAddr>,
    seen: Mutex<Seen>,
}

/// The state of a channel.
#[derive(Clone, Copy, Default)]
pub(super) struct Seen {
    /// The server that has it, or is asked to open it.
    pub(super) server: Option<SocketAddr>,
    /// The facts while it is open.
    pub(super) facts: Option<Facts>,
    /// The server has refused it before.
    pub(super) refused: Option<SocketAddr>,
}

impl ChannelParts {
    pub(super) fn new(cid: u32, name: &str, server: Option<SocketAddr>) -> ChannelParts {
        ChannelParts { cid, name: name.to_owned(), server, seen: Mutex::default() }
    }

    pub(super) fn seen(&self) -> MutexGuard<'_, Seen> {
        lock(&self.seen)
    }
}

/// Wishes on their way to the thread.
pub(super) struct Queue {
    commands: Mutex<Vec<Command>>,
    cids: Mutex<(u32, BTreeSet<u32>)>,
    ids: AtomicU64,
    stop: AtomicBool,
    confirmed: AtomicBool,
    waker: Waker,
}

impl Queue {
    pub(super) fn new(waker: Waker) -> Queue {
        let (commands, cids, ids, stop, confirmed) = Default::default();
        Queue { commands, cids, ids, stop, confirmed, waker }
    }

    pub(super) fn push(&self, command: Command) {
        let mut commands = lock(&self.commands);
        let is_first = commands.is_empty();
        commands.push(command);
        drop(commands);
        if is_first {
            // The thread looks once a second anyway.
            let _ = self.waker.wake();
        }
    }

    pub(super) fn take(&self) -> Vec<Command> {
        std::mem::take(&mut lock(&self.commands))
    }

    pub(super) fn id(&self) -> u64 {
        self.ids.fetch_add(1, Relaxed)
    }

    /// A channel with a number that no other one has.
    pub(super) fn open(&self, name: &str, server: Option<SocketAddr>) -> Arc<ChannelParts> {
        let mut cids = lock(&self.cids);
        let (next, used) = &mut *cids;
        while !used.insert(*next) {
            *next = next.wrapping_add(1);
        }
        let cid = *next;
        *next = cid.wrapping_add(1);
        drop(cids);
        let parts = Arc::new(ChannelParts::new(cid, name, server));
        self.push(Command::Open(Arc::clone(&parts)));
        parts
    }

    pub(super) fn close(&self, cid: u32) {
        self.push(Command::Close(cid));
        lock(&self.cids).1.remove(&cid);
    }

    pub(super) fn stop(&self) {
        self.stop.store(true, Relaxed);
        let _ = self.waker.wake();
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// A repeater sends beacons.
    pub(super) fn confirm(&self) {
        self.confirmed.store(true, Relaxed);
    }

    pub(super) fn is_confirmed(&self) -> bool {
        self.confirmed.load(Relaxed)
    }
}

/// The value of a lock, also after a panic of a callback.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
