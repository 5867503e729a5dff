//! What all threads of a run share: how it shall end, and what happened.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Something worth telling that happened in a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// When, ns on the run's clock.
    pub at_ns: u64,
    /// The node concerned; empty for the run as a whole.
    pub node: String,
    /// True when data were lost or the run is in danger.
    pub is_error: bool,
    /// What happened.
    pub message: String,
}

/// Called with every event, on the thread where it happened.
pub type EventHandler = Arc<dyn Fn(&Event) + Send + Sync>;

/// Events kept for the report; later ones are only counted, so that a node failing on every frame does not
/// eat the memory.
const KEPT_EVENTS: usize = 200;

/// Shared by all threads of a run.
#[derive(Default)]
pub(crate) struct Control {
    stopping: AtomicBool,
    aborting: AtomicBool,
    failure: Mutex<Option<String>>,
    events: Mutex<Vec<Event>>,
    unkept: AtomicUsize,
    handler: Option<EventHandler>,
    pub(crate) live_sources: AtomicUsize,
    /// Frames whose number is a multiple of this are traced; 0 traces none.
    pub(crate) trace_every: AtomicU64,
}

impl Control {
    pub(crate) fn new(handler: Option<EventHandler>) -> Control {
        Control { handler, ..Control::default() }
    }

    /// Sources shall end; what is under way is handled to its end.
    pub(crate) fn stop(&self) {
        self.stopping.store(true, Ordering::Release);
    }

    /// Everything shall end now.
    pub(crate) fn abort(&self) {
        self.aborting.store(true, Ordering::Release);
        self.stop();
    }

    /// Stops the run because of `message`; the first failure is the one reported.
    pub(crate) fn fail(&self, message: String) {
        lock(&self.failure).get_or_insert(message);
        self.stop();
    }

    /// One more source has ended; true when it was the last.
    pub(crate) fn source_ended(&self) -> bool {
        self.live_sources.fetch_sub(1, Ordering::AcqRel) == 1
    }

    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Acquire)
    }

    pub(crate) fn is_aborting(&self) -> bool {
        self.aborting.load(Ordering::Acquire)
    }

    /// True when the frame of this number is to be followed.
    #[inline]
    pub(crate) fn is_traced(&self, sequence: u64) -> bool {
        let every = self.trace_every.load(Ordering::Relaxed);
        every != 0 && sequence.is_multiple_of(every)
    }

    pub(crate) fn failure(&self) -> Option<String> {
        lock(&self.failure).clone()
    }

    pub(crate) fn tell(&self, event: Event) {
        if let Some(handler) = &self.handler {
            handler(&event);
        }
        let mut events = lock(&self.events);
        if events.len() < KEPT_EVENTS {
            events.push(event);
        } else {
            self.unkept.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The events kept, and how many more there were.
    pub(crate) fn events(&self) -> (Vec<Event>, usize) {
        (lock(&self.events).clone(), self.unkept.load(Ordering::Relaxed))
    }
}

/// Locks, whether or not another thread panicked while it held the lock: what we keep under locks is valid
/// after every statement.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
