//! The channels that a client has opened.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::Channel;

/// A channel of one client.
#[derive(Clone)]
pub(super) struct Opened {
    pub(super) channel: Arc<dyn Channel>,
    /// The client's number of it.
    pub(super) cid: u32,
    /// The most values, as the client was told: clients ask for no more.
    pub(super) told: usize,
}

/// Channels by the numbers that the server gave them.
#[derive(Default)]
pub(super) struct Channels {
    opened: HashMap<u32, Opened>,
    last: u32,
}

impl Channels {
    /// Returns the number of the channel. Numbers are not used again soon, so that a late request meets no other channel.
    pub(super) fn add(&mut self, opened: Opened) -> u32 {
        loop {
            self.last = self.last.wrapping_add(1);
            if !self.opened.contains_key(&self.last) {
                self.opened.insert(self.last, opened);
                return self.last;
            }
        }
    }

    pub(super) fn get(&self, sid: u32) -> Option<&Opened> {
        self.opened.get(&sid)
    }

    pub(super) fn remove(&mut self, sid: u32) -> Option<Opened> {
        self.opened.remove(&sid)
    }

    pub(super) fn len(&self) -> usize {
        self.opened.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Opened> {
        self.opened.values()
    }
}
