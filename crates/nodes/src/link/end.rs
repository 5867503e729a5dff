//! One end of a link, as its node and its threads share it.
//!
//! The thread that changes the state sends the messages that follow, as far as the socket takes them at once: a change
//! of thread costs more than a small message. The rest is for the link's own thread (`thread.rs`), which also connects,
//! and looks after an end whose node is busy.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use livetime_engine::{Teller, Waker};
use livetime_frame::Frame;
use livetime_link::carrier::Outgoing;
use livetime_link::{Message, Step, Violation};
use livetime_runtime::{Clock, lock};

/// Longest wait for a connection, and for news, before a thread looks whether its node has ended.
pub(super) const LOOK: Duration = Duration::from_millis(50);

/// Messages that follow each other faster are for the link's own thread, which sends several frames in one: a call of the
/// system for each would take the node's time.
const TOGETHER_NS: u64 = 50_000;

/// A state machine at an end of a link.
pub(crate) trait End: Send + 'static {
    fn connected(&mut self, now_ns: u64);
    fn disconnected(&mut self, now_ns: u64);
    fn receive(&mut self, message: Message<Frame>, now_ns: u64) -> Result<(), Violation>;
    fn step(&mut self, now_ns: u64) -> Step<Frame>;
    /// True when no connection is needed any more.
    fn is_over(&mut self, now_ns: u64) -> bool;
    /// False while a connection would be of no use.
    fn wants_connection(&self) -> bool {
        true
    }
    /// The longest time between two steps, for changes that nothing rings for.
    fn look_again(&self) -> Duration;
}

pub(super) struct State<E> {
    pub(super) end: E,
    /// Counts connections.
    connection: u64,
    /// The half of the connection that sends. A thread that writes has taken it, and steps once more before it puts it
    /// back: so a change meanwhile needs no other thread.
    outgoing: Option<Box<dyn Outgoing>>,
    /// A message that the socket did not take at once, for the link's thread.
    pub(super) unsent: Option<Message<Frame>>,
    /// When the last message was sent.
    sent_ns: u64,
    /// When the next step is due, as far as the threads know that step now.
    due_ns: u64,
    /// Threads of the node that wait. They take the steps that are due.
    waiting: usize,
    /// The node is a source that rests until it is woken. It takes the steps that are due, too.
    rests: bool,
    /// The connection must be closed.
    pub(super) is_broken: bool,
    /// Not one more connection, whatever the end says.
    pub(super) is_closed: bool,
}

/// The right to write: the half that sends, and the number of its connection.
pub(super) type Pen = (Box<dyn Outgoing>, u64);

impl<E: End> State<E> {
    /// True when nothing more is to be sent over this connection.
    pub(super) fn is_done(&mut self, now_ns: u64) -> bool {
        self.is_broken || self.is_closed || (self.unsent.is_none() && self.end.is_over(now_ns))
    }

    pub(super) fn open(&mut self, outgoing: Box<dyn Outgoing>, now_ns: u64) {
        self.connection += 1;
        (self.outgoing, self.unsent, self.is_broken) = (Some(outgoing), None, false);
        self.end.connected(now_ns);
    }

    pub(super) fn take_pen(&mut self) -> Option<Pen> {
        Some((self.outgoing.take()?, self.connection))
    }

    /// Puts the half back that sends, unless its connection has ended meanwhile.
    pub(super) fn put_back(&mut self, (mut outgoing, connection): Pen) {
        match connection == self.connection && !self.is_broken {
            true => self.outgoing = Some(outgoing),
            false => outgoing.close(),
        }
    }

    /// Closes the connection. A thread that writes closes its half when it puts it back.
    pub(super) fn shut(&mut self) {
        self.is_broken = true;
        self.outgoing.take().iter_mut().for_each(|outgoing| outgoing.close());
    }

    /// How long a thread of the node may wait: time alone may make a difference.
    fn rest(&self, now_ns: u64) -> Duration {
        Duration::from_nanos(self.due_ns.saturating_sub(now_ns)).min(self.end.look_again()).min(LOOK)
    }

    /// True while the node waits, and looks itself at what is due.
    pub(super) fn is_tended(&self) -> bool {
        self.waiting > 0 || self.rests
    }

    pub(super) fn sent(&mut self, now_ns: u64) {
        self.sent_ns = now_ns;
    }
}

pub(super) type Guard<'a, E> = MutexGuard<'a, State<E>>;

/// An end, as its node and its threads share it.
pub(crate) struct Link<E> {
    state: Mutex<State<E>>,
    /// For threads of the node.
    news: Condvar,
    /// For the link's thread.
    pub(super) work: Condvar,
    /// Of a source.
    waker: Option<Waker>,
    clock: Clock,
    pub(super) teller: Teller,
}

impl<E: End> Link<E> {
    pub(crate) fn new(end: E, teller: Teller, waker: Option<Waker>) -> Arc<Link<E>> {
        let state = State {
            end,
            connection: 0,
            outgoing: None,
            unsent: None,
            sent_ns: 0,
            due_ns: u64::MAX,
            waiting: 0,
            rests: false,
            is_broken: false,
            is_closed: false,
        };
        let (state, clock) = (Mutex::new(state), Clock::real());
        Arc::new(Link { state, news: Condvar::new(), work: Condvar::new(), waker, clock, teller })
    }

    /// Time of the link in ns, from 1 on: 0 is "no time" in messages.
    pub(crate) fn now_ns(&self) -> u64 {
        self.clock.now_ns() + 1
    }

    /// For the node: changes the end, and sends what follows.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut E, u64) -> T) -> T {
        let mut state = self.lock();
        let result = work(&mut state.end, self.now_ns());
        self.hurry(state);
        result
    }

    /// Does `work` with the end, after which nothing has to be sent.
    pub(crate) fn quietly<T>(&self, work: impl FnOnce(&mut E, u64) -> T) -> T {
        work(&mut self.lock().end, self.now_ns())
    }

    /// Looks at the end.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&E, u64) -> T) -> T {
        look(&self.lock().end, self.now_ns())
    }

    /// As [`Link::with`], again and again while `work` has no result and at most for `limit`.
    pub(crate) fn wait<T>(&self, limit: Duration, work: impl FnMut(&mut E, u64) -> Option<T>) -> Option<T> {
        let (result, state) = self.wait_for(limit, work);
        self.hurry(state);
        result
    }

    /// As [`Link::with`], for a source that is woken: a result, after which nothing has to be sent, or how long it may rest
    /// until then.
    pub(crate) fn take<T>(&self, mut work: impl FnMut(&mut E, u64) -> Option<T>) -> Result<T, Duration> {
        let mut state = self.lock();
        state.rests = false;
        loop {
            if let Some(result) = work(&mut state.end, self.now_ns()) {
                return Ok(result);
            }
            let may_have_changed;
            (state, may_have_changed) = self.drive(state);
            if !may_have_changed {
                state.rests = self.waker.is_some();
                return Err(state.rest(self.now_ns()));
            }
        }
    }

    fn wait_for<T>(
        &self,
        limit: Duration,
        mut work: impl FnMut(&mut E, u64) -> Option<T>,
    ) -> (Option<T>, Guard<'_, E>) {
        let until_ns = self.now_ns() + limit.as_nanos() as u64;
        let mut state = self.lock();
        loop {
            let result = work(&mut state.end, self.now_ns());
            if result.is_some() {
                return (result, state);
            }
            let may_have_changed;
            (state, may_have_changed) = self.drive(state);
            let now_ns = self.now_ns();
            if now_ns >= until_ns {
                return (None, state);
            }
            if may_have_changed {
                continue;
            }
            let wait = state.rest(now_ns).min(Duration::from_nanos(until_ns - now_ns));
            state.waiting += 1;
            state = sleep(&self.news, state, wait);
            state.waiting -= 1;
        }
    }

    /// Breaks the connection, and makes no other.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.news.notify_all();
        self.work.notify_one();
    }

    pub(super) fn lock(&self) -> Guard<'_, E> {
        lock(&self.state)
    }

    pub(super) fn tell_node(&self, state: &State<E>) {
        if state.waiting > 0 {
            self.news.notify_all();
        }
        if state.rests {
            self.waker.iter().for_each(Waker::wake);
        }
    }

    /// Sends what is due, or leaves it to the link's thread, where messages follow each other fast.
    fn hurry(&self, state: Guard<'_, E>) {
        if self.now_ns().saturating_sub(state.sent_ns) >= TOGETHER_NS {
            drop(self.drive(state));
        } else if state.outgoing.is_some() {
            self.work.notify_one();
        }
    }

    /// Takes the steps that are due, and sends what the socket takes at once. True when the state was unlocked meanwhile.
    pub(super) fn drive<'a>(&'a self, mut state: Guard<'a, E>) -> (Guard<'a, E>, bool) {
        let mut was_unlocked = false;
        state.due_ns = u64::MAX;
        loop {
            let now_ns = self.now_ns();
            if state.is_done(now_ns) || state.unsent.is_some() {
                self.work.notify_one();
                return (state, was_unlocked);
            }
            let Some(mut pen) = state.take_pen() else { return (state, was_unlocked) };
            match state.end.step(now_ns) {
                Step::Send(message) => {
                    drop(state);
                    let sent = pen.0.send_at_once(&message);
                    state = self.lock();
                    was_unlocked = true;
                    let is_same = pen.1 == state.connection;
                    match sent {
                        Ok(true) => state.sent_ns = now_ns,
                        Ok(false) if is_same => state.unsent = Some(message),
                        Err(_) if is_same => state.is_broken = true,
                        Ok(false) | Err(_) => {}
                    }
                    state.put_back(pen);
                }
                Step::Reconnect => {
                    state.put_back(pen);
                    state.is_broken = true;
                }
                Step::Wait(at_ns) => {
                    state.due_ns = at_ns;
                    state.put_back(pen);
                    return (state, was_unlocked);
                }
            }
        }
    }
}

pub(super) fn sleep<'a, E>(bell: &Condvar, state: Guard<'a, E>, limit: Duration) -> Guard<'a, E> {
    // A thread that panicked with the lock has left a state that still counts, as `lock` says too.
    bell.wait_timeout(state, limit).unwrap_or_else(|poisoned| poisoned.into_inner()).0
}
