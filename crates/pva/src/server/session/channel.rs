//! A channel of a client.

use std::sync::Arc;

use crate::server::SharedPv;

pub(super) struct ServedChannel {
    pub(super) cid: u32,
    pub(super) sid: u32,
    pub(super) name: Arc<str>,
    pub(super) target: Target,
    /// The operations of this channel, and some that have ended.
    pub(super) ioids: Vec<u32>,
    pub(super) live: usize,
}

#[derive(Clone)]
pub(super) enum Target {
    Server,
    Pv {
        pv: SharedPv,
        /// Where the PV keeps the session to notify when it closes, and the type that this slot belongs to.
        slot: usize,
        epoch: u32,
    },
}

impl ServedChannel {
    pub(super) fn leave(self) {
        if let Target::Pv { pv, slot, epoch } = self.target {
            pv.state().leave(slot, epoch);
        }
    }

    /// Notes an operation that begins. Ended operations are removed only when the list has twice as many entries as
    /// live ones, so that their removal costs little.
    pub(super) fn begin(&mut self, ioid: u32, is_live: impl Fn(u32) -> bool) {
        if self.ioids.len() > 2 * self.live + 8 {
            self.ioids.retain(|&ioid| is_live(ioid));
        }
        self.ioids.push(ioid);
        self.live += 1;
    }
}
