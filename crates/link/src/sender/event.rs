//! News of a sender, and frames that it does not take.

use crate::Losses;

/// News of a [`Sender`](super::Sender), in order.
#[derive(Clone, PartialEq, Debug)]
pub enum SenderEvent {
    /// The frames at these positions are delivered, but for the losses.
    Settled {
        /// The first position.
        from: u64,
        /// The position after the last one.
        to: u64,
        /// Losses among them.
        lost: Losses,
    },
    /// The frames at these positions were received by a peer that died, and were not kept.
    InDoubt {
        /// The first position.
        from: u64,
        /// The position after the last one.
        to: u64,
    },
    /// The frames at these positions were sent to a peer that died, and will be sent again: it may have handled them.
    SentAgain {
        /// The first position.
        from: u64,
        /// The position after the last one.
        to: u64,
    },
    /// The frames at these positions were taken back ([`Settings::retakes`](crate::Settings::retakes)).
    Retaken {
        /// The first position.
        from: u64,
        /// The position after the last one.
        to: u64,
    },
    /// A receiver is there. Comes for every new connection.
    Met {
        /// Its epoch.
        epoch: u64,
        /// True when another incarnation was there before.
        is_new: bool,
    },
    /// The receiver's run was aborted.
    Aborted(String),
    /// The receiver's run was stopped, and this one is to end, too. Comes once.
    AskedToEnd,
    /// The account is final.
    Ended,
}

/// A frame that the sender does not take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotTaken {
    /// The window is full. Offer it again after the next [`SenderEvent::Settled`], or count it with [`Sender::lose`](super::Sender::lose).
    Full,
    /// The payload is larger than [`Settings::max_frame_bytes`](crate::Settings::max_frame_bytes).
    TooLarge {
        /// The bound.
        most: u64,
        /// Bytes of the payload.
        found: u64,
    },
    /// [`Sender::finish`](super::Sender::finish) or an abort came before.
    Ended,
}

impl std::fmt::Display for NotTaken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotTaken::Full => write!(f, "the window of the link is full"),
            NotTaken::TooLarge { most, found } => {
                write!(f, "wanted a frame of at most {most} bytes, found {found}")
            }
            NotTaken::Ended => write!(f, "wanted a link that goes on, found one that has ended"),
        }
    }
}

impl std::error::Error for NotTaken {}
