//! One operation, from the wish to its end, over any number of connections.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Instant;

use super::conn::{self, Protocol};
use super::lock::lock;
use super::queue::{Event, EventQueue};
use super::{Error, Result};
use crate::data::Value;
use crate::proto::Guid;
use crate::proto::client::{Answer, Job};

pub(super) type Callback = Box<dyn FnMut(Event) + Send>;

/// The owner of connections: a client, whose channels and operations they serve. `events.rs` says what becomes of what
/// they tell.
pub(super) enum Links {}

/// A connection of a client.
pub(super) type Conn = conn::Conn<Links>;

/// Where operations wait while they are on no connection: a channel.
pub(super) trait Home: Send + Sync {
    /// `op` begins when the channel is open again.
    fn wait(&self, op: &Arc<Op>);

    /// The identity of the channel's server, if it is known.
    fn server(&self) -> Option<Guid>;
}

/// One operation. Connections know their requests by it.
pub(super) struct Op {
    pub(super) job: Job,
    pub(super) request: Value,
    /// It ends with its first answer.
    pub(super) once: bool,
    // A result or an event is ready.
    ready: AtomicBool,
    attached: AtomicBool,
    state: Mutex<OpState>,
    changed: Condvar,
    callback: Option<Mutex<Callback>>,
    // Where it waits while its channel is not open.
    home: Option<Arc<dyn Home>>,
}

#[derive(Default)]
pub(super) struct OpState {
    /// The connection it runs on, and its number there.
    pub(super) place: Option<(Arc<Conn>, u32)>,
    pub(super) outcome: Option<Result<Answer>>,
    pub(super) queue: Option<EventQueue>,
    pub(super) over: bool,
    waker: Option<Waker>,
    // No thread waits for it, so its answers must be read in the background.
    attended: bool,
    waiting: u32,
}

impl Op {
    pub(super) fn new(job: Job, request: Value, once: bool) -> Op {
        Op {
            job,
            request,
            once,
            ready: AtomicBool::new(false),
            attached: AtomicBool::new(false),
            state: Mutex::new(OpState::default()),
            changed: Condvar::new(),
            callback: None,
            home: None,
        }
    }

    pub(super) fn on(mut self, home: Arc<dyn Home>) -> Op {
        self.home = Some(home);
        self
    }

    pub(super) fn monitor(job: Job, request: Value, queue: EventQueue, callback: Option<Callback>) -> Op {
        let mut op = Op::new(job, request, false);
        let state = OpState { queue: Some(queue), attended: callback.is_some(), ..OpState::default() };
        op.state = Mutex::new(state);
        op.callback = callback.map(Mutex::new);
        op
    }

    /// One that failed before it began.
    pub(super) fn ended_by(error: Error) -> Op {
        let op = Op::new(Job::Describe, Value::new(&crate::nt::time()), true);
        op.finish(Err(error), &mut Vec::new());
        op
    }

    pub(super) fn ended() -> Op {
        Op::ended_by(Error::Closed)
    }

    pub(super) fn state(&self) -> MutexGuard<'_, OpState> {
        lock(&self.state)
    }

    pub(super) fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Acquire)
    }

    /// Marks whether a result or an event is ready; call it with the state locked unless nothing is under
    /// way.
    pub(super) fn set_ready(&self, ready: bool) {
        self.ready.store(ready, Ordering::Release);
    }

    pub(super) fn has_callback(&self) -> bool {
        self.callback.is_some()
    }

    /// Begins on channel `cid` of `conn`, which is open; `false` if it is not.
    pub(super) fn begin(self: &Arc<Op>, conn: &Arc<Conn>, core: &mut Protocol<Links>, cid: u32) -> bool {
        let begun = core.connection.begin(cid, self.job.clone(), &self.request, self.once, Arc::clone(self));
        let Ok(ioid) = begun else { return false };
        match self.attach(conn, ioid) {
            Some(true) => conn.attend(),
            Some(false) => {}
            None => drop(core.connection.destroy(ioid)),
        }
        true
    }

    /// The monitor runs at the server of its channel.
    pub(super) fn started(&self, wakers: &mut Vec<Waker>) {
        let server = self.home.as_ref().and_then(|home| home.server());
        self.push(|queue| queue.note(Event::Connected { server }), wakers);
    }

    /// It lost its connection or, if `is_closed`, its channel. It waits for the next one, or fails if the server may have
    /// done it.
    pub(super) fn lost(self: &Arc<Op>, ran: bool, is_closed: bool, wakers: &mut Vec<Waker>) {
        self.detach();
        if self.is_over() || (!matches!(self.job, Job::Monitor(_)) && self.is_ready()) {
            return;
        }
        if ran && !self.job.repeats() {
            return self.finish(Err(Error::Disconnected), wakers);
        }
        self.push(|queue| queue.note(Event::Disconnected { is_closed }), wakers);
        if let Some(home) = &self.home {
            home.wait(self);
        }
    }

    /// Takes the next event of a monitor, and lets the server send more if it waits for that.
    pub(super) fn next_event(&self) -> Option<Event> {
        let mut state = self.state();
        let queue = state.queue.as_mut()?;
        let (event, taken) = queue.take();
        // With the queue locked, or an event that comes now would be forgotten.
        self.set_ready(!queue.is_empty());
        if let Some(count) = taken {
            let place = state.place.clone();
            drop(state);
            if let Some((conn, ioid)) = place {
                conn.with(|core| core.connection.acknowledge(ioid, count));
            }
        }
        event
    }

    /// Records that the operation has begun on `conn`. Returns whether its answers must be read in the
    /// background; `None` if the operation was dropped meanwhile.
    fn attach(&self, conn: &Arc<Conn>, ioid: u32) -> Option<bool> {
        let mut state = self.state();
        if state.over {
            return None;
        }
        // With the state locked: a thread that drops the operation either sees the place or is seen by `over`.
        state.place = Some((Arc::clone(conn), ioid));
        self.attached.store(true, Ordering::Release);
        self.wake_sleepers(&state);
        Some(state.attended)
    }

    /// It is on no connection any more.
    pub(super) fn detach(&self) -> Option<(Arc<Conn>, u32)> {
        let mut state = self.state();
        self.attached.store(false, Ordering::Release);
        self.wake_sleepers(&state);
        state.place.take()
    }

    fn wake_sleepers(&self, state: &OpState) {
        // Waking costs a system call even if no thread sleeps.
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    /// Its answer, or its end.
    pub(super) fn finish(&self, outcome: Result<Answer>, wakers: &mut Vec<Waker>) {
        let mut state = self.state();
        let ends = self.once || outcome.is_err();
        if ends {
            state.place = None;
            self.attached.store(false, Ordering::Release);
        }
        match (&mut state.queue, outcome) {
            (Some(queue), outcome) => {
                queue.end(outcome.map(drop));
                state.over = true;
            }
            (None, outcome) => state.outcome = Some(outcome),
        }
        self.tell(&mut state, wakers);
    }

    /// Puts something into the queue of a monitor.
    pub(super) fn push(&self, put: impl FnOnce(&mut EventQueue), wakers: &mut Vec<Waker>) {
        let mut state = self.state();
        if let Some(queue) = &mut state.queue {
            put(queue);
            self.tell(&mut state, wakers);
        }
    }

    fn tell(&self, state: &mut OpState, wakers: &mut Vec<Waker>) {
        self.set_ready(true);
        wakers.extend(state.waker.take());
        self.wake_sleepers(state);
    }

    /// Asks to be woken. Returns whether something is there already.
    pub(super) fn register(&self, waker: &Waker) -> bool {
        let mut state = self.state();
        if self.is_ready() {
            return true;
        }
        state.waker = Some(waker.clone());
        state.attended = true;
        let place = state.place.clone();
        // Connections are locked before operations.
        drop(state);
        if let Some((conn, _)) = place {
            conn.attend();
        }
        false
    }

    /// Waits until something is there, and reads from the connection meanwhile. `false`: nothing came in time.
    pub(super) fn wait(&self, deadline: Option<Instant>) -> bool {
        loop {
            if self.is_ready() {
                return true;
            }
            let late = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if late {
                return false;
            }
            if let Some(conn) = self.sleep(deadline) {
                conn.drive(&|| self.is_ready() || !self.attached.load(Ordering::Acquire), deadline);
            }
        }
    }

    /// Sleeps while it is on no connection; returns the one that it is on.
    fn sleep(&self, deadline: Option<Instant>) -> Option<Arc<Conn>> {
        let mut state = self.state();
        if self.is_ready() {
            return None;
        }
        if let Some((conn, _)) = &state.place {
            return Some(Arc::clone(conn));
        }
        state.waiting += 1;
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let mut state = match left {
            Some(left) => self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
            None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
        };
        state.waiting -= 1;
        None
    }

    /// Passes queued events to the callback. The callback runs without any lock of ours but its own, so that
    /// it may use the client.
    pub(super) fn call_back(&self) {
        let Some(callback) = &self.callback else { return };
        loop {
            // The thread that holds it checks the queue again afterwards.
            let Ok(mut callback) = callback.try_lock() else { return };
            while let Some(event) = self.next_event() {
                callback(event);
            }
            drop(callback);
            if !self.is_ready() {
                return;
            }
        }
    }

    /// Ends it without an answer. Returns where it was running.
    pub(super) fn abandon(&self) -> Option<(Arc<Conn>, u32)> {
        let mut state = self.state();
        state.over = true;
        // The task that is dropped must not be kept by its own waker.
        state.waker = None;
        self.attached.store(false, Ordering::Release);
        state.place.take()
    }

    pub(super) fn is_over(&self) -> bool {
        self.state().over
    }
}
