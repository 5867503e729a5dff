//! One end of a link, and the thread that leads it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use livetime_engine::{NodeError, Teller};
use livetime_frame::{Frame, FramePool};
use livetime_link::carrier::{Carrier, CarrierError, Connected, Incoming};
use livetime_link::wire::FrameHead;
use livetime_link::{Message, Step, Violation};
use livetime_runtime::{Clock, lock};

/// Longest wait for a connection, and for news, before the thread looks whether its node has ended.
const LOOK: Duration = Duration::from_millis(50);
/// Pause after a peer that broke the protocol: one that connects again at once must not take a core.
const PAUSE: Duration = Duration::from_millis(100);

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

struct State<E> {
    end: E,
    /// The connection must be closed.
    is_broken: bool,
    /// Not one more connection, whatever the end says.
    is_closed: bool,
}

/// An end, as its node and its threads share it.
pub(crate) struct Link<E> {
    state: Mutex<State<E>>,
    news: Condvar,
    clock: Clock,
    teller: Teller,
}

impl<E: End> Link<E> {
    pub(crate) fn new(end: E, teller: Teller) -> Arc<Link<E>> {
        let state = Mutex::new(State { end, is_broken: false, is_closed: false });
        Arc::new(Link { state, news: Condvar::new(), clock: Clock::real(), teller })
    }

    /// Starts the thread, which connects over `carrier` again and again until the end is over. Frames that arrive lie in
    /// `pool`.
    pub(crate) fn start(
        self: &Arc<Self>,
        name: &str,
        carrier: Box<dyn Carrier>,
        pool: FramePool,
    ) -> Result<JoinHandle<()>, NodeError> {
        let link = self.clone();
        let thread = std::thread::Builder::new().name(format!("{name} link"));
        thread.spawn(move || link.lead(carrier, &pool)).map_err(NodeError::new)
    }

    /// Time of the link in ns, from 1 on: 0 is "no time" in messages.
    pub(crate) fn now_ns(&self) -> u64 {
        self.clock.now_ns() + 1
    }

    /// Does `work` with the end, and rings.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut E, u64) -> T) -> T {
        let result = work(&mut self.lock().end, self.now_ns());
        self.news.notify_all();
        result
    }

    /// Looks at the end, and rings for nobody.
    pub(crate) fn look<T>(&self, look: impl FnOnce(&E, u64) -> T) -> T {
        look(&self.lock().end, self.now_ns())
    }

    /// As [`Link::with`], again and again while `work` has no result and at most for `limit`.
    pub(crate) fn wait<T>(
        &self,
        limit: Duration,
        mut work: impl FnMut(&mut E, u64) -> Option<T>,
    ) -> Option<T> {
        let until_ns = self.now_ns() + limit.as_nanos() as u64;
        let mut state = self.lock();
        loop {
            let now_ns = self.now_ns();
            let result = work(&mut state.end, now_ns);
            if result.is_some() || now_ns >= until_ns {
                self.news.notify_all();
                return result;
            }
            // Time alone may make the difference.
            state = self.sleep(state, Duration::from_nanos(until_ns - now_ns).min(LOOK));
        }
    }

    /// Breaks the connection, and makes no other.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.news.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<E>> {
        lock(&self.state)
    }

    fn sleep<'a>(&self, state: MutexGuard<'a, State<E>>, limit: Duration) -> MutexGuard<'a, State<E>> {
        // A thread that panicked with the lock has left a state that still counts, as `lock` says too.
        self.news.wait_timeout(state, limit).unwrap_or_else(|poisoned| poisoned.into_inner()).0
    }

    fn is_over(&self) -> bool {
        let mut state = self.lock();
        state.is_closed || state.end.is_over(self.now_ns())
    }

    fn lead(&self, mut carrier: Box<dyn Carrier>, pool: &FramePool) {
        while !self.is_over() {
            let state = self.lock();
            if !state.end.wants_connection() && !state.is_closed {
                drop(self.sleep(state, LOOK));
                continue;
            }
            drop(state);
            match carrier.connect(LOOK) {
                Ok(Some(connection)) => self.talk(connection, pool),
                Ok(None) => {}
                Err(error) => {
                    self.teller.tell_error(error.to_string());
                    std::thread::sleep(PAUSE);
                }
            }
        }
    }

    /// Leads one connection to its end.
    fn talk(&self, (mut outgoing, incoming): Connected, pool: &FramePool) {
        {
            let mut state = self.lock();
            if !state.end.wants_connection() {
                // Decided while the carrier waited. The peer has heard nothing, so its frames are in no doubt.
                outgoing.close();
                return;
            }
            state.is_broken = false;
            state.end.connected(self.now_ns());
        }
        let is_refused = std::thread::scope(|scope| {
            let reader = scope.spawn(|| self.listen(incoming, pool));
            while let Some(message) = self.next_message() {
                if outgoing.send(&message).is_err() {
                    break;
                }
            }
            // The reader may be in the middle of a frame.
            self.lock().is_broken = true;
            outgoing.close();
            reader.join().unwrap_or(true)
        });
        self.with(|end, now_ns| end.disconnected(now_ns));
        if is_refused {
            std::thread::sleep(PAUSE);
        }
    }

    /// Waits for the next message to send; `None` at the end of the connection.
    fn next_message(&self) -> Option<Message<Frame>> {
        let mut state = self.lock();
        loop {
            let now_ns = self.now_ns();
            if state.is_broken || state.is_closed || state.end.is_over(now_ns) {
                return None;
            }
            match state.end.step(now_ns) {
                Step::Send(message) => return Some(message),
                Step::Reconnect => return None,
                Step::Wait(at_ns) => {
                    let limit = Duration::from_nanos(at_ns.saturating_sub(now_ns));
                    let limit = limit.min(state.end.look_again()).min(LOOK);
                    state = self.sleep(state, limit);
                }
            }
        }
    }

    /// Takes messages until the connection ends; true when the peer broke the protocol.
    fn listen(&self, mut incoming: Box<dyn Incoming>, pool: &FramePool) -> bool {
        let mut allocator = pool.allocator();
        let mut memory = |head: &FrameHead| {
            loop {
                match head.allocate(&mut allocator) {
                    Ok(frame) => return Some(frame),
                    // Frames that were settled return a moment later.
                    Err(_) if !self.lock().is_broken => std::thread::sleep(Duration::from_micros(200)),
                    Err(_) => return None,
                }
            }
        };
        loop {
            let result = incoming.receive(&mut memory);
            let mut state = self.lock();
            let fault = match result {
                _ if state.is_broken => return false,
                Ok(message) => {
                    let now_ns = self.now_ns();
                    state.end.receive(message, now_ns).err().map(|violation| violation.to_string())
                }
                Err(CarrierError::Broken(_)) => {
                    state.is_broken = true;
                    None
                }
                Err(error) => Some(error.to_string()),
            };
            state.is_broken |= fault.is_some();
            let is_broken = state.is_broken;
            drop(state);
            self.news.notify_all();
            if let Some(fault) = &fault {
                self.teller.tell_error(format!("the connection is closed: {fault}"));
            }
            if is_broken {
                return fault.is_some();
            }
        }
    }
}
