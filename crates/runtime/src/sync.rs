//! Atomics and threads, from the standard library or, with `--cfg loom`, from the model checker.
//!
//! Lock-free code of this crate and of the crates above takes its atomics from here, so that a model of it sees every
//! access. Everything else uses the standard library.

#[cfg(loom)]
pub use loom::{
    cell::UnsafeCell,
    sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence},
    sync::{Condvar, Mutex, MutexGuard},
    thread::{Thread, current, park},
};
#[cfg(not(loom))]
pub use std::{
    sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence},
    sync::{Condvar, Mutex, MutexGuard},
    thread::{Thread, current, park, park_timeout},
};

#[cfg(not(loom))]
pub use crate::panic::lock;

/// As [`crate::lock`], for the locks of the model checker.
#[cfg(loom)]
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The model checker has no time: under it a sleep ends only by a wake-up, whose coming the models have to prove.
#[cfg(loom)]
pub fn park_timeout(_: std::time::Duration) {
    park();
}

/// A cell whose accesses the model checker sees; without it, the cell of the standard library.
#[cfg(not(loom))]
pub struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

#[cfg(not(loom))]
impl<T> UnsafeCell<T> {
    /// A cell that holds `value`.
    pub fn new(value: T) -> UnsafeCell<T> {
        UnsafeCell(std::cell::UnsafeCell::new(value))
    }

    /// Calls `access` with a pointer to the value. Dereferencing it is up to the caller, with the rules of `unsafe`.
    #[inline(always)]
    pub fn with_mut<R>(&self, access: impl FnOnce(*mut T) -> R) -> R {
        access(self.0.get())
    }
}
