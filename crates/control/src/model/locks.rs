//! Locks that outlive a panic, and the end of threads.

use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread::JoinHandle;

/// Waits for a thread, unless it is this one. A thread that panicked has said so, and the run ends as it would.
pub(super) fn join(thread: JoinHandle<()>) {
    if thread.thread().id() != std::thread::current().id() {
        let _ = thread.join();
    }
}

/// Locks, whether or not a thread panicked while it held the lock.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Locks if no caller holds the lock.
pub(super) fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
