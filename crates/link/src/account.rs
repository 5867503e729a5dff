//! The account of a cut, and where the receiver stands.

use std::fmt;

use livetime_runtime::LossReason;

/// Losses by reason, as they travel over a link.
///
/// ```
/// use livetime_link::Losses;
/// use livetime_runtime::LossReason;
/// let mut losses = Losses::default();
/// losses.add(LossReason::LinkDown, 3);
/// assert_eq!((losses.total(), losses.of(LossReason::LinkDown)), (3, 3));
/// assert_eq!(losses.iter().collect::<Vec<_>>(), [(LossReason::LinkDown, 3)]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Losses([u64; LossReason::ALL.len()]);

impl Losses {
    /// Counts `frames` lost because of `reason`.
    pub fn add(&mut self, reason: LossReason, frames: u64) {
        let count = &mut self.0[reason as usize];
        *count = count.saturating_add(frames);
    }

    /// Adds the losses of another account.
    pub fn add_all(&mut self, other: &Losses) {
        other.iter().for_each(|(reason, frames)| self.add(reason, frames));
    }

    /// The frames lost because of `reason`.
    pub fn of(&self, reason: LossReason) -> u64 {
        self.0[reason as usize]
    }

    /// The frames lost because of any reason. Saturates, because a peer may send any counts.
    pub fn total(&self) -> u64 {
        self.0.iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// The reasons with losses, in the order of [`LossReason::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (LossReason, u64)> + '_ {
        LossReason::ALL.into_iter().zip(self.0).filter(|(_, frames)| *frames > 0)
    }

    /// The losses since `before`; `None` when a count has shrunk, which no honest account does.
    pub fn since(&self, before: &Losses) -> Option<Losses> {
        let mut grown = Losses::default();
        for (place, count) in grown.0.iter_mut().enumerate() {
            *count = self.0[place].checked_sub(before.0[place])?;
        }
        Some(grown)
    }
}

/// The account of one end of a cut, in frames: offered = delivered + lost + queued + in doubt + retaken.
///
/// Each end counts by itself, and each count has one writer: the sum is a check, and not a definition of one of its
/// terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Account {
    /// Offered to the link by the sender's graph.
    pub offered: u64,
    /// Completed by the receiver (`retain: stored`: stored by it).
    pub delivered: u64,
    /// Lost, by either end.
    pub lost: Losses,
    /// Accepted by the sender, and neither delivered nor lost yet.
    pub queued: u64,
    /// Sent to a receiver that died, or received from a sender that died, with an unknown end.
    pub in_doubt: u64,
    /// Taken back from a receiver that is gone, and offered to another one, in whose account they are offered too:
    /// all links of a pool together were offered `offered - retaken` frames.
    pub retaken: u64,
    /// Beside the sum: sent to a receiver that died, and sent again to its successor or to another one. At most so
    /// many frames were handled twice.
    pub sent_again: u64,
}

impl Account {
    /// True when the sum closes.
    ///
    /// ```
    /// use livetime_link::Account;
    /// assert!(Account { offered: 5, delivered: 3, queued: 1, in_doubt: 1, ..Account::default() }.closes());
    /// assert!(!Account { offered: 5, delivered: 3, ..Account::default() }.closes());
    /// ```
    pub fn closes(&self) -> bool {
        self.offered == self.delivered + self.lost.total() + self.queued + self.in_doubt + self.retaken
    }

    /// Adds the account of another incarnation.
    pub fn add(&mut self, other: &Account) {
        self.offered += other.offered;
        self.delivered += other.delivered;
        self.lost.add_all(&other.lost);
        self.queued += other.queued;
        self.in_doubt += other.in_doubt;
        self.retaken += other.retaken;
        self.sent_again += other.sent_again;
    }
}

impl fmt::Display for Account {
    /// `1201 = 1010 delivered + 190 link_down + 0 queued + 1 in doubt`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {} delivered", self.offered, self.delivered)?;
        for (reason, frames) in self.lost.iter() {
            write!(f, " + {frames} {reason}")?;
        }
        write!(f, " + {} queued + {} in doubt", self.queued, self.in_doubt)?;
        if self.retaken > 0 { write!(f, " + {} retaken", self.retaken) } else { Ok(()) }
    }
}

/// The receiver's account of one incarnation of a sender.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part {
    /// The sender's epoch; 0 for the sum of very old ones.
    pub epoch: u64,
    /// How many of its frames were for receivers before this one. They are not in the account.
    pub start: u64,
    /// The frames from there on.
    pub account: Account,
}

/// How long the sender keeps a frame, so that it can be sent again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Retain {
    /// Until the receiver has it in memory. A receiver that dies leaves at most one window of frames in doubt.
    Received,
    /// Until the receiver's graph has completed it. A receiver that dies leaves nothing in doubt; some frames may be
    /// handled twice.
    #[default]
    Completed,
    /// Until the receiver has stored it for good. A receiver that knows after a restart what it stored has each frame once.
    Stored,
}

impl Retain {
    /// All three; the place is the number on the wire.
    pub const ALL: [Retain; 3] = [Retain::Received, Retain::Completed, Retain::Stored];

    /// Name in pipeline files.
    pub fn name(self) -> &'static str {
        match self {
            Retain::Received => "received",
            Retain::Completed => "completed",
            Retain::Stored => "stored",
        }
    }
}

/// How far a receiver has come with the frames of one sender. Positions are exclusive: every frame before them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Standing {
    /// The position that the receiver wants next.
    pub received: u64,
    /// All frames before it are completed or lost.
    pub completed: u64,
    /// All frames before it are stored or lost. Moves only with [`Retain::Stored`].
    pub stored: u64,
    /// The receiver's losses among the frames before [`Standing::settled`], from position 0 on.
    pub lost: Losses,
}

impl Standing {
    /// A receiver that begins at `position`, before which receivers have lost `lost`.
    pub fn at(position: u64, lost: Losses) -> Standing {
        Standing { received: position, completed: position, stored: position, lost }
    }

    /// The position before which the receiver's account is final.
    pub fn settled(&self, retain: Retain) -> u64 {
        if retain == Retain::Stored { self.stored } else { self.completed }
    }

    /// The position before which the sender keeps nothing.
    pub fn released(&self, retain: Retain) -> u64 {
        match retain {
            Retain::Received => self.received,
            Retain::Completed => self.completed,
            Retain::Stored => self.stored,
        }
    }
}
