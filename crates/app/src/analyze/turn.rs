//! Merging in the order of blocks, whoever has them.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use livetime_formats::{Error, Result};

use super::reducer::AnyPartial;

/// The merged partial results of all blocks up to some block. Who has the next block merges it; the others wait, so that there
/// are never more partial results than workers and this one.
pub(super) struct Turn {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    next: usize,
    totals: Vec<AnyPartial>,
    /// A worker is gone: its blocks will never come.
    is_given_up: bool,
}

impl Turn {
    pub(super) fn new(totals: Vec<AnyPartial>) -> Turn {
        let state = State { next: 0, totals, is_given_up: false };
        Turn { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Waits until all blocks before `block` are merged, and lets `merge` add it.
    ///
    /// # Errors
    /// If a block before it will never come.
    pub(super) fn take(&self, block: usize, merge: impl FnOnce(&mut [AnyPartial])) -> Result<()> {
        let waits = |state: &mut State| state.next != block && !state.is_given_up;
        let waited = self.changed.wait_while(self.lock(), waits);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        if state.is_given_up {
            return Err(Error::new("all blocks before this one", "a worker that has failed"));
        }
        merge(&mut state.totals);
        state.next += 1;
        self.changed.notify_all();
        Ok(())
    }

    /// Lets nobody wait any longer.
    pub(super) fn give_up(&self) {
        self.lock().is_given_up = true;
        self.changed.notify_all();
    }

    /// Held by a worker: should it panic, the others do not wait for it.
    pub(super) fn guard(&self) -> impl Drop + '_ {
        Guard(self)
    }

    pub(super) fn into_totals(self) -> Vec<AnyPartial> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).totals
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Guard<'a>(&'a Turn);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.give_up();
        }
    }
}
