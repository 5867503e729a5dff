//! The mailbox of a connection, which other threads fill.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::queue::Subscription;
use crate::data::Dynamic;
use crate::lock::lock;
use crate::wire::Status;

/// Where other threads leave work for a connection: updates, answers, the end of channels.
pub(crate) struct Mailbox {
    mail: Mutex<Mail>,
    rung: AtomicBool,
    // Changes with `mail` locked.
    over: AtomicBool,
    bell: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
pub(crate) struct Mail {
    pub(crate) ready: Vec<Arc<Subscription>>,
    pub(crate) done: Vec<Completion>,
    pub(crate) closed: Vec<u32>,
    /// Whether waiting messages must no longer refer to foreign memory.
    pub(crate) relief: bool,
}

/// The answer to a put or a call.
pub(crate) struct Completion {
    pub(crate) ioid: u32,
    pub(crate) serial: u32,
    pub(crate) result: Result<Option<Dynamic>, Status>,
}

impl Mailbox {
    /// `bell` is rung once for items that no thread has looked at since.
    pub(crate) fn new(bell: impl Fn() + Send + Sync + 'static) -> Mailbox {
        let (mail, rung, over) = (Mutex::default(), AtomicBool::new(false), AtomicBool::new(false));
        Mailbox { mail, rung, over, bell: Box::new(bell) }
    }

    pub(crate) fn update(&self, subscription: Arc<Subscription>) {
        self.leave(|mail| mail.ready.push(subscription));
    }

    pub(crate) fn complete(&self, completion: Completion) {
        self.leave(|mail| mail.done.push(completion));
    }

    pub(crate) fn close(&self, sid: u32) {
        self.leave(|mail| mail.closed.push(sid));
    }

    pub(crate) fn relieve(&self) {
        self.leave(|mail| mail.relief = true);
    }

    /// An answer that was given.
    pub(crate) fn take_done(&self) -> Option<Completion> {
        lock(&self.mail).done.pop()
    }

    fn leave(&self, put: impl FnOnce(&mut Mail)) {
        let mut mail = lock(&self.mail);
        // Relaxed: `over` changes only under the lock that is held here.
        if self.over.load(Ordering::Relaxed) {
            return;
        }
        put(&mut mail);
        // The bell takes a lock of its own, so this one is released before, and no thread holds both.
        drop(mail);
        // AcqRel: pairs with the stores of `hush` and `take`, so that either the owner sees the item or the bell is
        // rung.
        if !self.rung.swap(true, Ordering::AcqRel) {
            (self.bell)();
        }
    }

    /// The connection is gone: waiting items are dropped, and no more are taken. A subscription in here would
    /// else keep the mailbox that it knows, and itself, for ever.
    pub(crate) fn end(&self) {
        let mut mail = lock(&self.mail);
        self.over.store(true, Ordering::Relaxed);
        let left = mem::take(&mut *mail);
        // A dropped item may hold the last reference to a PV, and the PV's handlers may call this mailbox again.
        drop(mail);
        drop(left);
    }

    /// Says that the owner is about to look anyway.
    pub(crate) fn hush(&self) {
        self.rung.store(true, Ordering::Release);
    }

    /// Swaps the content with `empty`; later items ring the bell again.
    pub(crate) fn take(&self, empty: &mut Mail) {
        // Before looking, so that nothing is left without the bell.
        self.rung.store(false, Ordering::Release);
        mem::swap(&mut *lock(&self.mail), empty);
    }
}
