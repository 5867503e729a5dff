//! The sending end of an edge.

use std::any::Any;
use std::sync::Arc;

use livetime_frame::{Frame, Shares};
use livetime_runtime::sync::Ordering;
use livetime_runtime::{Bounded, Clock, LossReason, Offer, Thinning, WhenFull};

use super::{ABANDONED, Edge, OPEN, UNREAD};
use crate::rehearsal::Note;

/// Frames that a handler queues before they are published to the receiver; the rest is published when the
/// handler returns. A larger batch moves fewer cache lines and lets the receiver wait longer.
const BATCH: u64 = 16;

/// Where an edge leads.
pub(crate) enum Target {
    /// Into the queue.
    Queue,
    /// To a node that runs on the sender's thread, inside the call.
    Inline(Box<dyn InlineNode>),
}

/// The functions of a node that runs inside its sender's call, as the edge uses them.
pub(crate) trait InlineNode: Send {
    /// Handles a frame, now. A failure is handled by the node's own policy: it is none of the sender.
    fn receive(&mut self, frame: &Frame, stamp_ns: u64);
    /// The frame that comes next has this place in the order of the data.
    fn come_to(&mut self, place: u64) {
        let _ = place;
    }
    /// Nothing of this place or an earlier one in the order of the data will come any more.
    fn promise(&mut self, place: u64) {
        let _ = place;
    }
    /// No frame comes any more.
    fn finish(&mut self);
    /// The node, for callers that know its type.
    fn as_any(&mut self) -> &mut dyn Any;
}

/// The sending end: owned by the thread that runs the sending node, on lines of its own.
#[repr(align(128))]
pub(crate) struct Sender {
    pub(crate) edge: Arc<Edge>,
    pub(crate) target: Target,
    /// Frames below this position are in the queue; the receiver sees the frames below `published`.
    tail: u64,
    published: u64,
    /// The `head` that was read last. The actual room can only be larger.
    known_head: u64,
    thinning: Thinning,
    /// The place of the next frame in the order of the data; 0 in a run without this order.
    pub(crate) place: u64,
    /// Whether the receiver runs on another thread, and may sleep.
    crosses_threads: bool,
    /// Frames were published since the receiver was notified.
    untold: bool,
}

impl Sender {
    pub(crate) fn new(edge: Arc<Edge>, target: Target) -> Sender {
        Sender {
            tail: edge.ring.tail(),
            published: edge.ring.tail(),
            known_head: edge.ring.head(),
            crosses_threads: edge.crosses_threads(),
            untold: false,
            thinning: Thinning::new(&edge.options),
            place: 0,
            edge,
            target,
        }
    }

    /// True when a frame may be offered without having to wait.
    pub(crate) fn is_ready(&self) -> bool {
        self.edge.options.when_full != WhenFull::Block
            || matches!(self.target, Target::Inline(_))
            || !self.edge.enabled.load(Ordering::Relaxed)
            || !self.edge.is_fed.load(Ordering::Relaxed)
            || self.edge.has_room_beside(self.tail - self.edge.taken())
    }

    /// True when the queue has room, or there is none.
    pub(crate) fn has_room(&self) -> bool {
        // Frames that this handler has queued and not yet published count, too.
        matches!(self.target, Target::Inline(_)) || self.tail - self.edge.taken() < self.edge.capacity()
    }

    /// How many frames may be offered without having to wait.
    pub(crate) fn room(&self) -> u64 {
        // Only an edge with a queue that blocks lets its sender wait.
        if self.edge.options.when_full != WhenFull::Block || matches!(self.target, Target::Inline(_)) {
            return u64::MAX;
        }
        self.edge.capacity().saturating_sub(self.edge.queued())
    }

    /// True when frame `number` should be offered: the edge is enabled, and neither decimation nor a rate limit
    /// excludes the frame.
    ///
    /// `stamp_ns` is 0 for frames that are not timed; then only a rate limit reads the clock.
    pub(crate) fn wants(&mut self, number: u64, bytes: usize, stamp_ns: u64, clock: &Clock) -> bool {
        let is_wanted = self.edge.enabled.load(Ordering::Relaxed)
            && self.is_fed()
            && (!self.thinning.is_needed() || self.passes_thinning(bytes, stamp_ns, clock));
        if !is_wanted {
            self.edge.left_out.add(number);
        }
        is_wanted
    }

    fn is_fed(&self) -> bool {
        let is_fed = self.edge.is_fed.load(Ordering::Relaxed);
        if !is_fed {
            self.edge.lose(LossReason::Decimated, 1);
        }
        is_fed
    }

    fn passes_thinning(&self, bytes: usize, stamp_ns: u64, clock: &Clock) -> bool {
        let now_ns = || if stamp_ns == 0 { clock.now_ns() } else { stamp_ns };
        // Bytes are charged only for frames that pass the other limits.
        let checked =
            self.thinning.check_alone(now_ns).and_then(|()| self.thinning.check_bytes(bytes, now_ns));
        checked.map_err(|reason| self.edge.lose(reason, 1)).is_ok()
    }

    /// Offers one of the references in `shares` to the queue, and takes it from there only if it has room.
    pub(crate) fn offer(&mut self, shares: &mut Shares, stamp_ns: u64) -> Offer<()> {
        match self.edge.standing() {
            // An edge without its reader may still have room, and the reader may come back.
            OPEN | UNREAD => {}
            ABANDONED => {
                self.edge.lose(LossReason::Refused, 1);
                return Offer::Lost;
            }
            // A closed edge: its account ended when the reader left, so that the frame counts nowhere.
            _ => return Offer::Lost,
        }
        let when_full = self.edge.options.when_full;
        match when_full.offer(&mut Filling { sender: self, shares, stamp_ns }, ()) {
            Offer::MustWait(()) if self.edge.need_not_wait() => self.leave_out(),
            offer => offer,
        }
    }

    /// The queue is full and blocks, and no thread will make room. To a reader that has paused or left, the
    /// frame does not count as offered.
    #[cold]
    fn leave_out(&mut self) -> Offer<()> {
        if self.edge.standing() == UNREAD && self.edge.enabled.load(Ordering::Relaxed) {
            self.edge.lose(LossReason::QueueFull, 1);
        }
        Offer::Lost
    }

    /// Makes queued frames visible to the receiver; true when the receiver may sleep and must be notified.
    #[inline]
    pub(crate) fn publish(&mut self) -> bool {
        if self.tail != self.published {
            self.edge.ring.publish(self.tail);
            self.published = self.tail;
            self.untold = self.crosses_threads;
        }
        self.untold
    }

    /// Wakes the receiver if it sleeps. The caller must have placed a fence before.
    pub(crate) fn tell(&mut self) {
        if std::mem::take(&mut self.untold) {
            self.edge.tell_frames();
        }
    }

    /// Adds a frame to the trail of the edge, in a rehearsal.
    pub(crate) fn note(&self, noted: &[Note]) {
        if let Some(notes) = self.edge.notes() {
            notes.add(noted);
        }
    }

    fn is_full(&mut self) -> bool {
        if self.tail - self.known_head < self.edge.capacity() {
            return false;
        }
        // Only now the cache line of the receiver is read, once per filling of the queue and not once per frame.
        self.known_head = self.edge.ring.head();
        self.tail - self.known_head >= self.edge.capacity()
    }

    /// The waiting frame is lost: the run is aborted, or no thread could make room.
    pub(crate) fn give_up(&mut self, reason: LossReason) {
        self.edge.lose(reason, 1);
    }

    /// The node that runs inside this edge, if there is one.
    pub(crate) fn inline_node(&mut self) -> Option<&mut dyn InlineNode> {
        match &mut self.target {
            Target::Inline(node) => Some(&mut **node),
            Target::Queue => None,
        }
    }

    /// Hands a frame to the node at the other end, now.
    pub(crate) fn hand_over(&mut self, frame: &Frame, stamp_ns: u64) {
        if let Target::Inline(node) = &mut self.target {
            if self.place != 0 {
                node.come_to(self.place);
            }
            // A store and no read-modify-write: only the sender's thread counts here.
            let passed = &self.edge.inline;
            passed.store(passed.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
            node.receive(frame, stamp_ns);
        }
    }

    /// Nothing of this place or an earlier one will come any more: true when a receiver may sleep and must be notified.
    pub(crate) fn promise(&mut self, place: u64) -> bool {
        if let Target::Inline(node) = &mut self.target {
            node.promise(place);
            return false;
        }
        // Frames before the promise: a receiver that sees the promise must also see them.
        self.publish();
        self.untold |= self.edge.promise(place) && self.crosses_threads;
        self.untold
    }

    /// Ends the edge after the last frame. Frames that the receiver still sends have `place` in the order of the data.
    pub(crate) fn close(&mut self, place: u64) {
        // In this order: a receiver that sees the edge closed must see the last frame and the place of the end.
        self.publish();
        self.edge.end_at(place);
        self.edge.close();
        if let Target::Inline(node) = &mut self.target {
            node.finish();
        }
        // Rung whether or not the receiver is seen asleep: a missed close would leave it asleep for ever.
        self.edge.receiver_bells.iter().for_each(|bell| bell.ring());
    }
}

/// A reference on its way into the queue.
struct Filling<'a> {
    sender: &'a mut Sender,
    shares: &'a mut Shares,
    stamp_ns: u64,
}

impl Bounded for Filling<'_> {
    type Item = ();

    #[inline(always)]
    fn put(&mut self, (): ()) -> Result<(), ()> {
        let sender = &mut *self.sender;
        if sender.is_full() {
            return Err(());
        }
        if let Some(frame) = self.shares.take() {
            sender.edge.ring.fill(sender.tail, frame, self.stamp_ns);
            if sender.place != 0 {
                sender.edge.ring.set_place(sender.tail, sender.place);
            }
            sender.tail += 1;
            if sender.tail - sender.published >= BATCH {
                sender.publish();
            }
        }
        Ok(())
    }

    fn drop_oldest(&mut self) -> bool {
        let sender = &mut *self.sender;
        // The oldest frame may be one that is not published yet.
        sender.publish();
        let mut known_tail = sender.tail;
        let is_dropped = sender.edge.ring.take(&mut known_tail).is_some();
        sender.known_head = sender.edge.ring.head();
        is_dropped
    }

    fn lose(&mut self, reason: LossReason) {
        self.sender.edge.lose(reason, 1);
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        self.publish();
    }
}
