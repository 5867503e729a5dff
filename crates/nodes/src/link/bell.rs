//! A bell that the threads of several links ring, and one node waits for.

use std::sync::{Condvar, Mutex};
use std::time::Duration;

use livetime_runtime::lock;

/// Counts how often it was rung, so that no ring is missed between a look and a wait.
#[derive(Default)]
pub(crate) struct Bell {
    rung: Mutex<u64>,
    news: Condvar,
}

impl Bell {
    pub(crate) fn ring(&self) {
        *lock(&self.rung) += 1;
        self.news.notify_all();
    }

    pub(crate) fn rung(&self) -> u64 {
        *lock(&self.rung)
    }

    /// Returns when the bell was rung more often than `seen`, and at the latest after `limit`.
    pub(crate) fn wait(&self, seen: u64, limit: Duration) {
        let rung = lock(&self.rung);
        // A thread that panicked with the lock has left a count that still counts.
        _ = self.news.wait_timeout_while(rung, limit, |rung| *rung == seen);
    }
}
