//! Stop guards: delay the end of a system until their holders have finished.

use std::sync::{Arc, Condvar, Mutex};
use std::time::Instant;

use livetime_runtime::lock;

/// The guards that hold a system back.
#[derive(Clone, Default)]
pub(crate) struct Guards(Arc<Held>);

#[derive(Default)]
struct Held {
    names: Mutex<Vec<(u64, String)>>,
    released: Condvar,
}

/// Delays the end of the system until it is dropped, see [`System::stop_guard`](super::System::stop_guard).
#[must_use = "dropping a guard releases it"]
pub struct StopGuard {
    guards: Guards,
    number: u64,
}

impl Guards {
    pub(crate) fn add(&self, name: &str) -> StopGuard {
        let mut names = lock(&self.0.names);
        let number = names.last().map_or(0, |(number, _)| number + 1);
        names.push((number, name.to_string()));
        StopGuard { guards: self.clone(), number }
    }

    /// Waits until no guard is left; returns the names of the guards that are left at the time limit.
    pub(crate) fn wait(&self, until: Instant) -> Vec<String> {
        let limit = until.saturating_duration_since(Instant::now());
        let names = lock(&self.0.names);
        let waited = self.0.released.wait_timeout_while(names, limit, |names| !names.is_empty());
        let names = waited.map_or_else(|e| e.into_inner().0, |(names, _)| names);
        names.iter().map(|(_, name)| name.clone()).collect()
    }
}

impl Drop for StopGuard {
    fn drop(&mut self) {
        lock(&self.guards.0.names).retain(|(number, _)| *number != self.number);
        self.guards.0.released.notify_all();
    }
}
