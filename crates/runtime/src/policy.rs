//! The options of a bounded queue: its capacity, and its policy when it is full.

use crate::LossReason;

/// The policy for a frame that is offered to a full edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum WhenFull {
    /// The sender waits: nothing is lost, and a slow receiver slows its sender.
    Block,
    /// The new frame is lost (areaDetector's way). The default: a live source is never held up.
    #[default]
    DropNewest,
    /// The oldest queued frame is lost, and the new one takes its place.
    DropOldest,
    /// As `DropOldest` with a queue of one: the receiver always gets the newest frame.
    Latest,
    /// The run fails.
    Fail,
}

impl WhenFull {
    /// All policies with their names in pipeline files.
    pub const ALL: [(WhenFull, &'static str); 5] = [
        (WhenFull::Block, "block"),
        (WhenFull::DropNewest, "drop_newest"),
        (WhenFull::DropOldest, "drop_oldest"),
        (WhenFull::Latest, "latest"),
        (WhenFull::Fail, "fail"),
    ];

    /// Name in pipeline files.
    pub fn name(self) -> &'static str {
        // Every policy is in the list, so the empty name never occurs.
        WhenFull::ALL.iter().find(|(w, _)| *w == self).map_or("", |(_, name)| name)
    }

    /// True when a sender takes older items out of a full queue, so that more than one thread takes.
    #[inline]
    pub fn takes_oldest(self) -> bool {
        matches!(self, WhenFull::DropOldest | WhenFull::Latest)
    }

    /// True when losses for this reason are intended under this policy: `Latest` keeps only the newest item,
    /// and losses by decimation and rate limits are always intended.
    pub fn intends(self, reason: LossReason) -> bool {
        reason.is_intended() || (reason == LossReason::Overwritten && self == WhenFull::Latest)
    }

    /// Offers `item` to `queue`, and follows the policy if the queue is full.
    #[inline]
    pub fn offer<Q: Bounded>(self, queue: &mut Q, item: Q::Item) -> Offer<Q::Item> {
        match queue.put(item) {
            Ok(()) => Offer::Queued,
            Err(item) => self.offer_to_full(queue, item),
        }
    }

    #[cold]
    fn offer_to_full<Q: Bounded>(self, queue: &mut Q, mut item: Q::Item) -> Offer<Q::Item> {
        match self {
            WhenFull::Block => Offer::MustWait(item),
            WhenFull::DropNewest => {
                queue.lose(LossReason::QueueFull);
                Offer::Lost
            }
            WhenFull::Fail => {
                queue.lose(LossReason::QueueFull);
                Offer::Failed
            }
            WhenFull::DropOldest | WhenFull::Latest => loop {
                // The receiver may have made room meanwhile, and then nothing was lost.
                if queue.drop_oldest() {
                    queue.lose(LossReason::Overwritten);
                }
                match queue.put(item) {
                    Ok(()) => return Offer::Queued,
                    // Other senders have taken the room meanwhile.
                    Err(back) => item = back,
                }
            },
        }
    }
}

/// A bounded queue as [`WhenFull::offer`] sees it.
pub trait Bounded {
    /// The type of the queued items.
    type Item;

    /// Puts an item.
    ///
    /// # Errors
    /// Gives it back when the queue is full.
    fn put(&mut self, item: Self::Item) -> Result<(), Self::Item>;

    /// Takes the oldest item out and drops it; false when the receiver was faster. Either way there may be room now.
    fn drop_oldest(&mut self) -> bool;

    /// Counts a loss.
    fn lose(&mut self, reason: LossReason);
}

/// The result of an offer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Offer<T> {
    /// The queue has the item.
    Queued,
    /// It is not queued, and counted as lost.
    Lost,
    /// The queue is full and blocks: the sender keeps the item and waits.
    MustWait(T),
    /// The queue is full and its policy is `fail`. The item is counted as lost.
    Failed,
}

/// The options of a bounded queue: an edge of a graph or an input of an agent.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EdgeOptions {
    /// The policy when it is full.
    pub when_full: WhenFull,
    /// Most frames that wait in it.
    pub queue: usize,
    /// Passes one frame in `every`; 1 passes all.
    pub every: u64,
    /// Passes at most this many frames a second; `None` passes all.
    pub max_rate_hz: Option<f64>,
    /// Passes at most this many bytes a second; `None` passes all. Messages of agents have no size.
    pub max_bytes_per_s: Option<f64>,
}

impl Default for EdgeOptions {
    /// 20 frames, `drop_newest`, no decimation.
    fn default() -> EdgeOptions {
        EdgeOptions {
            when_full: WhenFull::default(),
            queue: 20,
            every: 1,
            max_rate_hz: None,
            max_bytes_per_s: None,
        }
    }
}

impl EdgeOptions {
    /// Most items that wait: one with [`WhenFull::Latest`], else `queue`, and at least one.
    pub fn capacity(&self) -> usize {
        if self.when_full == WhenFull::Latest { 1 } else { self.queue.max(1) }
    }
}

/// Decides when a receiver checks for senders that wait for room, so that it need not do so after every item.
///
/// A sender waits only when the queue is full. While a full queue empties, the number of items that have left
/// passes a multiple of half the capacity, rounded down to a power of two. A receiver that checks at these
/// multiples, after a sequentially consistent fence that pairs with the waiting sender's fence, misses no
/// sender.
#[derive(Clone, Copy, Debug)]
pub struct RoomMark {
    mask: u64,
}

impl RoomMark {
    /// For a queue of this capacity.
    pub fn new(capacity: usize) -> RoomMark {
        // Half of the queue: a waiting sender finds room before the queue runs empty.
        let half = (capacity as u64 / 2).max(1);
        // A power of two makes the check one operation.
        RoomMark { mask: (1 << half.ilog2()) - 1 }
    }

    /// True when the receiver must check for waiting senders, after `left` items have left the queue.
    #[inline]
    pub fn is_at(self, left: u64) -> bool {
        left & self.mask == 0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    #[derive(Default)]
    struct Two {
        items: VecDeque<u32>,
        lost: Vec<LossReason>,
    }

    impl Bounded for Two {
        type Item = u32;

        fn put(&mut self, item: u32) -> Result<(), u32> {
            if self.items.len() == 2 {
                return Err(item);
            }
            self.items.push_back(item);
            Ok(())
        }

        fn drop_oldest(&mut self) -> bool {
            self.items.pop_front().is_some()
        }

        fn lose(&mut self, reason: LossReason) {
            self.lost.push(reason);
        }
    }

    #[test]
    fn each_policy_does_its_own_with_a_full_queue() {
        let after = |policy: WhenFull| {
            let mut queue = Two::default();
            let offers: Vec<_> = (1..=3).map(|item| policy.offer(&mut queue, item)).collect();
            (offers[2], queue.items, queue.lost)
        };
        let old = VecDeque::from([1, 2]);
        assert_eq!(after(WhenFull::Block), (Offer::MustWait(3), old.clone(), vec![]));
        assert_eq!(after(WhenFull::DropNewest), (Offer::Lost, old.clone(), vec![LossReason::QueueFull]));
        assert_eq!(after(WhenFull::Fail), (Offer::Failed, old, vec![LossReason::QueueFull]));
        for policy in [WhenFull::DropOldest, WhenFull::Latest] {
            assert_eq!(after(policy), (Offer::Queued, [2, 3].into(), vec![LossReason::Overwritten]));
        }
    }

    #[test]
    fn on_the_way_from_full_to_empty_a_mark_is_passed() {
        for capacity in 1..100 {
            let mark = RoomMark::new(capacity);
            for left in 0..200 {
                assert!(
                    (left + 1..=left + capacity as u64).any(|left| mark.is_at(left)),
                    "{capacity} {left}"
                );
            }
        }
    }
}
