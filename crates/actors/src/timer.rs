//! Delayed and periodic messages: one wheel and one thread for all timers of a system.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use livetime_runtime::Clock;
use livetime_runtime::sync::{Condvar, Mutex, lock};

use super::this_thread::never_waits;
use super::wheel::{Key, Wheel};

/// All timers of a system.
pub(crate) struct Timers {
    clock: Clock,
    state: Mutex<Schedule>,
    changed: Condvar,
}

struct Schedule {
    wheel: Wheel<Entry>,
    /// Until when the thread sleeps.
    sleeps_until_ns: u64,
    ended: bool,
    threads: usize,
}

struct Entry {
    timer: Arc<TimerState>,
    action: Box<dyn Action>,
}

/// The action of a timer.
pub(crate) trait Action: Send {
    /// Returns when to fire again, if at all.
    fn fire(&mut self, now_ns: u64) -> Option<u64>;
}

struct TimerState {
    key: Mutex<Option<Key>>,
}

/// A delayed or periodic message; dropping it takes the message back.
///
/// ```
/// use std::time::Duration;
/// use livetime_actors::{Chain, System};
///
/// let system = System::default();
/// let (ticks, seen) = (system.channel::<()>("ticks")?, Chain::new(8));
/// seen.subscribe(&ticks);
/// let timer = system.every(Duration::from_millis(1), &ticks, ());
/// assert_eq!(seen.receive(Duration::from_secs(5)), Some(()));
/// timer.cancel();
/// # Ok::<(), livetime_actors::AgentError>(())
/// ```
#[must_use = "dropping a timer takes its message back"]
pub struct Timer {
    timers: Arc<Timers>,
    state: Arc<TimerState>,
    is_kept: bool,
}

impl Timer {
    /// Takes the message back; false if it was sent already, and will not be sent again.
    pub fn cancel(self) -> bool {
        self.take_back()
    }

    /// Lets the timer continue without this handle.
    pub fn keep(mut self) {
        self.is_kept = true;
    }

    fn take_back(&self) -> bool {
        // The wheel's lock is always taken first.
        let mut state = lock(&self.timers.state);
        let key = lock(&self.state.key).take();
        key.is_some_and(|key| state.wheel.cancel(key).is_some())
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        if !self.is_kept {
            self.take_back();
        }
    }
}

impl Timers {
    pub(crate) fn new(clock: Clock) -> Timers {
        let now_ns = clock.now_ns();
        let state = Schedule { wheel: Wheel::new(now_ns), sleeps_until_ns: 0, ended: false, threads: 0 };
        Timers { clock, state: Mutex::new(state), changed: Condvar::new() }
    }

    pub(crate) fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    pub(crate) fn set(self: &Arc<Timers>, at_ns: u64, action: Box<dyn Action>) -> Timer {
        let timer = Arc::new(TimerState { key: Mutex::new(None) });
        let mut state = lock(&self.state);
        if !state.ended {
            let key = state.wheel.set(at_ns, Entry { timer: timer.clone(), action });
            *lock(&timer.key) = Some(key);
            self.start_thread(&mut state);
            if at_ns < state.sleeps_until_ns {
                self.changed.notify_one();
            }
        }
        drop(state);
        Timer { timers: self.clone(), state: timer, is_kept: false }
    }

    /// The thread is started with the first timer.
    fn start_thread(self: &Arc<Timers>, state: &mut Schedule) {
        if state.threads > 0 || self.clock.is_simulated() {
            return;
        }
        let timers = self.clone();
        let thread = std::thread::Builder::new().name("timers".into()).spawn(move || timers.run());
        state.threads += thread.is_ok() as usize;
    }

    fn run(&self) {
        never_waits();
        let _ = livetime_runtime::prepare_thread(&[]);
        let mut state = lock(&self.state);
        while !state.ended {
            drop(state);
            let next_ns = self.fire_due();
            state = lock(&self.state);
            // A timer set meanwhile may be earlier.
            let next_ns = state.wheel.next_ns().into_iter().chain(next_ns).min();
            state.sleeps_until_ns = next_ns.unwrap_or(u64::MAX);
            let sleep_ns = state.sleeps_until_ns.saturating_sub(self.clock.now_ns());
            if sleep_ns > 0 && !state.ended {
                let limit = Duration::from_nanos(sleep_ns.min(3_600_000_000_000));
                let waited = self.changed.wait_timeout(state, limit);
                state = waited.map_or_else(|e| e.into_inner().0, |(state, _)| state);
            }
            state.sleeps_until_ns = 0;
        }
    }

    /// Fires the timers that are due; returns when the next one is.
    pub(crate) fn fire_due(&self) -> Option<u64> {
        let now_ns = self.clock.now_ns();
        let due = lock(&self.state).wheel.advance(now_ns);
        for mut entry in due {
            // Outside the lock, because the action may set timers. It may run a user's function, such as the filter of
            // a binding, whose panic must not end all timers.
            let fire = AssertUnwindSafe(|| entry.action.fire(now_ns));
            let again = catch_unwind(fire).unwrap_or(None);
            let mut state = lock(&self.state);
            let timer = entry.timer.clone();
            let mut key = lock(&timer.key);
            // A timer that was taken back meanwhile has no key any more.
            *key = match (again, *key) {
                (Some(at_ns), Some(_)) if !state.ended => Some(state.wheel.set(at_ns, entry)),
                _ => None,
            };
        }
        lock(&self.state).wheel.next_ns()
    }

    pub(crate) fn next_ns(&self) -> Option<u64> {
        lock(&self.state).wheel.next_ns()
    }

    pub(crate) fn len(&self) -> usize {
        lock(&self.state).wheel.len()
    }

    /// Takes all timers back, for ever.
    pub(crate) fn end(&self) {
        let mut state = lock(&self.state);
        state.ended = true;
        let old = std::mem::replace(&mut state.wheel, Wheel::new(0));
        drop(state);
        self.changed.notify_one();
        // Outside the lock: messages may hold timers themselves.
        drop(old);
    }
}
