//! How the threads that serve a run wait for each other.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Wakes a thread.
#[derive(Default)]
pub(super) struct Alarm {
    is_rung: Mutex<bool>,
    bell: Condvar,
    is_ended: AtomicBool,
}

impl Alarm {
    pub(super) fn ring(&self) {
        *lock(&self.is_rung) = true;
        self.bell.notify_all();
    }

    pub(super) fn end(&self) {
        // The flag is set before the ring, so that the woken thread sees it.
        self.is_ended.store(true, Ordering::Release);
        self.ring();
    }

    pub(super) fn is_ended(&self) -> bool {
        self.is_ended.load(Ordering::Acquire)
    }

    /// Waits for a ring, at most for `limit`.
    pub(super) fn wait(&self, limit: Duration) {
        let waited = self.bell.wait_timeout_while(lock(&self.is_rung), limit, |is_rung| !*is_rung);
        // The ring is consumed here: rings during the work of the woken thread cause another turn.
        *waited.unwrap_or_else(PoisonError::into_inner).0 = false;
    }
}

/// Locks, whether or not a thread panicked while it held the lock.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
