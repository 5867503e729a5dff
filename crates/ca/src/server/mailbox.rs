//! Notes from other threads to a session: puts that have ended, and monitors that have updates.

use std::sync::{Arc, Mutex, PoisonError};

use super::Refusal;
use crate::Status;

/// Notes for one session.
pub(super) struct Mailbox {
    notes: Mutex<Notes>,
    ring: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
pub(super) struct Notes {
    /// Puts that have ended.
    pub(super) ended: Vec<Ended>,
    /// Monitors whose queue is empty no more.
    pub(super) updated: Vec<u32>,
}

/// A put that has ended.
pub(super) struct Ended {
    pub(super) request: Request,
    pub(super) result: Result<(), Refusal>,
}

/// A put, as its answer names it.
#[derive(Clone)]
pub(super) struct Request {
    /// The client's number of the channel.
    pub(super) cid: u32,
    /// The name of the record.
    pub(super) record: Arc<str>,
    pub(super) header: crate::wire::Header,
}

impl Mailbox {
    /// `ring` wakes the thread that has the session.
    pub(super) fn new(ring: impl Fn() + Send + Sync + 'static) -> Mailbox {
        Mailbox { notes: Mutex::default(), ring: Box::new(ring) }
    }

    pub(super) fn take(&self) -> Notes {
        std::mem::take(&mut self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn updated(&self, monitor: u32) {
        self.note(|notes| notes.updated.push(monitor));
    }

    fn note(&self, add: impl FnOnce(&mut Notes)) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        // Notes that are not taken yet have rung already.
        let is_first = notes.ended.is_empty() && notes.updated.is_empty();
        add(&mut notes);
        drop(notes);
        if is_first {
            (self.ring)();
        }
    }
}

/// The way of an answer to the client that put. If it is dropped without an answer, the client gets an error.
pub struct Done {
    mailbox: Arc<Mailbox>,
    request: Option<Request>,
}

impl Done {
    pub(super) fn new(mailbox: Arc<Mailbox>, request: Request) -> Done {
        Done { mailbox, request: Some(request) }
    }

    /// It is done, or refused.
    pub fn finish(mut self, result: Result<(), Refusal>) {
        self.tell(result);
    }

    fn tell(&mut self, result: Result<(), Refusal>) {
        if let Some(request) = self.request.take() {
            self.mailbox.note(|notes| notes.ended.push(Ended { request, result }));
        }
    }
}

impl Drop for Done {
    fn drop(&mut self) {
        self.tell(Err(Refusal::new(Status::PutFailed, "the put was given up")));
    }
}
