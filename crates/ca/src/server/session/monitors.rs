//! The monitors of a client.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::super::service::Seen;
use super::super::{Update, Watcher};
use crate::dbr::Dbr;

/// A monitor.
pub(super) struct Monitor {
    pub(super) watcher: Arc<Watcher>,
    pub(super) sid: u32,
    /// The client's number of it.
    pub(super) id: u32,
    pub(super) dbr: Dbr,
    /// Values in each update; 0: as many as there are.
    pub(super) count: usize,
    pub(super) _seen: Seen,
}

/// Monitors by numbers of ours: a client could give two of them one number.
#[derive(Default)]
pub(super) struct Monitors {
    all: HashMap<u32, Monitor>,
    last: u32,
    // Monitors with updates, each once; they have turns, so that a fast one keeps no other waiting.
    ready: VecDeque<u32>,
}

impl Monitors {
    /// The number of the next one.
    pub(super) fn next(&mut self) -> u32 {
        loop {
            self.last = self.last.wrapping_add(1);
            if !self.all.contains_key(&self.last) {
                return self.last;
            }
        }
    }

    pub(super) fn add(&mut self, number: u32, monitor: Monitor) {
        self.all.insert(number, monitor);
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn get(&self, number: u32) -> Option<&Monitor> {
        self.all.get(&number)
    }

    pub(super) fn ready(&mut self, numbers: Vec<u32>) {
        self.ready.extend(numbers);
    }

    /// The next monitor with an update; a monitor that has more comes again after the others.
    pub(super) fn turn(&mut self) -> Option<(u32, &Monitor, Update)> {
        while let Some(number) = self.ready.pop_front() {
            let Some(watcher) = self.all.get(&number).map(|monitor| Arc::clone(&monitor.watcher)) else {
                continue;
            };
            let (Some(update), has_more) = watcher.take() else { continue };
            // An update that comes into an empty queue says so by itself.
            if has_more {
                self.ready.push_back(number);
            }
            return self.all.get(&number).map(|monitor| (number, monitor, update));
        }
        None
    }

    /// The newest values of a monitor found no memory: they are sent later, in the state that they have then.
    pub(super) fn postpone(&mut self, number: u32) {
        self.ready.push_front(number);
        self.all.get(&number).iter().for_each(|monitor| monitor.watcher.again());
    }

    /// Ends the monitor of this number. Returns whether there was one.
    pub(super) fn close(&mut self, number: u32) -> bool {
        self.all.remove(&number).inspect(|monitor| monitor.watcher.close()).is_some()
    }

    pub(super) fn close_all(&mut self) {
        self.all.drain().for_each(|(_, monitor)| monitor.watcher.close());
    }
}
