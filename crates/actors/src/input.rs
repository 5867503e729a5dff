//! Inputs: the bounded queues in front of agents, their policies when full, and their accounts.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use livetime_runtime::ring::Ring;
use livetime_runtime::sampling::FAST_TIMED_EVERY;
use livetime_runtime::statistics::add;
use livetime_runtime::sync::{AtomicBool, Ordering, fence};
use livetime_runtime::{
    Bounded, EdgeCounts, EdgeOptions, LossReason, Losses, Offer, RoomMark, Thinning, WhenFull,
};

use super::account::Counted;
use super::keyed::Keyed;
use super::local::{HasRing, Local, bit_of};
use super::sink::{Sink, Waiter, Waiters};
use super::strand::{Host, OWN_BITS, StrandHandle};

/// A message on its way.
pub(crate) struct Item<T> {
    pub(crate) message: T,
    /// When it was sent, ns on the system's clock; 0 if its way is not timed.
    pub(crate) stamp_ns: u64,
}

/// One subscription of one agent, or its address: a bounded queue.
///
/// Messages from agents of the same strand go through a queue of the strand, without atomics; messages from
/// other strands go through a ring, which the first of them creates. Both are bounded, so an input with
/// senders of both kinds may hold twice its bound. Only with policies that remove older messages do all
/// messages go through the ring once it exists.
pub(crate) struct Input<T> {
    pub(crate) strand: Arc<StrandHandle>,
    pub(crate) slot: u32,
    agent: u32,
    pub(crate) options: EdgeOptions,
    /// Some messages are left out whether or not there is room.
    is_thinned: bool,
    /// When waiting senders are notified.
    room_mark: RoomMark,
    /// Messages from the strand's own agents.
    own: Keyed<VecDeque<Item<T>>>,
    ring: OnceLock<Box<Ring<Item<T>>>>,
    /// Messages that entered and left the strand's queue; written by the strand's thread.
    entered: AtomicU64,
    left: AtomicU64,
    rare: OnceLock<Box<Rare>>,
    closed: AtomicBool,
    /// The input was announced to its strand since the strand checked last; for inputs without a bit of their
    /// own.
    named: AtomicBool,
}

/// Parts that most inputs never need.
struct Rare {
    losses: Losses,
    waiters: Waiters,
    thinning: Thinning,
}

impl<T: Send + 'static> Input<T> {
    /// An input of agent number `agent`, with its queue in the strand.
    pub(crate) fn new(local: &mut Local, agent: u32, mut options: EdgeOptions) -> Input<T> {
        options.queue = options.capacity();
        Input {
            strand: local.handle.clone(),
            slot: local.new_input(agent),
            agent,
            options,
            is_thinned: Thinning::new(&options).is_needed(),
            room_mark: RoomMark::new(options.queue),
            own: Keyed::new(&local.key, VecDeque::new()),
            ring: OnceLock::new(),
            entered: AtomicU64::new(0),
            left: AtomicU64::new(0),
            rare: OnceLock::new(),
            closed: AtomicBool::new(false),
            named: AtomicBool::new(false),
        }
    }

    #[allow(unsafe_code, reason = "promises that one thread takes")]
    fn ring(&self) -> &Ring<Item<T>> {
        self.ring.get_or_init(|| {
            let exclusive = !self.options.when_full.takes_oldest();
            // SAFETY: only a thread that opened `own` takes, and only the thread of the strand can open it; where senders take too, the
            // ring is not exclusive.
            Box::new(unsafe { Ring::new(self.options.queue, exclusive) })
        })
    }

    fn rare(&self) -> &Rare {
        self.rare.get_or_init(|| {
            let (losses, waiters) = (Losses::default(), Waiters::default());
            Box::new(Rare { losses, waiters, thinning: Thinning::new(&self.options) })
        })
    }

    /// Puts the message into the queue or the ring; returns it when there is no room.
    #[inline(always)]
    fn put(&self, message: T, stamp_ns: u64, local: Option<&mut Local>) -> Result<(), T> {
        let item = Item { message, stamp_ns };
        let Some(local) = local else { return self.put_from_thread(item) };
        let Some(own) = self.own.open(&mut local.key) else {
            self.ring().put(item).map_err(|item| item.message)?;
            local.touch(&self.strand, self.bits());
            return Ok(());
        };
        match self.ring.get() {
            // A policy that drops the oldest message needs one order of all: the ring has it.
            Some(ring) if self.options.when_full.takes_oldest() => {
                ring.put(item).map_err(|item| item.message)?
            }
            _ if own.len() < self.options.queue => {
                own.push_back(item);
                add(&self.entered, 1);
            }
            _ => return Err(item.message),
        }
        local.schedule(self.agent);
        Ok(())
    }

    /// As [`put`](Input::put), for a thread that is no agent.
    fn put_from_thread(&self, mut item: Item<T>) -> Result<(), T> {
        let ring = self.ring();
        if item.stamp_ns == 0 && ring.tail().is_multiple_of(u64::from(FAST_TIMED_EVERY)) {
            item.stamp_ns = self.strand.clock.now_ns();
        }
        ring.put(item).map_err(|item| item.message)?;
        // The message is visible before its announcement: see `StrandHandle::tell`.
        fence(Ordering::SeqCst);
        self.strand.tell(self.bits());
        Ok(())
    }

    /// Takes the oldest message, and returns whether it was certainly the only one; only the strand's thread
    /// calls this.
    #[inline(always)]
    pub(crate) fn take(self: &Arc<Input<T>>, local: &mut Local) -> Option<(Item<T>, bool)> {
        let own = self.own.open(&mut local.key)?;
        let (item, is_remote) = match self.take_from_ring_first() {
            Some(item) => (item, true),
            None => match own.pop_front() {
                Some(item) => {
                    add(&self.left, 1);
                    (item, false)
                }
                None => (self.ring.get()?.take()?, true),
            },
        };
        let is_last = own.is_empty() && self.ring.get().is_none_or(|ring| ring.is_empty());
        if is_remote {
            local.heat(self.slot, self);
        }
        if self.options.when_full == WhenFull::Block {
            self.tell_room();
        }
        Some((item, is_last))
    }

    /// Takes every other message from the ring, if there is one, so that neither the strand's own messages
    /// nor others starve.
    #[inline(always)]
    fn take_from_ring_first(&self) -> Option<Item<T>> {
        let ring = self.ring.get()?;
        let taken = self.left.load(Relaxed) + ring.head();
        if taken.is_multiple_of(2) { ring.take() } else { None }
    }

    /// True when a message waits; only the strand's thread calls it.
    pub(crate) fn has_message(&self, local: &mut Local) -> bool {
        let has_own = self.own.open(&mut local.key).is_some_and(|own| !own.is_empty());
        has_own || self.ring.get().is_some_and(|ring| !ring.is_empty())
    }

    /// Notifies waiting senders when a mark of [`RoomMark`] is reached. The fence pairs with the one in
    /// [`Waiters::add`].
    #[inline]
    fn tell_room(&self) {
        let left = self.left.load(Relaxed) + self.ring.get().map_or(0, |r| r.head());
        if self.room_mark.is_at(left) {
            fence(Ordering::SeqCst);
            if let Some(rare) = self.rare.get() {
                rare.waiters.tell();
            }
        }
    }

    /// The bits that announce this input to the strand.
    pub(crate) fn bits(&self) -> u64 {
        if self.is_named() && !self.named.swap(true, Ordering::SeqCst) {
            self.strand.name_input(self.slot);
        }
        bit_of(self.slot)
    }

    /// True when the input has no bit of its own.
    pub(crate) fn is_named(&self) -> bool {
        self.slot >= OWN_BITS
    }

    /// The strand's thread is about to check the input: later messages announce it again.
    #[inline]
    pub(crate) fn looked_at(&self) {
        if self.is_named() && self.named.load(Relaxed) {
            self.named.store(false, Ordering::SeqCst);
            // The mark is cleared before the queue is read: a message that comes later announces itself, an earlier one is
            // seen by the check.
            fence(Ordering::SeqCst);
        }
    }

    pub(crate) fn lose(&self, reason: LossReason, count: u64) {
        self.rare().losses.add(reason, count);
    }

    /// True when neither decimation nor a rate limit takes the message out.
    #[cold]
    fn passes(&self) -> bool {
        let checked = self.rare().thinning.check_shared(|| self.strand.clock.now_ns());
        checked.map_err(|reason| self.lose(reason, 1)).is_ok()
    }

    /// The queue is full, and its policy is `fail`.
    #[cold]
    fn fail(&self) {
        let message = format!("an input of `{}` with policy `fail` is full", self.strand.name);
        self.strand.control.fail(message);
    }

    fn drop_oldest(&self, local: Option<&mut Local>) -> bool {
        let dropped = match (self.ring.get(), local) {
            (Some(ring), _) => ring.take(),
            (None, Some(local)) => {
                let dropped = self.own.open(&mut local.key).and_then(VecDeque::pop_front);
                add(&self.left, dropped.is_some() as u64);
                dropped
            }
            (None, None) => None,
        };
        dropped.is_some()
    }

    /// The agent has ended: queued messages, and messages offered from now on, are lost.
    pub(crate) fn close(self: &Arc<Input<T>>, local: &mut Local) {
        self.closed.store(true, Ordering::SeqCst);
        while self.take(local).is_some() {
            self.lose(LossReason::Aborted, 1);
        }
        local.free_input(self.slot);
        fence(Ordering::SeqCst);
        if let Some(rare) = self.rare.get() {
            rare.waiters.tell();
        }
    }
}

impl<T> Input<T> {
    /// The current counts. Only messages that entered, messages that left and losses are stored; the rest is
    /// derived, so offered = delivered + lost + queued holds at every reading.
    pub(crate) fn counts(&self) -> EdgeCounts {
        let lost = self.rare.get().map_or_else(Default::default, |rare| rare.losses.read());
        let ring = self.ring.get();
        // Messages that left are read before messages that entered, so the former can only be fewer.
        let left = self.left.load(Ordering::Acquire) + ring.map_or(0, |r| r.head());
        let entered = self.entered.load(Ordering::Acquire) + ring.map_or(0, |r| r.tail());
        let mut counts = EdgeCounts::derive(entered, left, 0, lost);
        if self.closed.load(Ordering::Acquire) {
            // Messages that senders put while the agent was ending.
            counts.abort_queued();
        }
        counts
    }
}

/// A message on its way into the queue, from the strand `local` if its sender is an agent.
struct Putting<'a, 'l, T> {
    input: &'a Input<T>,
    stamp_ns: u64,
    local: Option<&'l mut Local>,
}

impl<T: Send + 'static> Bounded for Putting<'_, '_, T> {
    type Item = T;

    #[inline(always)]
    fn put(&mut self, message: T) -> Result<(), T> {
        self.input.put(message, self.stamp_ns, self.local.as_deref_mut())
    }

    fn drop_oldest(&mut self) -> bool {
        self.input.drop_oldest(self.local.as_deref_mut())
    }

    fn lose(&mut self, reason: LossReason) {
        self.input.lose(reason, 1);
    }
}

impl<T: Send + 'static> HasRing for Input<T> {
    fn has_remote(&self) -> bool {
        self.ring.get().is_some_and(|ring| !ring.is_empty())
    }
}

impl<T: Send + 'static> Sink<T> for Input<T> {
    #[inline]
    fn offer(&self, message: T, stamp_ns: u64, again: bool, local: Option<&mut Local>) -> Result<bool, T> {
        if self.closed.load(Relaxed) {
            self.lose(LossReason::Refused, 1);
            return Ok(false);
        }
        if self.is_thinned && !again && !self.passes() {
            return Ok(false);
        }
        match self.options.when_full.offer(&mut Putting { input: self, stamp_ns, local }, message) {
            Offer::Queued => Ok(true),
            Offer::Lost => Ok(false),
            Offer::MustWait(message) => Err(message),
            Offer::Failed => {
                self.fail();
                Ok(false)
            }
        }
    }

    fn has_room(&self) -> bool {
        !self.closed.load(Relaxed) && self.counts().queued < self.options.queue as u64
    }

    fn give_up(&self, reason: LossReason) {
        self.lose(reason, 1);
    }

    fn wait_for_room(&self, waiter: Waiter) -> bool {
        self.rare().waiters.add(waiter);
        // Checked after the waiter is registered: room may have come in between.
        !self.has_room() && !self.closed.load(Ordering::SeqCst)
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Relaxed)
    }

    fn may_wait(&self) -> bool {
        !matches!(self.strand.host, Host::Simulated { .. })
    }
}

impl<T: Send + 'static> Counted for Input<T> {
    fn counts(&self) -> EdgeCounts {
        Input::counts(self)
    }

    fn options(&self) -> EdgeOptions {
        self.options
    }
}
