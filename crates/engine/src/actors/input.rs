//! Inputs: the bounded queues in front of agents, what happens when one is full, and its accounts.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use super::local::{Local, bit_of};
use super::queue::Ring;
use super::strand::{Host, OWN_BITS, ROOM, StrandHandle};
use crate::doorbell::Doorbell;
use crate::edge::{EdgeCounts, EdgeOptions, LossReason, WhenFull};
use crate::statistics::add;
use crate::sync::{AtomicBool, Mutex, Ordering, fence, lock};

/// Of the messages of threads that are no agents, one in so many is timed.
const FOREIGN_TIMED_EVERY: u64 = 8;

/// A message on its way.
pub(crate) struct Item<T> {
    pub(crate) message: T,
    /// When it was sent, ns on the system's clock; 0 if its way is not timed.
    pub(crate) stamp_ns: u64,
}

/// The queue of an input for messages from the strand's own agents. It needs no lock: only the strand's thread has it.
pub(crate) type LocalQueue<T> = VecDeque<Item<T>>;

/// Something that messages can be offered to.
pub(crate) trait Sink<T>: Send + Sync {
    /// Queues the message, or counts it as lost; `Ok` says which. Gives it back when there is no room and the sender
    /// has to wait; then it is to be offered `again`. `local` is the sender's strand, if it is an agent.
    fn offer(&self, message: T, stamp_ns: u64, again: bool, local: Option<&mut Local>) -> Result<bool, T>;

    /// True when a message offered now would be queued.
    fn has_room(&self) -> bool;

    /// A message that had to wait is given up.
    fn give_up(&self, reason: LossReason);

    /// Asks to be told when there is room. Returns false when there is room already.
    fn wait_for_room(&self, waiter: Waiter) -> bool;

    /// True when nothing will ever be taken from it again.
    fn is_closed(&self) -> bool;

    /// True when another thread takes, so that waiting for room makes sense.
    fn may_wait(&self) -> bool;
}

/// Somebody who waits for room.
pub(crate) enum Waiter {
    Strand(Arc<StrandHandle>),
    Thread(Arc<Doorbell>),
}

/// Those who wait for room.
#[derive(Default)]
pub(crate) struct Waiters {
    any: AtomicBool,
    list: Mutex<Vec<Waiter>>,
}

impl Waiters {
    /// Then the caller looks for room once more.
    pub(crate) fn add(&self, waiter: Waiter) {
        lock(&self.list).push(waiter);
        self.any.store(true, Relaxed);
        fence(Ordering::SeqCst);
    }

    /// There is room; the caller put a fence behind making it.
    pub(crate) fn tell(&self) {
        if !self.any.load(Relaxed) {
            return;
        }
        let waiters = {
            let mut list = lock(&self.list);
            self.any.store(false, Relaxed);
            std::mem::take(&mut *list)
        };
        for waiter in waiters {
            match waiter {
                Waiter::Strand(strand) => strand.tell(ROOM),
                Waiter::Thread(bell) => bell.ring(),
            }
        }
    }
}

/// One subscription of one agent, or its address: a bounded queue.
///
/// As long as only agents of the same strand send, messages go through a queue of the strand, without atomics. The
/// first message from elsewhere makes a ring, and from then on all messages go through it.
pub(crate) struct Input<T> {
    pub(crate) strand: Arc<StrandHandle>,
    pub(crate) slot: u32,
    agent: u32,
    pub(crate) options: EdgeOptions,
    ring: OnceLock<Box<Ring<Item<T>>>>,
    /// Messages that entered and left the strand's queue; written by the strand's thread.
    entered: AtomicU64,
    left: AtomicU64,
    rare: OnceLock<Box<Rare>>,
    closed: AtomicBool,
    /// The input was named to its strand since that looked last; for inputs without a bit of their own.
    named: AtomicBool,
}

/// What most inputs never need.
#[derive(Default)]
struct Rare {
    losses: [AtomicU64; LossReason::ON_EDGES.len()],
    waiters: Waiters,
    offered: AtomicU64,
    next_allowed_ns: AtomicU64,
}

impl<T: Send + 'static> Input<T> {
    /// An input of agent number `agent`, with its queue in the strand.
    pub(crate) fn new(local: &mut Local, agent: u32, mut options: EdgeOptions) -> Input<T> {
        options.queue = if options.when_full == WhenFull::Latest { 1 } else { options.queue.max(1) };
        Input {
            strand: local.handle.clone(),
            slot: local.new_queue::<T>(agent),
            agent,
            options,
            ring: OnceLock::new(),
            entered: AtomicU64::new(0),
            left: AtomicU64::new(0),
            rare: OnceLock::new(),
            closed: AtomicBool::new(false),
            named: AtomicBool::new(false),
        }
    }

    fn ring(&self) -> &Ring<Item<T>> {
        self.ring.get_or_init(|| {
            let sender_takes = matches!(self.options.when_full, WhenFull::DropOldest | WhenFull::Latest);
            Box::new(Ring::new(self.options.queue, !sender_takes))
        })
    }

    fn rare(&self) -> &Rare {
        self.rare.get_or_init(Box::default)
    }

    /// Puts the message where the receiver finds it; gives it back when there is no room.
    #[inline]
    fn put(&self, message: T, stamp_ns: u64, local: Option<&mut Local>) -> Result<(), T> {
        let mut item = Item { message, stamp_ns };
        match local {
            Some(local) if Arc::ptr_eq(&local.handle, &self.strand) => {
                match self.ring.get() {
                    None => self.put_local(item, local),
                    Some(ring) => ring.put(item),
                }
                .map_err(|item| item.message)?;
                local.schedule(self.agent);
            }
            Some(local) => {
                self.ring().put(item).map_err(|item| item.message)?;
                local.touch(self);
            }
            None => {
                let ring = self.ring();
                if item.stamp_ns == 0 && ring.tail().is_multiple_of(FOREIGN_TIMED_EVERY) {
                    item.stamp_ns = self.strand.clock.now_ns();
                }
                ring.put(item).map_err(|item| item.message)?;
                fence(Ordering::SeqCst);
                self.strand.tell(self.bits());
            }
        }
        Ok(())
    }

    #[inline]
    fn put_local(&self, item: Item<T>, local: &mut Local) -> Result<(), Item<T>> {
        let Some(queue) = local.queue::<T>(self.slot) else { return Err(item) };
        if queue.len() >= self.options.queue {
            return Err(item);
        }
        queue.push_back(item);
        add(&self.entered, 1);
        Ok(())
    }

    /// Takes the oldest message, and says whether it was the only one for sure; only the strand's thread calls it.
    #[inline]
    pub(crate) fn take(&self, local: &mut Local) -> Option<(Item<T>, bool)> {
        let queue = local.queue::<T>(self.slot)?;
        let taken = match queue.pop_front() {
            Some(item) => {
                let is_last = queue.is_empty() && self.ring.get().is_none();
                add(&self.left, 1);
                (item, is_last)
            }
            None => (self.ring.get()?.take()?, false),
        };
        if self.options.when_full == WhenFull::Block {
            self.tell_room();
        }
        Some(taken)
    }

    /// A sender waits only when the queue is full. From full, taking passes half marks; looking there, behind a fence
    /// that pairs with the one in [`Waiters::add`], misses nobody who waits.
    #[inline]
    fn tell_room(&self) {
        let half = (self.options.queue as u64 / 2).max(1);
        let left = self.left.load(Relaxed) + self.ring.get().map_or(0, |r| r.head());
        if left.is_multiple_of(half) {
            fence(Ordering::SeqCst);
            if let Some(rare) = self.rare.get() {
                rare.waiters.tell();
            }
        }
    }

    /// Bits that tell the strand of this input.
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

    /// The strand's thread is about to look: later messages name the input again.
    #[inline]
    pub(crate) fn looked_at(&self) {
        if self.is_named() && self.named.load(Relaxed) {
            self.named.store(false, Ordering::SeqCst);
            fence(Ordering::SeqCst);
        }
    }

    pub(crate) fn lose(&self, reason: LossReason, count: u64) {
        if let Some(i) = LossReason::ON_EDGES.iter().position(|r| *r == reason) {
            self.rare().losses[i].fetch_add(count, Relaxed);
        }
    }

    /// True when neither decimation nor a rate limit takes the message out.
    #[inline]
    fn passes(&self) -> bool {
        if self.options.every <= 1 && self.options.max_rate_hz.is_none() {
            return true;
        }
        self.passes_decimation() && self.passes_limit()
    }

    fn passes_decimation(&self) -> bool {
        if self.options.every <= 1 {
            return true;
        }
        let passes = self.rare().offered.fetch_add(1, Relaxed).is_multiple_of(self.options.every);
        if !passes {
            self.lose(LossReason::Decimated, 1);
        }
        passes
    }

    fn passes_limit(&self) -> bool {
        let Some(rate) = self.options.max_rate_hz.filter(|r| *r > 0.0) else { return true };
        let (now_ns, interval_ns) = (self.strand.clock.now_ns(), (1e9 / rate) as u64);
        // Counting from the last slot and not from now keeps the mean rate at the limit, while a stream that paused
        // gets no burst.
        let next =
            |allowed| (now_ns >= allowed).then(|| (allowed + interval_ns).max(now_ns + interval_ns / 2));
        let passes = self.rare().next_allowed_ns.fetch_update(Relaxed, Relaxed, next).is_ok();
        if !passes {
            self.lose(LossReason::RateLimited, 1);
        }
        passes
    }

    /// The queue is full.
    #[cold]
    fn offer_to_full(&self, message: T, stamp_ns: u64, mut local: Option<&mut Local>) -> Result<bool, T> {
        match self.options.when_full {
            WhenFull::Block => return Err(message),
            WhenFull::DropNewest => self.lose(LossReason::QueueFull, 1),
            WhenFull::Fail => {
                self.lose(LossReason::QueueFull, 1);
                self.strand
                    .control
                    .fail(format!("an input of `{}` with policy `fail` is full", self.strand.name));
            }
            WhenFull::DropOldest | WhenFull::Latest => {
                let mut message = message;
                loop {
                    self.drop_oldest(local.as_deref_mut());
                    match self.put(message, stamp_ns, local.as_deref_mut()) {
                        Ok(()) => return Ok(true),
                        // Other senders were faster.
                        Err(back) => message = back,
                    }
                }
            }
        }
        Ok(false)
    }

    fn drop_oldest(&self, local: Option<&mut Local>) {
        let dropped = match (self.ring.get(), local) {
            (Some(ring), _) => ring.take(),
            (None, Some(local)) => {
                let dropped = local.queue::<T>(self.slot).and_then(VecDeque::pop_front);
                add(&self.left, dropped.is_some() as u64);
                dropped
            }
            (None, None) => None,
        };
        if dropped.is_some() {
            self.lose(LossReason::Overwritten, 1);
        }
    }

    /// The agent has ended: what is queued, and what is still offered, is lost.
    pub(crate) fn close(&self, local: &mut Local) {
        self.closed.store(true, Ordering::SeqCst);
        while self.take(local).is_some() {
            self.lose(LossReason::Aborted, 1);
        }
        local.free_queue(self.slot);
        fence(Ordering::SeqCst);
        if let Some(rare) = self.rare.get() {
            rare.waiters.tell();
        }
    }
}

impl<T> Input<T> {
    /// Counts as they are now. Only messages that entered, messages that left and losses are stored; the rest follows,
    /// so offered = delivered + lost + queued at every reading.
    pub(crate) fn counts(&self) -> EdgeCounts {
        let mut lost = [0; LossReason::ON_EDGES.len()];
        if let Some(rare) = self.rare.get() {
            lost.iter_mut().zip(&rare.losses).for_each(|(out, counter)| *out = counter.load(Relaxed));
        }
        let ring = self.ring.get();
        // What left before what entered: it can only be less.
        let left = self.left.load(Ordering::Acquire) + ring.map_or(0, |r| r.head());
        let entered = self.entered.load(Ordering::Acquire) + ring.map_or(0, |r| r.tail());
        let mut queued = entered.saturating_sub(left);
        let [full, overwritten, aborted, refused, decimated, limited] = lost;
        if self.closed.load(Ordering::Acquire) {
            // What a sender put while the agent was ending.
            lost[2] += queued;
            queued = 0;
        }
        EdgeCounts {
            offered: entered + full + refused + decimated + limited,
            delivered: left.saturating_sub(overwritten + aborted),
            queued,
            lost,
        }
    }
}

impl<T: Send + 'static> Sink<T> for Input<T> {
    #[inline]
    fn offer(
        &self,
        message: T,
        stamp_ns: u64,
        again: bool,
        mut local: Option<&mut Local>,
    ) -> Result<bool, T> {
        if self.closed.load(Relaxed) {
            self.lose(LossReason::Refused, 1);
            return Ok(false);
        }
        if !again && !self.passes() {
            return Ok(false);
        }
        match self.put(message, stamp_ns, local.as_deref_mut()) {
            Ok(()) => Ok(true),
            Err(message) => self.offer_to_full(message, stamp_ns, local),
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
        !self.has_room() && !self.closed.load(Ordering::SeqCst)
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Relaxed)
    }

    fn may_wait(&self) -> bool {
        !matches!(self.strand.host, Host::Simulated { .. })
    }
}
