//! The end of a cut: all frames are through, a run was aborted, or the receiver does not come back.

use livetime_runtime::LossReason;

use super::ending::Ending;
use super::event::SenderEvent;
use super::state::Sender;
use crate::message::Parcel;
use crate::{Losses, Standing, Violation};

impl<F: Parcel + Clone> Sender<F> {
    /// No frame will be offered any more. The end comes with [`SenderEvent::Ended`], when the receiver has settled all.
    pub fn finish(&mut self) {
        if self.ending.is_open() {
            self.ending = Ending::Finish { is_told: false };
        }
    }

    /// The run was stopped, and the receiver is told so together with the end.
    pub fn stopped(&mut self) {
        self.stopped = true;
    }

    /// The run was aborted. Frames that the receiver does not have are lost when it answers with its final standing.
    pub fn abort(&mut self, why: &str) {
        if self.ending != Ending::Ended {
            self.ending = Ending::Abort { why: why.to_owned(), is_told: false };
        }
    }

    /// The receiver does not come back. Frames that were never sent are lost, frames that were sent are in doubt; with
    /// [`Settings::retakes`](crate::Settings::retakes) all that are kept are taken back.
    pub fn give_up(&mut self) {
        if self.ending == Ending::Ended {
            return;
        }
        let kept_from = if self.retakes() { self.base } else { self.tail() };
        self.doubt_until(self.reached.min(kept_from));
        let reason = match self.ending {
            Ending::Abort { .. } | Ending::PeerAborted => LossReason::Aborted,
            _ => LossReason::PeerGone,
        };
        self.end(reason);
    }

    /// True when the account is final.
    pub fn has_ended(&self) -> bool {
        self.ending == Ending::Ended
    }

    pub(super) fn aborted_by_peer(&mut self, why: String) {
        if !matches!(self.ending, Ending::PeerAborted | Ending::Ended) {
            self.ending = Ending::PeerAborted;
            self.events.push_back(SenderEvent::Aborted(why));
        }
    }

    /// The receiver's final standing. One that comes before the end was asked for, or leaves frames out, comes from a
    /// receiver whose abort got lost.
    pub(super) fn finished(&mut self, standing: &Standing) -> Result<(), Violation> {
        let received = standing.received;
        Violation::check("settled position", standing.settled(self.settings.retain), received, received)?;
        self.advance(standing)?;
        if self.settled != received {
            // An old one.
            return Ok(());
        }
        let is_whole = matches!(self.ending, Ending::Finish { .. }) && received == self.tail();
        if !is_whole && !matches!(self.ending, Ending::Abort { .. }) {
            self.aborted_by_peer("the receiver has ended".into());
        }
        self.end(LossReason::Aborted);
        Ok(())
    }

    /// Frames that were taken back since the last call, in the order of their positions.
    pub fn retaken(&mut self) -> Vec<F> {
        std::mem::take(&mut self.spare)
    }

    /// The caller's own abort ends the work for every receiver.
    fn retakes(&self) -> bool {
        self.settings.retakes && !matches!(self.ending, Ending::Abort { .. })
    }

    fn doubt_until(&mut self, to: u64) {
        if self.settled < to {
            self.in_doubt += to - self.settled;
            self.events.push_back(SenderEvent::InDoubt { from: self.settled, to });
            self.settled = to;
        }
    }

    /// All kept frames go back to the caller.
    fn take_back(&mut self) {
        self.doubt_until(self.base);
        let (from, to) = (self.settled, self.tail());
        let sent = self.reached.clamp(from, to);
        if from < sent {
            self.sent_again += sent - from;
            self.events.push_back(SenderEvent::SentAgain { from, to: sent });
        }
        if from < to {
            self.retaken += to - from;
            self.events.push_back(SenderEvent::Retaken { from, to });
        }
        let settled = (from - self.base) as usize;
        self.spare.extend(self.kept.drain(..).skip(settled).map(|(frame, _)| frame));
        self.settled = to;
    }

    /// Closes the account: all frames from `settled` on are lost because of `reason`, or taken back.
    fn end(&mut self, reason: LossReason) {
        let to = self.tail();
        if self.retakes() {
            self.take_back();
        }
        let from = self.settled;
        if from < to {
            let mut lost = Losses::default();
            lost.add(reason, to - from);
            self.lost.add_all(&lost);
            self.events.push_back(SenderEvent::Settled { from, to, lost });
        }
        self.settled = to;
        self.base = to;
        self.kept.clear();
        self.ending = Ending::Ended;
        self.events.push_back(SenderEvent::Ended);
    }
}
