//! The truth beside the model: each frame that was offered, and how often it was handled.

use std::collections::HashMap;

use livetime_link::{Account, Losses, Parcel, Retain, SenderEvent};
use livetime_runtime::LossReason;

/// A frame: its number over all incarnations, and its size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Number {
    pub(super) id: u64,
    pub(super) bytes: u64,
}

impl Parcel for Number {
    fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// What happened to one frame.
#[derive(Clone, Copy, Default, Debug)]
struct Fate {
    id: u64,
    handled: u32,
    lost: u32,
    /// The sender named it as settled, or as in doubt.
    named: bool,
    in_doubt: bool,
    sent_again: bool,
    retaken: bool,
}

/// One incarnation of a sender, by positions.
#[derive(Default)]
pub(super) struct Incarnation {
    fates: Vec<Fate>,
    offered: u64,
    named: u64,
    /// Losses that the sender reported in events.
    lost: Losses,
    is_over: bool,
}

/// All incarnations, by epoch.
#[derive(Default)]
pub(super) struct Truth(HashMap<u64, Incarnation>);

impl Truth {
    fn of(&mut self, epoch: u64) -> &mut Incarnation {
        self.0.entry(epoch).or_default()
    }

    pub(super) fn offered(&mut self, epoch: u64, position: u64, id: u64) {
        let incarnation = self.of(epoch);
        assert_eq!(position, incarnation.fates.len() as u64, "positions have no gap");
        incarnation.fates.push(Fate { id, ..Fate::default() });
        incarnation.offered += 1;
    }

    pub(super) fn lost_unseen(&mut self, epoch: u64) {
        self.of(epoch).offered += 1;
    }

    pub(super) fn check_frame(&mut self, epoch: u64, position: u64, frame: Number) {
        assert_eq!(self.of(epoch).fates[position as usize].id, frame.id, "a position is one frame for ever");
    }

    pub(super) fn handled(&mut self, epoch: u64, position: u64) {
        self.of(epoch).fates[position as usize].handled += 1;
    }

    pub(super) fn lost(&mut self, epoch: u64, position: u64) {
        self.of(epoch).fates[position as usize].lost += 1;
    }

    pub(super) fn take(&mut self, epoch: u64, event: &SenderEvent) {
        let incarnation = self.of(epoch);
        match *event {
            SenderEvent::Settled { from, to, lost } => incarnation.settled(from, to, &lost),
            SenderEvent::InDoubt { from, to } => {
                incarnation.name(from, to);
                incarnation.range(from, to).for_each(|fate| fate.in_doubt = true);
            }
            SenderEvent::SentAgain { from, to } => {
                incarnation.range(from, to).for_each(|fate| fate.sent_again = true);
            }
            SenderEvent::Retaken { from, to } => {
                incarnation.name(from, to);
                incarnation.range(from, to).for_each(|fate| fate.retaken = true);
            }
            SenderEvent::Met { .. } | SenderEvent::Aborted(_) | SenderEvent::AskedToEnd => {}
            SenderEvent::Ended => incarnation.is_over = true,
        }
    }

    /// The account agrees with the truth at every moment, also of the moment of a death.
    pub(super) fn check_account(&mut self, epoch: u64, account: &Account) {
        let incarnation = self.of(epoch);
        assert!(account.closes(), "{account}");
        assert_eq!(account.offered, incarnation.offered, "{account}");
        let entered = incarnation.fates.len() as u64;
        assert_eq!(account.queued, entered - incarnation.named, "{account}");
        let in_doubt = incarnation.fates.iter().filter(|fate| fate.in_doubt).count() as u64;
        assert_eq!(account.in_doubt, in_doubt, "{account}");
        let retaken = incarnation.fates.iter().filter(|fate| fate.retaken).count() as u64;
        assert_eq!(account.retaken, retaken, "{account}");
    }

    /// At the end: nothing missing or handled twice that was not named.
    pub(super) fn check_end(&self, retain: Retain) {
        for incarnation in self.0.values() {
            incarnation.check_end(retain);
        }
        let mut of_id: HashMap<u64, (u32, bool)> = HashMap::new();
        for fate in self.0.values().flat_map(|incarnation| &incarnation.fates) {
            let sum = of_id.entry(fate.id).or_default();
            *sum = (sum.0 + fate.handled, sum.1 | fate.sent_again);
        }
        for (id, (handled, sent_again)) in of_id {
            assert!(handled <= 1 || sent_again, "frame {id} is handled {handled} times");
        }
    }
}

impl Incarnation {
    fn range(&mut self, from: u64, to: u64) -> impl Iterator<Item = &mut Fate> {
        self.fates[from as usize..to as usize].iter_mut()
    }

    /// Each position is named once, in order.
    fn name(&mut self, from: u64, to: u64) {
        assert!(from == self.named && from < to, "{from}..{to} after {}", self.named);
        self.named = to;
        self.range(from, to).for_each(|fate| fate.named = true);
    }

    fn settled(&mut self, from: u64, to: u64, lost: &Losses) {
        self.name(from, to);
        self.lost.add_all(lost);
        let range = &self.fates[from as usize..to as usize];
        let missing = range.iter().filter(|fate| fate.handled == 0).count() as u64;
        assert!(missing <= lost.total(), "{from}..{to}: {missing} are missing, {lost:?} are named");
        let by_sender = lost.of(LossReason::PeerGone) + lost.of(LossReason::Aborted);
        let by_receiver = lost.total() - by_sender;
        let lost_there = range.iter().filter(|fate| fate.lost > 0).count() as u64;
        assert!(by_receiver <= lost_there, "{from}..{to}: {lost_there} were lost, {lost:?} are named");
    }

    fn check_end(&self, retain: Retain) {
        let mut missing = 0;
        for (position, fate) in self.fates.iter().enumerate() {
            let once = fate.handled + fate.lost <= 1;
            assert!(once || fate.sent_again, "position {position} is handled twice: {fate:?}");
            if retain == Retain::Stored && !fate.sent_again {
                assert!(fate.handled <= 1, "position {position} is stored twice: {fate:?}");
            }
            if fate.named && !fate.in_doubt && !fate.retaken && fate.handled == 0 {
                missing += 1;
            }
        }
        assert!(missing <= self.lost.total(), "{missing} are missing, {:?} are named", self.lost);
        assert!(!self.is_over || self.named == self.fates.len() as u64, "an end leaves nothing queued");
    }
}
