//! Inputs: the bounded queues in front of agents, what happens when one is full, and its accounts.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use super::keyed::Keyed;
use super::local::{HasRing, Local, bit_of};
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
/// Messages from agents of the same strand go through a queue of the strand, without atomics; those from elsewhere
/// through a ring, which the first of them makes. Both are bounded: an input with senders here and there may hold twice
/// what was asked for. Only where senders take older messages out, all go through the ring once there is one.
pub(crate) struct Input<T> {
    pub(crate) strand: Arc<StrandHandle>,
    pub(crate) slot: u32,
    agent: u32,
    pub(crate) options: EdgeOptions,
    /// Some messages are left out whether or not there is room.
    is_thinned: bool,
    /// Those who wait for room look, and are told, when as many messages have left as have none of these bits.
    room_mask: u64,
    /// Messages from the strand's own agents.
    own: Keyed<VecDeque<Item<T>>>,
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
        let half = (options.queue as u64 / 2).max(1);
        Input {
            strand: local.handle.clone(),
            slot: local.new_input(agent),
            agent,
            options,
            is_thinned: options.every > 1 || options.max_rate_hz.is_some(),
            room_mask: (1 << half.ilog2()) - 1,
            own: Keyed::new(&local.key, VecDeque::new()),
            ring: OnceLock::new(),
            entered: AtomicU64::new(0),
            left: AtomicU64::new(0),
            rare: OnceLock::new(),
            closed: AtomicBool::new(false),
            named: AtomicBool::new(false),
        }
    }

    fn ring(&self) -> &Ring<Item<T>> {
        self.ring.get_or_init(|| Box::new(Ring::new(self.options.queue, !self.sender_takes())))
    }

    /// Whoever sends may have to take an older message out.
    fn sender_takes(&self) -> bool {
        matches!(self.options.when_full, WhenFull::DropOldest | WhenFull::Latest)
    }

    fn rare(&self) -> &Rare {
        self.rare.get_or_init(Box::default)
    }

    /// Puts the message where the receiver finds it; gives it back when there is no room.
    #[inline(always)]
    fn put(&self, message: T, stamp_ns: u64, local: Option<&mut Local>) -> Result<(), T> {
        let item = Item { message, stamp_ns };
        let Some(local) = local else { return self.put_from_thread(item) };
        let Some(own) = self.own.open(&mut local.key) else {
            self.ring().put(item).map_err(|item| item.message)?;
            local.touch(self);
            return Ok(());
        };
        match self.ring.get() {
            Some(ring) if self.sender_takes() => ring.put(item).map_err(|item| item.message)?,
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
        if item.stamp_ns == 0 && ring.tail().is_multiple_of(FOREIGN_TIMED_EVERY) {
            item.stamp_ns = self.strand.clock.now_ns();
        }
        ring.put(item).map_err(|item| item.message)?;
        fence(Ordering::SeqCst);
        self.strand.tell(self.bits());
        Ok(())
    }

    /// Takes the oldest message, and says whether it was the only one for sure; only the strand's thread calls it.
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
            local.heat(self);
        }
        if self.options.when_full == WhenFull::Block {
            self.tell_room();
        }
        Some((item, is_last))
    }

    /// Every other message comes from the ring, if there is one: those from elsewhere get their turn.
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

    /// A sender waits only when the queue is full. On the way from full to empty a mark is passed; looking there, behind a
    /// fence that pairs with the one in [`Waiters::add`], misses nobody who waits.
    #[inline]
    fn tell_room(&self) {
        let left = self.left.load(Relaxed) + self.ring.get().map_or(0, |r| r.head());
        if left & self.room_mask == 0 {
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
    #[cold]
    fn passes(&self) -> bool {
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
                let dropped = self.own.open(&mut local.key).and_then(VecDeque::pop_front);
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

impl<T: Send + 'static> HasRing for Input<T> {
    fn has_remote(&self) -> bool {
        self.ring.get().is_some_and(|ring| !ring.is_empty())
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
        if self.is_thinned && !again && !self.passes() {
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
