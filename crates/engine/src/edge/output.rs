//! An output of a node: the edges that leave it, and how a frame goes down all of them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use livetime_frame::Frame;
use livetime_runtime::sync::{Ordering, fence};
use livetime_runtime::{Clock, Control, Doorbell, LossReason, Offer};

use super::{Sender, Target};
use crate::rehearsal::Note;

/// Where emitted frames go.
pub(crate) enum Outputs {
    /// Down the edges, at once.
    Direct(Vec<Output>),
    /// Kept until their turn comes (copies of a node in a pool), or until a test looks at them.
    Held(Vec<(usize, Frame)>),
}

/// Why a frame did not go down all edges.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SendError {
    /// An edge that fails was full.
    Full,
    /// An edge that blocks was full, and only this thread could make room.
    OwnThread,
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SendError::Full => "an edge with policy `fail` is full",
            SendError::OwnThread => {
                "sends several frames at once into a full `block` edge of its own thread; \
                 give one of the two nodes its own thread"
            }
        })
    }
}

/// One output of a node and the edges that leave it.
#[derive(Default)]
pub(crate) struct Output {
    pub(crate) senders: Vec<Sender>,
    /// An edge keeps the trail of its frames, in a rehearsal.
    is_noted: bool,
}

impl Output {
    pub(crate) fn connect(&mut self, sender: Sender) {
        self.is_noted |= sender.edge.notes().is_some();
        self.senders.push(sender);
    }

    /// The frames that are sent next have this place in the order of the data.
    pub(crate) fn go_to(&mut self, place: u64) {
        self.senders.iter_mut().for_each(|sender| sender.place = place);
    }

    /// The frame in the trail of an edge, where edges keep one.
    #[inline(always)]
    fn noted(&self, frame: &Frame) -> Option<Vec<Note>> {
        if self.is_noted { self.notes_of(frame) } else { None }
    }

    #[cold]
    fn notes_of(&self, frame: &Frame) -> Option<Vec<Note>> {
        self.senders.iter().find_map(|sender| sender.edge.notes()).map(|notes| notes.of(frame))
    }

    /// True when a frame can be sent without waiting.
    pub(crate) fn is_ready(&self) -> bool {
        self.senders.iter().all(Sender::is_ready)
    }

    /// True when no receiver would lose a frame, or let the sender wait, because its queue is full.
    pub(crate) fn has_room(&self) -> bool {
        self.senders.iter().all(Sender::has_room)
    }

    /// How many frames can be sent without waiting.
    pub(crate) fn room(&self) -> u64 {
        // An output without edges never lets its node wait.
        self.senders.iter().map(Sender::room).min().unwrap_or(u64::MAX)
    }

    /// Queues first, so that other threads can start; then the nodes that run inside this call.
    pub(crate) fn send(
        &mut self,
        frame: Frame,
        stamp_ns: u64,
        clock: &Clock,
        control: &Control,
        bell: &Arc<Doorbell>,
    ) -> Result<(), SendError> {
        let queues = self.senders.iter().filter(|s| matches!(s.target, Target::Queue)).count();
        match (queues, self.senders.len() - queues) {
            (0, 0) => Ok(()),
            (0, _) => {
                self.hand_over(&frame, stamp_ns, clock);
                Ok(())
            }
            // The last reference goes with the frame: no clone, no atomic operation beyond the split.
            (_, 0) => self.queue(frame, queues, stamp_ns, clock, control, bell),
            _ => {
                let result = self.queue(frame.clone(), queues, stamp_ns, clock, control, bell);
                self.tell();
                self.hand_over(&frame, stamp_ns, clock);
                result
            }
        }
    }

    /// True when all receivers run inside the sender's call.
    pub(crate) fn is_inline(&self) -> bool {
        self.senders.iter().all(|s| matches!(s.target, Target::Inline(_)))
    }

    // Inlined: a hop inside the sender's call costs less than ten calls of functions.
    #[inline(always)]
    pub(crate) fn hand_over(&mut self, frame: &Frame, stamp_ns: u64, clock: &Clock) {
        let noted = self.noted(frame);
        for sender in self.senders.iter_mut().filter(|s| matches!(s.target, Target::Inline(_))) {
            if sender.wants(frame.header().sequence, frame.bytes().len(), stamp_ns, clock) {
                if let Some(noted) = &noted {
                    sender.note(noted);
                }
                sender.hand_over(frame, stamp_ns);
            }
        }
    }

    /// Wakes the receivers of queued frames. Called once after a handler, not once per frame: a handler that sends a
    /// batch wakes once.
    pub(crate) fn tell(&mut self) {
        let mut untold = false;
        for sender in &mut self.senders {
            untold |= sender.publish();
        }
        if untold {
            // One fence for all receivers: it orders the stores of the queues' tails before the reads of the
            // bells.
            fence(Ordering::SeqCst);
            self.senders.iter_mut().for_each(Sender::tell);
        }
    }

    fn queue(
        &mut self,
        frame: Frame,
        queues: usize,
        stamp_ns: u64,
        clock: &Clock,
        control: &Control,
        bell: &Arc<Doorbell>,
    ) -> Result<(), SendError> {
        match self.noted(&frame) {
            None => self.queue_each(frame, queues, stamp_ns, clock, control, bell, |_| {}),
            Some(noted) => {
                self.queue_each(frame, queues, stamp_ns, clock, control, bell, |sender| sender.note(&noted))
            }
        }
    }

    /// One copy of the loop for runs that note frames, so that the others ask no sender for it.
    #[inline(always)]
    fn queue_each(
        &mut self,
        frame: Frame,
        queues: usize,
        stamp_ns: u64,
        clock: &Clock,
        control: &Control,
        bell: &Arc<Doorbell>,
        note: impl Fn(&Sender),
    ) -> Result<(), SendError> {
        let (sequence, bytes) = (frame.header().sequence, frame.bytes().len());
        let mut shares = frame.split(queues);
        let mut result = Ok(());
        for number in 0..self.senders.len() {
            let sender = &mut self.senders[number];
            if !matches!(sender.target, Target::Queue) || !sender.wants(sequence, bytes, stamp_ns, clock) {
                continue;
            }
            note(sender);
            let mut offer = sender.offer(&mut shares, stamp_ns);
            while offer == Offer::MustWait(()) {
                let sender = &mut self.senders[number];
                // A run that is aborted waits for no receiver: it may have ended already.
                if control.is_aborting() {
                    sender.give_up(LossReason::Refused);
                    break;
                }
                if clock.is_simulated() || sender.edge.receiver_bells.iter().any(|b| Arc::ptr_eq(b, bell)) {
                    // Only this thread could make room, and it is here.
                    sender.give_up(LossReason::QueueFull);
                    result = Err(SendError::OwnThread);
                    break;
                }
                // The other receivers need not wait for their frames.
                self.tell();
                wait_for_room(&mut self.senders[number], bell);
                offer = self.senders[number].offer(&mut shares, stamp_ns);
            }
            if offer == Offer::Failed {
                // The frame still goes down the other edges; each edge has its own account.
                result = Err(SendError::Full);
            }
        }
        result
    }

    /// Nothing of this place or an earlier one will come any more.
    pub(crate) fn promise(&mut self, place: u64) {
        let mut untold = false;
        for sender in &mut self.senders {
            untold |= sender.promise(place);
        }
        if untold {
            // As in `tell`: the promise is stored before the bells are read.
            fence(Ordering::SeqCst);
            self.senders.iter_mut().for_each(Sender::tell);
        }
    }

    pub(crate) fn close(&mut self, place: u64) {
        self.senders.iter_mut().for_each(|sender| sender.close(place));
    }
}

fn wait_for_room(sender: &mut Sender, bell: &Doorbell) {
    sender.publish();
    // As in `tell`. The receiver must be awake before this thread sleeps: it alone can make room.
    fence(Ordering::SeqCst);
    sender.edge.tell_frames();
    bell.prepare();
    if sender.edge.has_room() {
        bell.cancel();
    } else {
        // An abort does not ring this bell, so the caller checks for one from time to time.
        bell.wait(Some(Duration::from_millis(20)));
    }
}
