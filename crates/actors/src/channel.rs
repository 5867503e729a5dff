//! Named channels: any number of agents publish, every subscriber gets every message.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use livetime_runtime::{LossReason, lock};

use super::local::Local;
use super::outbox::offer_dyn;
use super::sender::offer_and_wait;
use super::sink::{Sink, Waiter};
use super::subscribers::{List, Subscribers};

/// Which subscribers of a channel receive a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ChannelKind {
    /// To every subscriber.
    #[default]
    Broadcast,
    /// Every subscriber; a new subscriber receives the newest message at once (run state, calibration).
    Retained,
    /// To one subscriber: the next one that has room (work sharing).
    RoundRobin,
}

/// A channel: messages of type `T` from any number of senders to any number of subscribers.
///
/// All clones are the same channel. To publish often, make a [`Publisher`].
pub struct Channel<T>(Arc<ChannelCore<T>>);

struct ChannelCore<T> {
    name: String,
    kind: ChannelKind,
    /// Raised with every change of `subscribers`.
    version: AtomicU64,
    subscribers: Mutex<Subscribers<T>>,
    /// The newest message, if the channel keeps it.
    newest: Mutex<Option<T>>,
    next: AtomicUsize,
    watchers: Mutex<Vec<Watcher>>,
}

type Watcher = Box<dyn FnMut(bool) + Send>;

impl<T> Clone for Channel<T> {
    fn clone(&self) -> Channel<T> {
        Channel(self.0.clone())
    }
}

impl<T> Channel<T> {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Which subscribers receive messages.
    pub fn kind(&self) -> ChannelKind {
        self.0.kind
    }

    pub(crate) fn is_same(&self, other: &Channel<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// How many subscribers there are.
    pub fn subscribers(&self) -> usize {
        lock(&self.0.subscribers).len()
    }

    /// Calls `watcher` with true after the first subscription and with false after the last subscriber has
    /// left; also at once with true if there is a subscriber already. A producer can thus avoid making
    /// messages without a receiver.
    pub fn on_listening(&self, mut watcher: impl FnMut(bool) + Send + 'static) {
        // In the order of `change`: watchers first.
        let mut watchers = lock(&self.0.watchers);
        if self.subscribers() > 0 {
            watcher(true);
        }
        watchers.push(Box::new(watcher));
    }

    fn change(&self, change: impl FnOnce(&mut Subscribers<T>)) {
        // Held throughout, so that watchers are called in the order of the changes.
        let mut watchers = lock(&self.0.watchers);
        let mut subscribers = lock(&self.0.subscribers);
        let before = subscribers.len();
        change(&mut subscribers);
        let after = subscribers.len();
        self.0.version.fetch_add(1, Ordering::Release);
        // A watcher may ask for the subscribers.
        drop(subscribers);
        if (before == 0) != (after == 0) {
            watchers.iter_mut().for_each(|watcher| watcher(after > 0));
        }
    }

    pub(crate) fn remove(&self, sink: &Arc<dyn Sink<T>>) {
        self.change(|subscribers| subscribers.remove(sink));
    }
}

impl<T: Clone + Send + 'static> Channel<T> {
    /// A channel of its own, which no name leads to.
    pub fn new(name: &str, kind: ChannelKind) -> Channel<T> {
        Channel(Arc::new(ChannelCore {
            name: name.to_string(),
            kind,
            version: AtomicU64::new(0),
            subscribers: Mutex::default(),
            newest: Mutex::new(None),
            next: AtomicUsize::new(0),
            watchers: Mutex::default(),
        }))
    }

    /// A sender with a copy of the list of subscribers.
    pub fn publisher(&self) -> Publisher<T> {
        // No channel has this version: the first message loads the list.
        Publisher { channel: self.clone(), version: u64::MAX, list: Vec::new().into() }
    }

    /// Sends a message from a thread that is no agent, and returns how many subscribers got it. Waits while a
    /// subscriber that must not lose messages has no room. An agent uses
    /// [`Context::publish`](super::Context::publish).
    pub fn publish(&self, message: T) -> usize {
        self.publisher().publish(message)
    }

    /// The newest message, of a channel that keeps it.
    pub fn newest(&self) -> Option<T> {
        lock(&self.0.newest).clone()
    }

    pub(crate) fn add(&self, sink: Arc<dyn Sink<T>>, local: Option<&mut Local>) {
        // The lock is held until the subscription stands, so that the subscriber gets the newest message and every
        // later one once.
        let newest = lock(&self.0.newest);
        self.change(|subscribers| subscribers.add(sink.clone()));
        if let Some(message) = newest.clone() {
            let sent = match local {
                Some(local) => offer_dyn(&sink, message, 0, local),
                None => offer_and_wait(&*sink, message, 0),
            };
            let _ = sent;
        }
    }
}

/// Publishes on one channel. It keeps a copy of the list of subscribers, so that sending takes no lock.
///
/// ```
/// use livetime_actors::{Chain, System};
///
/// let system = System::default();
/// let channel = system.channel::<u32>("numbers")?;
/// let seen = Chain::new(4);
/// seen.subscribe(&channel);
/// let mut publisher = channel.publisher();
/// assert_eq!(publisher.publish(7), 1);
/// assert_eq!(seen.try_receive(), Some(7));
/// # Ok::<(), livetime_actors::AgentError>(())
/// ```
pub struct Publisher<T> {
    channel: Channel<T>,
    version: u64,
    list: List<T>,
}

impl<T: Clone + Send + 'static> Clone for Publisher<T> {
    fn clone(&self) -> Publisher<T> {
        self.channel.publisher()
    }
}

impl<T: Clone + Send + 'static> Publisher<T> {
    /// Its channel.
    pub fn channel(&self) -> &Channel<T> {
        &self.channel
    }

    /// Sends a message from a thread that is no agent, see [`Channel::publish`].
    pub fn publish(&mut self, message: T) -> usize {
        self.send(message, 0, None)
    }

    /// Hands the message to the subscribers; returns how many got it.
    #[inline(always)]
    pub(crate) fn send(&mut self, message: T, stamp_ns: u64, local: Option<&mut Local>) -> usize {
        match self.channel.0.kind {
            ChannelKind::Broadcast => self.send_to_all(message, stamp_ns, local),
            ChannelKind::Retained => self.keep_and_send(message, stamp_ns, local),
            ChannelKind::RoundRobin => self.send_to_next(message, stamp_ns, local),
        }
    }

    #[inline(always)]
    fn refresh(&mut self) {
        let version = self.channel.0.version.load(Ordering::Acquire);
        if version != self.version {
            self.reload(version);
        }
    }

    #[cold]
    fn reload(&mut self, version: u64) {
        self.list = lock(&self.channel.0.subscribers).list();
        self.version = version;
    }

    #[inline(always)]
    fn send_to_all(&mut self, message: T, stamp_ns: u64, mut local: Option<&mut Local>) -> usize {
        self.refresh();
        // The last subscriber gets the message itself, all others a copy.
        let Some((last, others)) = self.list.split_last() else { return 0 };
        let mut queued = 0;
        for sink in others {
            queued += offer(sink, message.clone(), stamp_ns, local.as_deref_mut()) as usize;
        }
        queued + offer(last, message, stamp_ns, local) as usize
    }

    #[cold]
    fn keep_and_send(&mut self, message: T, stamp_ns: u64, local: Option<&mut Local>) -> usize {
        let channel = self.channel.clone();
        // Locked while the message is sent: see `add`.
        let mut newest = lock(&channel.0.newest);
        *newest = Some(message.clone());
        self.send_to_all(message, stamp_ns, local)
    }

    #[cold]
    fn send_to_next(&mut self, message: T, stamp_ns: u64, local: Option<&mut Local>) -> usize {
        self.refresh();
        let count = self.list.len();
        if count == 0 {
            return 0;
        }
        let first = self.channel.0.next.fetch_add(1, Ordering::Relaxed);
        // Without room anywhere, the policy of the next subscriber decides.
        let chosen = (0..count).map(|i| (first.wrapping_add(i)) % count).find(|i| self.list[*i].has_room());
        offer(&self.list[chosen.unwrap_or(first % count)], message, stamp_ns, local) as usize
    }
}

#[inline(always)]
fn offer<T: Send + 'static>(
    sink: &Arc<dyn Sink<T>>,
    message: T,
    stamp_ns: u64,
    local: Option<&mut Local>,
) -> bool {
    match local {
        Some(local) => offer_dyn(sink, message, stamp_ns, local),
        None => offer_and_wait(&**sink, message, stamp_ns),
    }
}

/// A channel as something to send to, for timers and bindings.
pub(crate) struct ToChannel<T>(pub(crate) Mutex<Publisher<T>>);

impl<T: Clone + Send + 'static> Sink<T> for ToChannel<T> {
    fn offer(&self, message: T, stamp_ns: u64, _: bool, local: Option<&mut Local>) -> Result<bool, T> {
        // A copy, because the subscribers may be bindings that lead back here.
        let mut publisher = {
            let mut kept = lock(&self.0);
            kept.refresh();
            Publisher { channel: kept.channel.clone(), version: kept.version, list: kept.list.clone() }
        };
        Ok(publisher.send(message, stamp_ns, local) > 0)
    }

    fn has_room(&self) -> bool {
        true
    }

    fn give_up(&self, _: LossReason) {}

    fn wait_for_room(&self, _: Waiter) -> bool {
        false
    }

    fn is_closed(&self) -> bool {
        false
    }

    fn may_wait(&self) -> bool {
        true
    }
}
