//! The sending end of an edge.

use std::sync::Arc;

use livetime_frame::{Frame, Shares};

use super::{Edge, LossReason, WhenFull};
use crate::clock::Clock;
use crate::runner::Runner;
use crate::sync::Ordering;

/// Frames that a handler queues before the receiver sees them; what is left is seen when the handler returns.
const BATCH: u64 = 16;

/// Where an edge leads.
pub(crate) enum Target {
    /// Into the queue.
    Queue,
    /// To a node that runs on the sender's thread, inside the call.
    Inline(Box<Runner>),
}

/// The sending end: owned by the thread that runs the sending node, on lines of its own.
#[repr(align(128))]
pub(crate) struct Sender {
    pub(crate) edge: Arc<Edge>,
    pub(crate) target: Target,
    /// Frames below this position are in the queue; those below `published` are seen there.
    tail: u64,
    published: u64,
    /// `head` as seen last: room can only be more than it tells.
    known_head: u64,
    until_next: u64,
    next_allowed_ns: u64,
    interval_ns: u64,
    /// Whether the receiver runs on another thread, and may sleep.
    crosses_threads: bool,
    /// Frames were published since the receiver was told.
    untold: bool,
}

/// What came of an offer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Offer {
    /// The queue has it.
    Queued,
    /// It is not queued, and the ledger says why.
    Lost,
    /// The queue is full, and the edge is one that blocks.
    MustWait,
    /// The queue is full, and the edge is one that fails.
    Failed,
}

impl Sender {
    pub(crate) fn new(edge: Arc<Edge>, target: Target) -> Sender {
        let rate = edge.options.max_rate_hz.unwrap_or(0.0);
        let interval_ns = if rate > 0.0 { (1e9 / rate) as u64 } else { 0 };
        Sender {
            tail: edge.ring.tail(),
            published: edge.ring.tail(),
            known_head: edge.ring.head(),
            crosses_threads: edge.crosses_threads(),
            untold: false,
            edge,
            target,
            until_next: 1,
            next_allowed_ns: 0,
            interval_ns,
        }
    }

    /// True when a frame may be offered without having to wait.
    pub(crate) fn is_ready(&self) -> bool {
        self.edge.options.when_full != WhenFull::Block
            || matches!(self.target, Target::Inline(_))
            || !self.edge.enabled.load(Ordering::Relaxed)
            || self.edge.has_room()
    }

    /// How many frames may be offered without having to wait.
    pub(crate) fn room(&self) -> u64 {
        if self.edge.options.when_full != WhenFull::Block || matches!(self.target, Target::Inline(_)) {
            return u64::MAX;
        }
        self.edge.capacity().saturating_sub(self.edge.queued())
    }

    /// True when the frame is to be offered at all: the edge is enabled, and neither decimation nor a rate
    /// limit takes the frame out.
    ///
    /// `stamp_ns` is 0 for frames whose way is not timed; then only a rate limit looks at the clock.
    pub(crate) fn wants(&mut self, stamp_ns: u64, clock: &Clock) -> bool {
        self.edge.enabled.load(Ordering::Relaxed)
            && self.passes_decimation()
            && (self.interval_ns == 0
                || self.passes_limit(if stamp_ns == 0 { clock.now_ns() } else { stamp_ns }))
    }

    fn passes_decimation(&mut self) -> bool {
        let every = self.edge.options.every;
        if every <= 1 {
            return true;
        }
        self.until_next -= 1;
        if self.until_next > 0 {
            self.edge.lose(LossReason::Decimated, 1);
            return false;
        }
        self.until_next = every;
        true
    }

    fn passes_limit(&mut self, now_ns: u64) -> bool {
        if now_ns < self.next_allowed_ns {
            self.edge.lose(LossReason::RateLimited, 1);
            return false;
        }
        // Counting from the last slot and not from now keeps the mean rate at the limit, while a
        // stream that paused gets no burst.
        self.next_allowed_ns = (self.next_allowed_ns + self.interval_ns).max(now_ns + self.interval_ns / 2);
        true
    }

    /// Offers one of the references in `shares` to the queue, and takes it from there only if it has room.
    pub(crate) fn offer(&mut self, shares: &mut Shares, stamp_ns: u64) -> Offer {
        if self.edge.is_abandoned() {
            self.edge.lose(LossReason::Refused, 1);
            return Offer::Lost;
        }
        if self.is_full() {
            match self.edge.options.when_full {
                WhenFull::Block => return Offer::MustWait,
                WhenFull::Fail => {
                    self.edge.lose(LossReason::QueueFull, 1);
                    return Offer::Failed;
                }
                WhenFull::DropNewest => {
                    self.edge.lose(LossReason::QueueFull, 1);
                    return Offer::Lost;
                }
                WhenFull::DropOldest | WhenFull::Latest => self.drop_oldest(),
            }
        }
        if let Some(frame) = shares.take() {
            self.edge.ring.fill(self.tail, frame, stamp_ns);
            self.tail += 1;
            if self.tail - self.published >= BATCH {
                self.publish();
            }
        }
        Offer::Queued
    }

    /// Makes what was queued visible to the receiver; true when it may sleep and has to be told.
    #[inline]
    pub(crate) fn publish(&mut self) -> bool {
        if self.tail != self.published {
            self.edge.ring.publish(self.tail);
            self.published = self.tail;
            self.untold = self.crosses_threads;
        }
        self.untold
    }

    /// Wakes the receiver if it sleeps, behind a fence of the caller's.
    pub(crate) fn tell(&mut self) {
        if std::mem::take(&mut self.untold) {
            self.edge.tell_frames();
        }
    }

    fn is_full(&mut self) -> bool {
        if self.tail - self.known_head < self.edge.capacity() {
            return false;
        }
        self.known_head = self.edge.ring.head();
        self.tail - self.known_head >= self.edge.capacity()
    }

    fn drop_oldest(&mut self) {
        self.publish();
        let mut known_tail = self.tail;
        if self.edge.ring.take(&mut known_tail).is_some() {
            self.edge.lose(LossReason::Overwritten, 1);
        }
        // Else the receiver took it meanwhile: either way there is room now.
        self.known_head = self.edge.ring.head();
    }

    /// The frame that must wait is given up: the run is aborted, or nobody could make room.
    pub(crate) fn give_up(&mut self, reason: LossReason) {
        self.edge.lose(reason, 1);
    }

    /// Hands a frame to the node at the other end, now. The node's own error policy deals with failures.
    pub(crate) fn hand_over(&mut self, frame: &Frame, stamp_ns: u64) {
        if let Target::Inline(runner) = &mut self.target {
            let passed = &self.edge.inline;
            passed.store(passed.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
            runner.receive_inline(frame, stamp_ns);
        }
    }

    /// After the last frame.
    pub(crate) fn close(&mut self) {
        self.publish();
        self.edge.close();
        if let Target::Inline(runner) = &mut self.target {
            runner.finish_inline();
        }
        self.edge.receiver_bells.iter().for_each(|bell| bell.ring());
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        self.publish();
    }
}
