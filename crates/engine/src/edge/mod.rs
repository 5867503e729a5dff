//! Edges: bounded queues from an output to an input, what happens when one is full, and its accounts.

#[cfg(all(test, loom))]
mod models;
#[allow(unsafe_code, reason = "the queue: hands frames over as plain pointers")]
mod ring;
mod sender;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crossbeam_utils::CachePadded;

pub(crate) use ring::Taken;
pub(crate) use sender::{Offer, Sender, Target};

use crate::doorbell::Doorbell;
use crate::statistics::{Histogram, Times, summarise};
use crate::sync::{AtomicU64, Ordering, fence};
use ring::Ring;

/// What happens to a frame that is offered to a full edge.
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
        WhenFull::ALL.iter().find(|(w, _)| *w == self).map_or("", |(_, name)| name)
    }
}

/// Why a frame was not delivered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum LossReason {
    /// The edge was full and keeps what it has.
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
    /// The node's handler returned an error for this frame.
    NodeError,
    /// The node's handler panicked on this frame.
    NodePanic,
    /// The frame pool had no memory for it.
    PoolExhausted,
    /// The source's own numbers show that it never sent this frame.
    SourceGap,
    /// No handler of an agent took it in the agent's state.
    Ignored,
}

impl LossReason {
    /// The reasons an edge counts.
    pub(crate) const ON_EDGES: [LossReason; 6] = [
        LossReason::QueueFull,
        LossReason::Overwritten,
        LossReason::Aborted,
        LossReason::Refused,
        LossReason::Decimated,
        LossReason::RateLimited,
    ];

    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            LossReason::QueueFull => "queue_full",
            LossReason::Overwritten => "overwritten",
            LossReason::Aborted => "aborted",
            LossReason::Refused => "refused",
            LossReason::Decimated => "decimated",
            LossReason::RateLimited => "rate_limited",
            LossReason::NodeError => "node_error",
            LossReason::NodePanic => "node_panic",
            LossReason::PoolExhausted => "pool_exhausted",
            LossReason::SourceGap => "source_gap",
            LossReason::Ignored => "ignored",
        }
    }

    /// True for losses that the pipeline asked for: decimation, rate limits, and `latest` edges are told
    /// apart by the edge, see [`EdgeAccount`](crate::EdgeAccount).
    pub fn is_intended(self) -> bool {
        matches!(self, LossReason::Decimated | LossReason::RateLimited)
    }
}

impl fmt::Display for LossReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How an edge carries frames.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EdgeOptions {
    /// What happens when it is full.
    pub when_full: WhenFull,
    /// Most frames that wait in it.
    pub queue: usize,
    /// Passes one frame in `every`; 1 passes all.
    pub every: u64,
    /// Passes at most this many frames a second; `None` passes all.
    pub max_rate_hz: Option<f64>,
}

impl Default for EdgeOptions {
    /// 20 frames, `drop_newest`, no decimation.
    fn default() -> EdgeOptions {
        EdgeOptions { when_full: WhenFull::default(), queue: 20, every: 1, max_rate_hz: None }
    }
}

/// What both ends of an edge, and everybody who reads its accounts, share.
///
/// The accounts hold no number twice: frames that entered, frames that left, and losses before and behind
/// the queue. Offered, delivered and queued follow from them, so that offered = delivered + lost + queued at
/// every reading, by construction.
pub(crate) struct Edge {
    pub(crate) from: (usize, usize),
    pub(crate) to: (usize, usize),
    pub(crate) options: EdgeOptions,
    ring: Ring,
    /// Frames handed over inline, without the queue.
    inline: AtomicU64,
    losses: [AtomicU64; LossReason::ON_EDGES.len()],
    /// Set by the sender after its last frame.
    closed: AtomicBool,
    detached: AtomicBool,
    /// Cleared to stop offering frames; the queue is still emptied.
    pub(crate) enabled: AtomicBool,
    /// Set by a receiver that ended early.
    abandoned: AtomicBool,
    /// The threads that may run the sending node: more than one for a pool.
    pub(crate) sender_bells: Box<[Arc<Doorbell>]>,
    /// The threads that may run the receiving node.
    pub(crate) receiver_bells: Box<[Arc<Doorbell>]>,
    /// Time in the queue: one for each copy of the receiving node, whose thread writes it.
    waiting: Box<[CachePadded<Histogram>]>,
}

impl Edge {
    pub(crate) fn new(
        from: (usize, usize),
        to: (usize, usize),
        options: EdgeOptions,
        sender_bells: &[Arc<Doorbell>],
        receiver_bells: &[Arc<Doorbell>],
    ) -> Edge {
        let sender_takes = matches!(options.when_full, WhenFull::DropOldest | WhenFull::Latest);
        let exclusive = receiver_bells.len() == 1 && !sender_takes;
        let capacity = if options.when_full == WhenFull::Latest { 1 } else { options.queue.max(1) };
        Edge {
            from,
            to,
            options,
            ring: Ring::new(capacity, exclusive),
            inline: AtomicU64::new(0),
            losses: std::array::from_fn(|_| AtomicU64::new(0)),
            closed: AtomicBool::new(false),
            detached: AtomicBool::new(false),
            enabled: AtomicBool::new(true),
            abandoned: AtomicBool::new(false),
            sender_bells: sender_bells.into(),
            receiver_bells: receiver_bells.into(),
            waiting: receiver_bells.iter().map(|_| CachePadded::default()).collect(),
        }
    }

    pub(crate) fn capacity(&self) -> u64 {
        self.ring.capacity()
    }

    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Taken out of the running graph: the sender has let go of it, the receiver empties and forgets it.
    pub(crate) fn detach(&self) {
        self.detached.store(true, Ordering::Release);
        self.receiver_bells.iter().for_each(|bell| bell.ring());
    }

    pub(crate) fn is_detached(&self) -> bool {
        self.detached.load(Ordering::Acquire)
    }

    /// True while frames can still come.
    pub(crate) fn is_open(&self) -> bool {
        !self.is_closed() && !self.is_detached()
    }

    pub(crate) fn queued(&self) -> u64 {
        // Head first: a tail read later can only be larger.
        let head = self.ring.head();
        self.ring.tail() - head
    }

    /// How many frames have left the queue: the position of the next one.
    pub(crate) fn taken(&self) -> u64 {
        self.ring.head()
    }

    /// True when a frame can be offered without waiting.
    pub(crate) fn has_room(&self) -> bool {
        self.queued() < self.capacity() || self.is_abandoned()
    }

    fn lose(&self, reason: LossReason, count: u64) {
        if let Some(i) = LossReason::ON_EDGES.iter().position(|r| *r == reason) {
            self.losses[i].fetch_add(count, Ordering::Relaxed);
        }
    }

    /// The receiving node has ended before its senders: what they still offer is lost at once.
    pub(crate) fn abandon(&self, known_tail: &mut u64) {
        self.abandoned.store(true, Ordering::Release);
        self.discard(known_tail);
        self.sender_bells.iter().for_each(|bell| bell.ring());
    }

    pub(crate) fn is_abandoned(&self) -> bool {
        self.abandoned.load(Ordering::Acquire)
    }

    /// True when the receiving node runs on another thread than the sending one.
    pub(crate) fn crosses_threads(&self) -> bool {
        let sender = self.sender_bells.first();
        !self.receiver_bells.iter().all(|r| sender.is_some_and(|s| Arc::ptr_eq(s, r)))
    }

    /// Wakes one thread that can take, behind a fence of the caller's.
    pub(crate) fn tell_frames(&self) {
        for bell in &self.receiver_bells {
            if bell.ring_if_seen_parked() {
                break;
            }
        }
    }

    /// Throws away what is queued, with an entry in the ledger.
    pub(crate) fn discard(&self, known_tail: &mut u64) {
        while let Some(_taken) = self.take(known_tail) {
            self.lose(LossReason::Aborted, 1);
        }
    }

    /// Takes the oldest frame, and wakes a sender that waits for room.
    #[inline(always)]
    pub(crate) fn take(&self, known_tail: &mut u64) -> Option<Taken> {
        let taken = self.ring.take(known_tail);
        if self.options.when_full == WhenFull::Block {
            self.tell_room(taken.as_ref().map(|t| t.position));
        }
        taken
    }

    /// A sender parks only when the queue is full. From full, taking passes the half mark and then empty;
    /// looking there, behind a fence that pairs with the one in `Doorbell::prepare`, misses no sleeper.
    fn tell_room(&self, taken: Option<u64>) {
        let half = (self.capacity() / 2).max(1);
        if taken.is_none_or(|position| (position + 1).is_multiple_of(half)) {
            fence(Ordering::SeqCst);
            self.sender_bells.iter().for_each(|bell| _ = bell.ring_if_seen_parked());
        }
    }

    /// Copy number `copy` of the receiving node has taken a frame that was in the queue for so long.
    #[inline]
    pub(crate) fn record_waiting(&self, copy: usize, ns: u64) {
        if let Some(waiting) = self.waiting.get(copy) {
            waiting.record(ns);
        }
    }

    /// How long frames were in the queue.
    pub(crate) fn waiting(&self) -> Times {
        summarise(self.waiting.iter().map(|w| &**w))
    }

    /// Counts as they are now; see [`Edge`] for why they always balance.
    pub(crate) fn counts(&self) -> EdgeCounts {
        let mut lost = [0; LossReason::ON_EDGES.len()];
        for (out, counter) in lost.iter_mut().zip(&self.losses) {
            *out = counter.load(Ordering::Relaxed);
        }
        let inline = self.inline.load(Ordering::Relaxed);
        let head = self.ring.head();
        let tail = self.ring.tail();
        // When `tail` was read, `head` may have moved on since it was read, but was at least this.
        let head = head.max(tail.saturating_sub(self.capacity()));
        let [full, overwritten, aborted, refused, decimated, limited] = lost;
        EdgeCounts {
            offered: tail + inline + full + refused + decimated + limited,
            delivered: (head + inline).saturating_sub(overwritten + aborted),
            queued: tail - head,
            lost,
        }
    }
}

/// Counts of one edge at one moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct EdgeCounts {
    pub(crate) offered: u64,
    pub(crate) delivered: u64,
    pub(crate) queued: u64,
    pub(crate) lost: [u64; LossReason::ON_EDGES.len()],
}
