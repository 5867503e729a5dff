//! Progress of the receiver.

use super::event::SenderEvent;
use super::state::Sender;
use crate::message::{Credit, Parcel};
use crate::{Losses, Standing, Violation};

impl<F: Parcel + Clone> Sender<F> {
    /// Takes over how far the receiver has come. A standing from before changes nothing.
    pub(super) fn advance(&mut self, standing: &Standing) -> Result<(), Violation> {
        let Some(before) = self.peer.as_ref().map(|peer| peer.standing) else { return Ok(()) };
        let retain = self.settings.retain;
        let is_old = standing.received < before.received
            || standing.completed < before.completed
            || standing.stored < before.stored;
        if is_old {
            return Ok(());
        }
        Violation::check("received position", standing.received, 0, self.reached)?;
        Violation::check("completed position", standing.completed, 0, standing.received)?;
        Violation::check("stored position", standing.stored, 0, standing.completed)?;
        self.count(standing.settled(retain), &standing.lost)?;
        if let Some(peer) = &mut self.peer {
            if standing.received > before.received {
                peer.credit = Credit::default();
            }
            peer.standing = *standing;
        }
        self.release(standing.released(retain));
        Ok(())
    }

    /// Counts the frames up to `settled`, of which receivers have lost `lost` from position 0 on.
    pub(super) fn count(&mut self, settled: u64, lost: &Losses) -> Result<(), Violation> {
        let (from, frames) = (self.settled, settled - self.settled);
        let lost_now = lost.since(&self.lost_by_receivers).ok_or(Violation::Shrunk)?;
        Violation::check("frames lost by the receiver", lost_now.total(), 0, frames)?;
        if frames > 0 {
            self.delivered += frames - lost_now.total();
            self.lost.add_all(&lost_now);
            self.lost_by_receivers = *lost;
            self.settled = settled;
            self.events.push_back(SenderEvent::Settled { from, to: settled, lost: lost_now });
        }
        Ok(())
    }

    /// Keeps no frame before `position`.
    pub(super) fn release(&mut self, position: u64) {
        let frames = position.saturating_sub(self.base);
        self.kept.drain(..frames as usize);
        self.base += frames;
    }
}
