//! Messages of panics, and locks that survive a panic.

use std::any::Any;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, also if another thread panicked while it held the lock. This is safe because the data under our
/// locks are valid after every statement.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The text of a panic that was caught.
pub fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| s.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a text".into())
}
