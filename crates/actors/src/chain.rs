//! Chains: bounded queues for threads that are no agents.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use livetime_runtime::sync::{Ordering, fence};
use livetime_runtime::{Bounded, EdgeCounts, EdgeOptions, LossReason, Offer, WhenFull, lock};

use super::address::Target;
use super::channel::Channel;
use super::local::Local;
use super::sender::offer_and_wait;
use super::sink::{Sink, Waiter, Waiters};
use super::this_thread::with_bell;

/// A bounded queue between any threads: agents and others send, others receive.
///
/// All clones are the same chain.
///
/// ```
/// use std::time::Duration;
/// use livetime_actors::{Chain, System};
///
/// let system = System::default();
/// let numbers = system.channel::<u32>("numbers")?;
/// let seen = Chain::new(8);
/// seen.subscribe(&numbers);
/// numbers.publish(7);
/// assert_eq!(seen.receive(Duration::from_secs(1)), Some(7));
/// seen.close(true);
/// assert_eq!(seen.receive(Duration::from_secs(1)), None);
/// # Ok::<(), livetime_actors::AgentError>(())
/// ```
pub struct Chain<T>(Arc<ChainCore<T>>);

struct ChainCore<T> {
    when_full: WhenFull,
    state: Mutex<ChainState<T>>,
    /// Threads that wait for messages, and senders that wait for room.
    receivers: Waiters,
    senders: Waiters,
}

struct ChainState<T> {
    capacity: usize,
    queue: VecDeque<T>,
    is_closed: bool,
    counts: EdgeCounts,
}

/// A chain with messages of any type, for [`select`].
pub trait Receiver {
    /// True when a message is queued, or when the chain is closed.
    fn is_ready(&self) -> bool;

    #[doc(hidden)]
    fn wait_for_message(&self, waiter: WaitHandle);
}

/// A thread that waits for a message.
#[doc(hidden)]
pub struct WaitHandle(pub(crate) Waiter);

impl<T> Clone for Chain<T> {
    fn clone(&self) -> Chain<T> {
        Chain(self.0.clone())
    }
}

impl<T: Send + 'static> Chain<T> {
    /// A chain for at most `capacity` messages, whose senders wait when it is full.
    pub fn new(capacity: usize) -> Chain<T> {
        Chain::with(capacity, WhenFull::Block)
    }

    /// A chain for at most `capacity` messages. A chain cannot fail a system: `Fail` loses the new message, and `Latest`
    /// keeps one.
    pub fn with(capacity: usize, when_full: WhenFull) -> Chain<T> {
        let capacity = EdgeOptions { when_full, queue: capacity, ..EdgeOptions::default() }.capacity();
        let state = ChainState {
            capacity,
            // A large bound takes memory only when it is used.
            queue: VecDeque::with_capacity(capacity.min(1024)),
            is_closed: false,
            counts: EdgeCounts::default(),
        };
        Chain(Arc::new(ChainCore {
            when_full,
            state: Mutex::new(state),
            receivers: Waiters::default(),
            senders: Waiters::default(),
        }))
    }

    pub(crate) fn sink(&self) -> Arc<dyn Sink<T>> {
        self.0.clone()
    }

    /// Sends a message, and waits while a chain that blocks is full; true if it was queued.
    pub fn send(&self, message: T) -> bool {
        offer_and_wait(&*self.0, message, 0)
    }

    /// Sends a message if that is possible now.
    ///
    /// # Errors
    /// Gives the message back when a chain that blocks is full.
    pub fn try_send(&self, message: T) -> Result<bool, T> {
        self.0.offer(message, 0, false, None)
    }

    /// Takes the oldest message if there is one.
    pub fn try_receive(&self) -> Option<T> {
        let message = lock(&self.0.state).queue.pop_front()?;
        // Pairs with the fence in `Waiters::add`: a sender that begins to wait sees the room, or is seen here.
        fence(Ordering::SeqCst);
        self.0.senders.tell();
        Some(message)
    }

    /// Takes the oldest message, waiting for at most `limit`; also `None` when the chain is closed and empty.
    pub fn receive(&self, limit: Duration) -> Option<T> {
        select(&[self], limit)?;
        self.try_receive()
    }

    /// Receives the messages that are published on a channel from now on.
    pub fn subscribe(&self, channel: &Channel<T>)
    where
        T: Clone,
    {
        channel.add(self.sink(), None);
    }

    /// Gets nothing more from a channel.
    pub fn unsubscribe(&self, channel: &Channel<T>) {
        channel.remove(&self.sink());
    }

    /// Closes the chain: it accepts no more messages. Queued messages are kept for the receivers, or lost.
    pub fn close(&self, keep: bool) {
        let mut state = lock(&self.0.state);
        state.is_closed = true;
        let lost = if keep { VecDeque::new() } else { std::mem::take(&mut state.queue) };
        state.counts.lose(LossReason::Aborted, lost.len() as u64);
        drop(state);
        // Messages are dropped outside the lock: their destructors belong to the user.
        drop(lost);
        // As in `try_receive`.
        fence(Ordering::SeqCst);
        self.0.receivers.tell();
        self.0.senders.tell();
    }

    /// True when no message comes any more.
    pub fn is_closed(&self) -> bool {
        lock(&self.0.state).is_closed
    }

    /// How many messages wait.
    pub fn len(&self) -> usize {
        lock(&self.0.state).queue.len()
    }

    /// True when no message waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Messages offered, delivered and lost so far.
    pub fn counts(&self) -> ChainCounts {
        let state = lock(&self.0.state);
        let (offered, queued) = (state.counts.offered, state.queue.len() as u64);
        let lost = state.counts.lost.iter().sum();
        ChainCounts { offered, delivered: offered - queued - lost, lost, queued }
    }
}

/// The account of a chain: offered = delivered + lost + queued.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ChainCounts {
    /// Messages offered to it.
    pub offered: u64,
    /// Messages taken from it.
    pub delivered: u64,
    /// Messages lost: refused because it was full or closed, overwritten, or thrown away when it was closed.
    pub lost: u64,
    /// Messages that wait in it.
    pub queued: u64,
}

impl<T> ChainState<T> {
    /// A message that was offered is not queued.
    fn lose_offered(&mut self, reason: LossReason) {
        self.counts.offered += 1;
        self.counts.lose(reason, 1);
    }
}

impl<T> Bounded for ChainState<T> {
    type Item = T;

    fn put(&mut self, message: T) -> Result<(), T> {
        if self.queue.len() >= self.capacity {
            return Err(message);
        }
        self.queue.push_back(message);
        Ok(())
    }

    fn drop_oldest(&mut self) -> bool {
        self.queue.pop_front().is_some()
    }

    fn lose(&mut self, reason: LossReason) {
        self.counts.lose(reason, 1);
    }
}

impl<T: Send> Sink<T> for ChainCore<T> {
    fn offer(&self, message: T, _: u64, _: bool, _: Option<&mut Local>) -> Result<bool, T> {
        let mut state = lock(&self.state);
        if state.is_closed {
            state.lose_offered(LossReason::Refused);
            return Ok(false);
        }
        match self.when_full.offer(&mut *state, message) {
            Offer::Queued => state.counts.offered += 1,
            Offer::MustWait(message) => return Err(message),
            Offer::Lost | Offer::Failed => {
                state.counts.offered += 1;
                return Ok(false);
            }
        }
        drop(state);
        // As in `try_receive`: the message is visible before waiting receivers are looked for.
        fence(Ordering::SeqCst);
        self.receivers.tell();
        Ok(true)
    }

    fn has_room(&self) -> bool {
        let state = lock(&self.state);
        !state.is_closed && state.queue.len() < state.capacity
    }

    fn give_up(&self, reason: LossReason) {
        lock(&self.state).lose_offered(reason);
    }

    fn wait_for_room(&self, waiter: Waiter) -> bool {
        self.senders.add(waiter);
        let state = lock(&self.state);
        !state.is_closed && state.queue.len() >= state.capacity
    }

    fn is_closed(&self) -> bool {
        lock(&self.state).is_closed
    }

    fn may_wait(&self) -> bool {
        true
    }
}

impl<T: Send + 'static> Receiver for Chain<T> {
    fn is_ready(&self) -> bool {
        let state = lock(&self.0.state);
        state.is_closed || !state.queue.is_empty()
    }

    fn wait_for_message(&self, waiter: WaitHandle) {
        self.0.receivers.add(waiter.0);
    }
}

/// Waits until one of several chains has a message or is closed, at most for `limit`, and returns its place in the list.
///
/// ```
/// use std::time::Duration;
/// use livetime_actors::{Chain, select};
///
/// let (numbers, words) = (Chain::new(4), Chain::new(4));
/// words.send("go");
/// match select(&[&numbers, &words], Duration::from_secs(1)) {
///     Some(0) => assert_eq!(numbers.try_receive(), Some(1)),
///     Some(_) => assert_eq!(words.try_receive(), Some("go")),
///     None => unreachable!("a message waits"),
/// }
/// ```
pub fn select(chains: &[&dyn Receiver], limit: Duration) -> Option<usize> {
    let ready = || chains.iter().position(|chain| chain.is_ready());
    let until = Instant::now() + limit;
    loop {
        if let Some(found) = ready() {
            return Some(found);
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return None;
        }
        with_bell(|bell| {
            bell.prepare();
            chains.iter().for_each(|chain| chain.wait_for_message(WaitHandle(Waiter::Thread(bell.clone()))));
            match ready() {
                Some(_) => bell.cancel(),
                None => bell.wait(Some(left)),
            }
        });
    }
}

impl<T: Send + 'static> From<Chain<T>> for Target<T> {
    fn from(chain: Chain<T>) -> Target<T> {
        Target(chain.sink())
    }
}

impl<T: Send + 'static> From<&Chain<T>> for Target<T> {
    fn from(chain: &Chain<T>) -> Target<T> {
        Target(chain.sink())
    }
}
