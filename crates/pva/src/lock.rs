//! Taking locks.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes a lock, also after a panic of another thread. This is safe because the protected state is never left
/// half changed.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
