//! Edges: bounded queues from an output to an input, their policies for a full queue, and their accounts.

mod left_out;
mod output;
mod reader;
mod sender;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8};

use crossbeam_utils::CachePadded;
use livetime_runtime::frame_ring::{FrameRing, Taken};
use livetime_runtime::statistics::{Histogram, Times, summarise};
use livetime_runtime::sync::{AtomicU64, Ordering, fence};
use livetime_runtime::{Doorbell, EdgeCounts, EdgeOptions, LossReason, Losses, RoomMark, WhenFull};

use crate::rehearsal::Notes;
use left_out::LeftOut;
pub(crate) use output::{Output, Outputs};
pub(crate) use reader::{Reader, nanoseconds};
pub(crate) use sender::{InlineNode, Sender, Target};

/// In the place of the receiving node's number: the edge leads out of the graph.
pub(crate) const OUTLET: usize = usize::MAX;

/// The receiver takes frames, or will.
const OPEN: u8 = 0;
/// The receiving node ended early: offered frames are lost at once.
const ABANDONED: u8 = 1;
/// The reader has left. A sender that was about to offer a frame does not: it counts as not offered.
const CLOSED: u8 = 2;
/// The reader did not come when the run was to stop: a full queue blocks no more.
const UNREAD: u8 = 3;

/// The sender's promises to the receiver. They lie apart from the edge, whose lines every frame touches.
#[derive(Default)]
struct Promises {
    /// Nothing of this place or an earlier one will come any more.
    until: AtomicU64,
    /// Set before the edge is closed: the place of the receiver's work behind the last frame.
    end_place: AtomicU64,
}

/// The state that both ends of an edge share with the readers of its accounts.
///
/// The accounts hold no number twice: frames that entered, frames that left, and losses before and after the
/// queue. Offered, delivered and queued are derived from them, so that offered = delivered + lost + queued
/// holds at every reading by construction.
pub(crate) struct Edge {
    pub(crate) from: (usize, usize),
    pub(crate) to: (usize, usize),
    pub(crate) options: EdgeOptions,
    ring: FrameRing,
    /// Frames handed over without the queue: inline, or once more.
    inline: AtomicU64,
    losses: Losses,
    /// Numbers of the frames that the sender left out on purpose.
    pub(crate) left_out: LeftOut,
    /// Decides when the receiver checks for a waiting sender.
    room_mark: RoomMark,
    /// Set by the sender after its last frame.
    closed: AtomicBool,
    detached: AtomicBool,
    /// The sender's promises, where the order of the data matters; see `order.rs`.
    promises: Option<Box<Promises>>,
    /// The trail of its frames, in a rehearsal.
    notes: Option<Box<Notes>>,
    /// Cleared to stop offering frames; the queue is still emptied.
    pub(crate) enabled: AtomicBool,
    /// Whether the sending node offers its frames; while it does not, they count as intended losses.
    pub(crate) is_fed: AtomicBool,
    /// The state of the receiver: [`OPEN`] or another one.
    standing: AtomicU8,
    /// The reader, if the edge leads out of the graph.
    reader: Option<Reader>,
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
        // The copies of a pool take side by side, and under some policies the sender takes the oldest frame.
        let exclusive = receiver_bells.len() == 1 && !options.when_full.takes_oldest();
        let capacity = options.capacity();
        // SAFETY: only the edge's one `Sender` puts, from position to position, after it has seen room. If the ring is
        // exclusive, frames are taken only by the thread of the one receiving node, or by a thread that has seen that
        // thread end.
        #[allow(unsafe_code, reason = "promises who puts and who takes")]
        let ring = unsafe { FrameRing::new(capacity, exclusive) };
        Edge {
            from,
            to,
            options,
            ring,
            inline: AtomicU64::new(0),
            losses: Losses::default(),
            left_out: LeftOut::default(),
            room_mark: RoomMark::new(capacity),
            closed: AtomicBool::new(false),
            detached: AtomicBool::new(false),
            promises: None,
            notes: None,
            enabled: AtomicBool::new(true),
            is_fed: AtomicBool::new(true),
            standing: AtomicU8::new(OPEN),
            reader: None,
            sender_bells: sender_bells.into(),
            receiver_bells: receiver_bells.into(),
            waiting: receiver_bells.iter().map(|_| CachePadded::default()).collect(),
        }
    }

    /// An edge out of the graph, to a thread of the program that `bell` wakes.
    pub(crate) fn to_reader(
        from: (usize, usize),
        options: EdgeOptions,
        sender_bells: &[Arc<Doorbell>],
        bell: &Arc<Doorbell>,
        reader: Reader,
    ) -> Edge {
        let edge = Edge::new(from, (OUTLET, 0), options, sender_bells, std::slice::from_ref(bell));
        Edge { reader: Some(reader), ..edge }
    }

    /// The same edge, whose sender keeps its promises if it is ordered, and that takes notes.
    pub(crate) fn with(self, is_ordered: bool, notes: Option<Notes>) -> Edge {
        Edge { promises: is_ordered.then(Box::default), notes: notes.map(Box::new), ..self }
    }

    /// The same edge, whose queue keeps the places of frames in the order of the data.
    pub(crate) fn with_places(self) -> Edge {
        Edge { ring: self.ring.with_places(), ..self }
    }

    pub(crate) fn reader(&self) -> Option<&Reader> {
        self.reader.as_ref()
    }

    /// The reader has left: the sender offers no more frames, and queued frames are discarded.
    pub(crate) fn close_by_reader(&self, known_tail: &mut u64) {
        // The sender is stopped before the queue is emptied, so that at most the frame that it offers just now enters
        // afterwards. It may wait for room, and would sleep on without the bell.
        self.enabled.store(false, Ordering::Release);
        self.standing.store(CLOSED, Ordering::Release);
        self.discard(known_tail);
        self.ring_sender();
    }

    /// No frame will come any more, although no sender has closed the edge.
    pub(crate) fn end(&self) {
        self.close();
        self.receiver_bells.iter().for_each(|bell| bell.ring());
    }

    /// A sender that waits for room checks again.
    pub(crate) fn ring_sender(&self) {
        self.sender_bells.iter().for_each(|bell| bell.ring());
    }

    pub(crate) fn capacity(&self) -> u64 {
        self.ring.capacity()
    }

    pub(crate) fn close(&self) {
        // Release pairs with the Acquire of `is_closed`: a receiver that sees the close sees all frames.
        self.closed.store(true, Ordering::Release);
    }

    pub(crate) fn end_at(&self, place: u64) {
        if let Some(promises) = &self.promises {
            promises.end_place.store(place, Ordering::Release);
        }
    }

    /// The place of the receiver's work behind the last frame; only for a closed edge.
    pub(crate) fn end_place(&self) -> u64 {
        self.promises.as_ref().map_or(0, |promises| promises.end_place.load(Ordering::Acquire))
    }

    /// Promises that nothing of this place or an earlier one will come any more; whether that is news. Everything sent
    /// before must have been published.
    pub(crate) fn promise(&self, place: u64) -> bool {
        // A promise only grows: an earlier place must not take a later promise back.
        let is_news = |promises: &Promises| promises.until.fetch_max(place, Ordering::AcqRel) < place;
        self.promises.as_deref().is_some_and(is_news)
    }

    pub(crate) fn notes(&self) -> Option<&Notes> {
        self.notes.as_deref()
    }

    /// The place of the oldest frame in the queue. If the queue is empty: as an error, the last place that the sender
    /// has promised to be past. Only the thread that takes may call it.
    pub(crate) fn front(&self) -> Result<u64, u64> {
        // The promise is read before the queue: every frame that was sent before the promise is then visible in the
        // queue.
        let is_open = !self.is_closed() && !self.is_detached();
        let promises = self.promises.as_ref().filter(|_| is_open);
        let promised = promises.map_or(u64::MAX, |promises| promises.until.load(Ordering::Acquire));
        self.ring.places().map(|(oldest, _)| oldest).ok_or(promised)
    }

    /// The queue is full of frames of one place.
    pub(crate) fn is_jammed(&self) -> bool {
        let places = self.ring.places();
        self.queued() >= self.capacity() && places.is_some_and(|(oldest, newest)| oldest == newest)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Taken out of the running graph: the sender has released it; the receiver empties and removes it.
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
        self.has_room_beside(self.queued())
    }

    /// The same where `queued` frames are in the queue, as only its sender knows before it publishes them.
    pub(crate) fn has_room_beside(&self, queued: u64) -> bool {
        queued < self.capacity() || self.standing() != OPEN || self.need_not_wait()
    }

    fn lose(&self, reason: LossReason, count: u64) {
        self.losses.add(reason, count);
    }

    /// The receiving node has ended before its senders: frames that they still offer are lost at once.
    pub(crate) fn abandon(&self, known_tail: &mut u64) {
        // First, as in `close_by_reader`: at most the frame that is offered just now enters afterwards.
        self.standing.store(ABANDONED, Ordering::Release);
        self.discard(known_tail);
        self.ring_sender();
    }

    #[inline]
    fn standing(&self) -> u8 {
        self.standing.load(Ordering::Acquire)
    }

    /// The queue is full and blocks, and no thread can be expected to make room: the reader has paused or left, or a run that shall stop
    /// has waited long enough for it.
    #[cold]
    fn need_not_wait(&self) -> bool {
        // A receiver inside the graph makes room, or abandons the edge.
        let Some(reader) = &self.reader else { return false };
        if reader.is_missing() {
            // Exchanged and not stored: the reader may close the edge at this moment, and CLOSED must stay.
            let _ = self.standing.compare_exchange(OPEN, UNREAD, Ordering::AcqRel, Ordering::Relaxed);
        }
        self.standing() != OPEN || !self.enabled.load(Ordering::Relaxed)
    }

    /// True when the receiving node runs on another thread than the sending one.
    pub(crate) fn crosses_threads(&self) -> bool {
        let sender = self.sender_bells.first();
        !self.receiver_bells.iter().all(|r| sender.is_some_and(|s| Arc::ptr_eq(s, r)))
    }

    /// Wakes one thread that can take. The caller must have placed a fence before.
    pub(crate) fn tell_frames(&self) {
        for bell in &self.receiver_bells {
            if bell.ring_if_seen_parked() {
                break;
            }
        }
    }

    /// Discards queued frames, with an entry in the ledger.
    pub(crate) fn discard(&self, known_tail: &mut u64) {
        let reason = if self.reader.is_some() { LossReason::Closed } else { LossReason::Aborted };
        while let Some(_taken) = self.take(known_tail) {
            self.lose(reason, 1);
        }
    }

    /// The receiver handles a frame that it had already once more: it counts as offered and delivered again. Only for
    /// the thread of the one receiving node.
    pub(crate) fn offer_again(&self) {
        // One thread counts here: the receiver's for a queue, the sender's for an inline node.
        self.inline.store(self.inline.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
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

    /// As [`Edge::take`], with the frame's place in the order of the data.
    pub(crate) fn take_with_place(&self, known_tail: &mut u64) -> Option<(Taken, u64)> {
        let taken = self.ring.take_with_place(known_tail);
        if self.options.when_full == WhenFull::Block {
            self.tell_room(taken.as_ref().map(|(t, _)| t.position));
        }
        taken
    }

    /// Wakes a sender that waits, at the mark and when the queue is empty. The fence pairs with the one in
    /// `Doorbell::prepare`.
    fn tell_room(&self, taken: Option<u64>) {
        if taken.is_none_or(|position| self.room_mark.is_at(position + 1)) {
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

    /// Current counts; see [`Edge`] for why they always balance.
    pub(crate) fn counts(&self) -> EdgeCounts {
        // Losses first: a frame leaves the queue before its loss is counted. The other order could find more
        // losses than frames that have left.
        let lost = self.losses.read();
        let inline = self.inline.load(Ordering::Relaxed);
        let head = self.ring.head();
        let tail = self.ring.tail();
        // When `tail` was read, `head` may have moved on since it was read, but was at least this.
        let head = head.max(tail.saturating_sub(self.capacity()));
        EdgeCounts::derive(tail, head, inline, lost)
    }
}
