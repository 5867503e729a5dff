//! The bell that wakes the looker before its time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use livetime_engine::Event;

use super::locks::lock;
use super::log::{Entry, Log};

/// Rings when a run should be looked at at once. Made before the run, whose events ring it.
///
/// ```
/// use std::sync::Arc;
/// use livetime_control::model::Bell;
/// use livetime_engine::RunOptions;
///
/// let bell = Bell::default();
/// let heard = bell.clone();
/// let options = RunOptions { on_event: Some(Arc::new(move |event| heard.tell(event))), ..RunOptions::default() };
/// # let _ = options;
/// ```
#[derive(Clone, Default)]
pub struct Bell(pub(super) Arc<Heard>);

/// Events that a bell has told so far.
#[derive(Default)]
pub(super) struct Heard {
    pub(super) waker: Waker,
    pub(super) log: Log,
}

impl Bell {
    /// Something happened that people should see now.
    pub fn ring(&self) {
        self.0.waker.ring();
    }

    /// The events and actions of the run from number `number` on that are still kept; also after its model has ended.
    pub fn log_since(&self, number: u64) -> Vec<Entry> {
        self.0.log.since(number)
    }

    /// Takes an event of the run into the log; one that is an error rings.
    pub fn tell(&self, event: &Event) {
        self.0.log.event(event);
        if event.is_error {
            self.ring();
        }
    }
}

/// Wakes one thread that waits.
#[derive(Default)]
pub struct Waker {
    rung: Mutex<Rung>,
    bell: Condvar,
    ended: AtomicBool,
}

/// Why the thread is to wake.
#[derive(Default)]
struct Rung {
    /// Something happened that people should see.
    is_alarm: bool,
    /// A client waits for an acquisition, or wants another rate of looks.
    is_wish: bool,
}

impl Waker {
    /// Wakes the thread, because something happened.
    pub fn ring(&self) {
        lock(&self.rung).is_alarm = true;
        self.bell.notify_all();
    }

    pub(super) fn wish(&self) {
        lock(&self.rung).is_wish = true;
        self.bell.notify_all();
    }

    /// Wakes the thread for the last time.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Release);
        self.ring();
    }

    /// Whether [`Waker::end`] was called.
    pub fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Waits to be woken, at most for `limit`. Returns whether [`Waker::ring`] or [`Waker::end`] did it.
    pub fn wait(&self, limit: Duration) -> bool {
        let rung = lock(&self.rung);
        let is_quiet = |rung: &mut Rung| !rung.is_alarm && !rung.is_wish;
        let waited = self.bell.wait_timeout_while(rung, limit, is_quiet);
        let (mut rung, _) = waited.unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *rung).is_alarm
    }
}
