//! The receiver's account.

use super::state::Receiver;
use crate::Account;
use crate::message::Parcel;

impl<F: Parcel> Receiver<F> {
    /// The account of this incarnation, over all its senders. Closes at every moment. Offered are all frames that senders
    /// told of; how many a sender that died has had since its last message, this end cannot know.
    pub fn account(&self) -> Account {
        let mut account = self.closed;
        let incoming = self.current.iter().chain(&self.replaced);
        incoming.for_each(|incoming| account.add(&incoming.account()));
        account
    }

    /// True when the sender's end was reached, or a run was aborted, and all frames are settled.
    pub fn has_finished(&self) -> bool {
        let Some(incoming) = &self.current else { return false };
        (incoming.aborted || incoming.has_ended) && incoming.is_settled()
    }
}
