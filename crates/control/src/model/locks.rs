//! Locks that outlive a panic, and the end of threads.

use std::sync::{Mutex, MutexGuard, TryLockError};
use std::thread::JoinHandle;

pub(super) use livetime_engine::lock;

/// Waits for a thread, unless it is this one. A thread that panicked has said so, and the run ends as it would.
pub(super) fn join(thread: JoinHandle<()>) {
    if thread.thread().id() != std::thread::current().id() {
        let _ = thread.join();
    }
}

/// Locks if no caller holds the lock.
pub(super) fn try_lock<T>(mutex: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    match mutex.try_lock() {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}
