//! The sender's account, and the receiver's clock.

use super::clock::{ClockOffset, FORGET_AFTER_NS};
use super::state::Sender;
use crate::Account;
use crate::message::{Ack, Parcel};

impl<F: Parcel + Clone> Sender<F> {
    /// The account of this incarnation. Closes at every moment.
    pub fn account(&self) -> Account {
        let mut lost = self.told.lost;
        lost.add_all(&self.lost);
        Account {
            offered: self.told.offered,
            delivered: self.delivered,
            lost,
            queued: self.tail() - self.settled,
            in_doubt: self.in_doubt,
            retaken: self.retaken,
            sent_again: self.sent_again,
        }
    }

    /// The offset of the receiver's clock, if it was measured.
    pub fn clock_offset(&self) -> Option<ClockOffset> {
        self.clock
    }

    /// Frames and bytes that are kept.
    pub fn kept(&self) -> (usize, u64) {
        (self.kept.len(), self.bytes - self.bytes_before(self.base))
    }

    /// Takes the times of an acknowledgement, if they are possible and more exact than those before.
    pub(super) fn measure_clock(&mut self, ack: &Ack, now_ns: u64) {
        let way_ns = now_ns.checked_sub(ack.echo_ns).and_then(|way| way.checked_sub(ack.held_ns));
        let Some(way_ns) = way_ns.filter(|_| ack.echo_ns > 0) else { return };
        let bound_ns = way_ns.div_ceil(2);
        let offset = i128::from(ack.clock_ns) + i128::from(bound_ns) - i128::from(now_ns);
        let Ok(offset_ns) = i64::try_from(offset) else { return };
        let is_better = self.clock.is_none_or(|known| {
            bound_ns <= known.bound_ns || now_ns.saturating_sub(known.at_ns) > FORGET_AFTER_NS
        });
        if is_better {
            self.clock = Some(ClockOffset { offset_ns, bound_ns, at_ns: now_ns });
        }
    }
}
