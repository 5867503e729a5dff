//! The channels that a client has opened.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use super::super::{Channel, Refusal, Rights};
use super::answer::Answer;
use crate::Status;

/// A channel of one client.
pub(super) struct Opened {
    pub(super) channel: Arc<dyn Channel>,
    /// The name of its record, for bounds and reports.
    pub(super) record: Arc<str>,
    /// The client's number of it.
    pub(super) cid: u32,
    /// The most values, as the client was told: clients ask for no more.
    pub(super) told: usize,
    /// What this client may do, as it was told.
    pub(super) rights: Rights,
    /// Numbers of its monitors.
    pub(super) monitors: Vec<u32>,
    /// The answer to the last get, if it was short.
    pub(super) answer: Option<Answer>,
}

/// Channels by the numbers that the server gave them.
#[derive(Default)]
pub(super) struct Channels {
    opened: HashMap<u32, Opened, BuildHasherDefault<Sequential>>,
    last: u32,
}

/// A hash for numbers that the server gives in sequence: no client can choose which of them collide.
#[derive(Default)]
struct Sequential(u64);

impl Hasher for Sequential {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32(byte.into()));
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        // An odd factor whose upper bits differ for numbers that follow one another: the map looks at these, too.
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
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

    /// The channel of this number.
    ///
    /// # Errors
    /// When the client has none such.
    pub(super) fn opened(&self, sid: u32) -> Result<&Opened, Refusal> {
        let unknown = || Refusal::new(Status::BadChannel, format!("this client has no channel {sid}"));
        self.get(sid).ok_or_else(unknown)
    }

    pub(super) fn get(&self, sid: u32) -> Option<&Opened> {
        self.opened.get(&sid)
    }

    pub(super) fn get_mut(&mut self, sid: u32) -> Option<&mut Opened> {
        self.opened.get_mut(&sid)
    }

    pub(super) fn remove(&mut self, sid: u32) -> Option<Opened> {
        self.opened.remove(&sid)
    }

    pub(super) fn len(&self) -> usize {
        self.opened.len()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Opened> {
        self.opened.values_mut()
    }
}
