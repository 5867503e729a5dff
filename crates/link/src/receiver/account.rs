//! The receiver's account.

use super::incoming::Incoming;
use super::state::Receiver;
use crate::Account;
use crate::account::Part;
use crate::message::Parcel;

/// How many senders of the past are kept apart. A peer that starts again and again must not fill the memory.
const KEPT_APART: usize = 1_000;

impl<F: Parcel> Receiver<F> {
    /// The account of this incarnation, over all its senders. Closes at every moment. Offered are all frames that senders
    /// told of; how many a sender that died has had since its last message, this end cannot know.
    pub fn account(&self) -> Account {
        let mut account = Account::default();
        self.parts().iter().for_each(|part| account.add(&part.account));
        account
    }

    /// The same for each sender, the newest last.
    pub fn parts(&self) -> Vec<Part> {
        let incoming = self.replaced.iter().chain(&self.current).map(Incoming::part);
        self.closed.iter().copied().chain(incoming).collect()
    }

    /// True when an acknowledgement of every settled frame was sent.
    pub fn has_told(&self) -> bool {
        self.news == 0
    }

    /// True when the sender's end was reached, or a run was aborted, and all frames are settled.
    pub fn has_finished(&self) -> bool {
        let Some(incoming) = &self.current else { return false };
        (incoming.aborted || incoming.has_ended) && incoming.is_settled()
    }
}

/// Keeps only the sum of the oldest senders.
pub(super) fn bound(closed: &mut Vec<Part>) {
    if closed.len() > KEPT_APART {
        let second = closed.remove(1);
        let sum = &mut closed[0];
        sum.account.add(&second.account);
        (sum.epoch, sum.start) = (0, 0);
    }
}
