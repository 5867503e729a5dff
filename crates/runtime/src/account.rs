//! Why something is lost, and the counts of a queue at one moment.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Why a frame was not delivered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum LossReason {
    /// The edge was full and keeps its queued frames.
    QueueFull,
    /// The edge was full and a newer frame took this one's place.
    Overwritten,
    /// The run was aborted, or the receiving node ended early, while the frame was queued.
    Aborted,
    /// The run was aborted, or the receiving node had ended, when the frame was offered.
    Refused,
    /// The edge passes one frame in n.
    Decimated,
    /// The edge passes at most r frames a second.
    RateLimited,
    /// The program closed its end of the edge while the frame was queued.
    Closed,
    /// The node's handler returned an error for this frame.
    NodeError,
    /// The node's handler panicked on this frame.
    NodePanic,
    /// The frame pool had no memory for it.
    PoolExhausted,
    /// The source's own numbers show that it never sent this frame.
    SourceGap,
    /// A file or a stream holds it, damaged or cut off, and the source could not read it.
    Unreadable,
    /// A part of a frame, such as a hit, or a frame of an order arrived after the node had sent on later ones, or never.
    Late,
    /// A sink had written it, or was to write it, and a client has taken it back since.
    TakenBack,
    /// No handler of an agent took it in the agent's state.
    Ignored,
    /// A link gave it up, unsent, because the other host did not come back.
    PeerGone,
    /// A link had no room for it while the other host could not be reached.
    LinkDown,
    /// A link's carrier kept it for a limited time, which passed before the other host took it.
    Retention,
    /// The other side sent it while the connection was broken, as its numbers show.
    Disconnected,
    /// A connection was broken, and what the other side sent meanwhile cannot be counted: one for each such break.
    Unknown,
}

impl LossReason {
    /// All reasons. The place of a reason is its number on links, so that a new one goes to the end.
    pub const ALL: [LossReason; 20] = [
        LossReason::QueueFull,
        LossReason::Overwritten,
        LossReason::Aborted,
        LossReason::Refused,
        LossReason::Decimated,
        LossReason::RateLimited,
        LossReason::Closed,
        LossReason::NodeError,
        LossReason::NodePanic,
        LossReason::PoolExhausted,
        LossReason::SourceGap,
        LossReason::Unreadable,
        LossReason::Late,
        LossReason::TakenBack,
        LossReason::Ignored,
        LossReason::PeerGone,
        LossReason::LinkDown,
        LossReason::Retention,
        LossReason::Disconnected,
        LossReason::Unknown,
    ];

    /// The reasons for which a queue loses something, in the order of [`EdgeCounts::lost`].
    pub const ON_EDGES: [LossReason; 7] = [
        LossReason::QueueFull,
        LossReason::Overwritten,
        LossReason::Aborted,
        LossReason::Refused,
        LossReason::Decimated,
        LossReason::RateLimited,
        LossReason::Closed,
    ];

    /// Its place in [`LossReason::ON_EDGES`], if it is there.
    #[inline]
    fn place(self) -> Option<usize> {
        // The list is short, so a search is as fast as a table.
        LossReason::ON_EDGES.iter().position(|reason| *reason == self)
    }

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            LossReason::QueueFull => "queue_full",
            LossReason::Overwritten => "overwritten",
            LossReason::Aborted => "aborted",
            LossReason::Refused => "refused",
            LossReason::Decimated => "decimated",
            LossReason::RateLimited => "rate_limited",
            LossReason::Closed => "closed",
            LossReason::NodeError => "node_error",
            LossReason::NodePanic => "node_panic",
            LossReason::PoolExhausted => "pool_exhausted",
            LossReason::SourceGap => "source_gap",
            LossReason::Unreadable => "unreadable",
            LossReason::Late => "late",
            LossReason::TakenBack => "taken_back",
            LossReason::Ignored => "ignored",
            LossReason::PeerGone => "peer_gone",
            LossReason::LinkDown => "link_down",
            LossReason::Retention => "retention",
            LossReason::Disconnected => "disconnected",
            LossReason::Unknown => "unknown",
        }
    }

    /// True when the loss is not a frame that the node received: frames that never left a source or never reached it,
    /// parts of frames, or frames that count as completed. They are not part of the balance of received frames.
    pub fn is_beside_frames(self) -> bool {
        use LossReason::{Disconnected, Late, SourceGap, TakenBack, Unknown, Unreadable};
        matches!(self, SourceGap | Unreadable | Late | TakenBack | Disconnected | Unknown)
    }

    /// True for intended losses: by decimation or a rate limit of the pipeline, because the program closed
    /// its end of an edge, or because a client took frames back. Frames that a queue with the policy [`Latest`](crate::WhenFull::Latest) overwrites
    /// are intended losses too, but only the queue knows its policy.
    pub fn is_intended(self) -> bool {
        use LossReason::{Closed, Decimated, RateLimited, TakenBack};
        matches!(self, Decimated | RateLimited | Closed | TakenBack)
    }
}

impl fmt::Display for LossReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Losses of one queue, by reason. Any thread may count.
#[derive(Default)]
pub struct Losses([AtomicU64; LossReason::ON_EDGES.len()]);

impl Losses {
    /// Counts losses; a reason that is not one of [`LossReason::ON_EDGES`] is not counted here.
    #[inline]
    pub fn add(&self, reason: LossReason, count: u64) {
        if let Some(place) = reason.place() {
            // Relaxed: a count orders nothing.
            self.0[place].fetch_add(count, Relaxed);
        }
    }

    /// The counts as they are now, in the order of [`LossReason::ON_EDGES`].
    pub fn read(&self) -> [u64; LossReason::ON_EDGES.len()] {
        // Each count is exact by itself; a sum of several may be a moment old.
        std::array::from_fn(|place| self.0[place].load(Relaxed))
    }
}

/// Counts of one queue at one moment: offered = delivered + lost + queued.
///
/// No queue stores these counts. It stores how many items entered, how many left, and losses by reason;
/// [`EdgeCounts::derive`] derives the rest. The equation therefore holds at every reading, and there is no
/// second copy of a number that could drift.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EdgeCounts {
    /// Offered to it.
    pub offered: u64,
    /// Handed to the receiver.
    pub delivered: u64,
    /// Waiting in it.
    pub queued: u64,
    /// Lost, by the reasons of [`LossReason::ON_EDGES`].
    pub lost: [u64; LossReason::ON_EDGES.len()],
}

impl EdgeCounts {
    /// From how many entered the queue, how many left it, how many were handed over beside it, and the losses.
    ///
    /// `entered` must have been read after `left`, which can only be less then.
    pub fn derive(
        entered: u64,
        left: u64,
        beside: u64,
        lost: [u64; LossReason::ON_EDGES.len()],
    ) -> EdgeCounts {
        let [full, overwritten, aborted, refused, decimated, limited, closed] = lost;
        EdgeCounts {
            // Overwritten, aborted and closed items had entered the queue: `entered` contains them already.
            offered: entered + beside + full + refused + decimated + limited,
            // The counts are read one after the other while the queue moves, so the difference may fall below
            // 0 for a moment.
            delivered: (left + beside).saturating_sub(overwritten + aborted + closed),
            queued: entered.saturating_sub(left),
            lost,
        }
    }

    /// Queued items are lost, because no receiver will take them.
    pub fn abort_queued(&mut self) {
        // The items are counted as lost and no longer as queued, so that the account stays closed.
        let queued = std::mem::take(&mut self.queued);
        self.lose(LossReason::Aborted, queued);
    }

    /// Counts losses, in a queue that keeps its counts under a lock.
    pub fn lose(&mut self, reason: LossReason, count: u64) {
        if let Some(place) = reason.place() {
            self.lost[place] += count;
        }
    }

    /// Adds the counts of another queue.
    pub fn add(&mut self, other: &EdgeCounts) {
        self.offered += other.offered;
        self.delivered += other.delivered;
        self.queued += other.queued;
        self.lost.iter_mut().zip(other.lost).for_each(|(sum, count)| *sum += count);
    }

    /// The losses that there were, by reason.
    pub fn losses(&self) -> BTreeMap<LossReason, u64> {
        LossReason::ON_EDGES.into_iter().zip(self.lost).filter(|(_, count)| *count > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_is_listed_at_its_number() {
        for (number, reason) in LossReason::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, number, "{reason}");
        }
    }

    #[test]
    fn the_account_closes_whatever_happened() {
        let losses = Losses::default();
        losses.add(LossReason::QueueFull, 3);
        losses.add(LossReason::Overwritten, 2);
        losses.add(LossReason::Aborted, 1);
        losses.add(LossReason::NodeError, 100);
        let mut counts = EdgeCounts::derive(20, 15, 4, losses.read());
        assert_eq!((counts.offered, counts.delivered, counts.queued), (27, 16, 5));
        assert_eq!(counts.offered, counts.delivered + counts.queued + counts.lost.iter().sum::<u64>());
        counts.abort_queued();
        assert_eq!(counts.offered, counts.delivered + counts.losses().values().sum::<u64>());
        assert_eq!(counts.losses()[&LossReason::Aborted], 6);
        let mut sum = counts;
        sum.add(&counts);
        assert_eq!((sum.offered, sum.lost[0]), (54, 6));
    }
}
