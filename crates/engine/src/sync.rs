//! Atomics and threads, from the standard library or, with `--cfg loom`, from the model checker.

#[cfg(loom)]
pub(crate) use loom::{
    cell::UnsafeCell,
    sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence},
    sync::{Condvar, Mutex, MutexGuard},
    thread::{Thread, current, park},
};
#[cfg(not(loom))]
pub(crate) use std::{
    sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence},
    sync::{Condvar, Mutex, MutexGuard},
    thread::{Thread, current, park, park_timeout},
};

/// Locks, whether or not another thread panicked while it held the lock: what we keep under locks is valid
/// after every statement.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The model checker has no time: there a sleep ends only by being woken, which is what it has to prove.
#[cfg(loom)]
pub(crate) fn park_timeout(_: std::time::Duration) {
    park();
}

/// As the model checker's: it sees every access.
#[cfg(not(loom))]
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

#[cfg(not(loom))]
impl<T> UnsafeCell<T> {
    pub(crate) fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell(std::cell::UnsafeCell::new(value))
    }

    #[inline(always)]
    pub(crate) fn with_mut<R>(&self, access: impl FnOnce(*mut T) -> R) -> R {
        access(self.0.get())
    }
}
