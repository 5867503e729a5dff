//! How a thread with nothing to do sleeps, and how others wake it.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::sync::{AtomicU32, Mutex, Ordering, Thread, current, fence, lock, park, park_timeout};

// The states of a bell: its thread works; its thread sleeps or is about to; a sender has rung.
//
// | change           | by      | effect                                              |
// |------------------|---------|-----------------------------------------------------|
// | AWAKE -> PARKED  | sleeper | wakers ring from now on                             |
// | PARKED -> RUNG   | waker   | the sleeper wakes up, or does not begin to sleep    |
// | AWAKE -> RUNG    | waker   | the next `prepare` leaves RUNG, so `wait` returns   |
// | any -> AWAKE     | sleeper | it has noticed the ring, or found work by itself    |
const AWAKE: u32 = 0;
const PARKED: u32 = 1;
const RUNG: u32 = 2;

/// The bell of one worker thread.
///
/// The sleeper calls [`prepare`](Doorbell::prepare), checks for work once more, and then waits or cancels.
/// The waker makes its work visible and then calls [`ring_if_seen_parked`](Doorbell::ring_if_seen_parked).
/// Both put a sequentially consistent fence between their store and their load, so at least one of them sees
/// the other.
///
/// On lines of its own: its thread reads it between two frames.
#[derive(Default)]
#[repr(align(128))]
pub struct Doorbell {
    state: AtomicU32,
    /// Locked by a thread that begins to sleep here, and by a thread that wakes the sleeper.
    thread: Mutex<Option<Thread>>,
    /// Set when requests are queued for this thread, which checks it between two frames.
    pub has_tasks: AtomicBool,
}

impl Doorbell {
    /// Makes this bell wake the calling thread, from the thread's next [`Doorbell::prepare`] on.
    pub fn adopt_thread(&self) {
        *lock(&self.thread) = Some(current());
    }

    /// Announces that the thread is about to sleep. A ring from now on keeps it awake.
    pub fn prepare(&self) {
        if self.state.swap(PARKED, Ordering::SeqCst) == RUNG {
            // The bell rang while the thread was awake: the ring must not get lost.
            self.state.store(RUNG, Ordering::Relaxed);
        }
        // The announcement is stored before the caller checks for work: see the pair of fences above.
        fence(Ordering::SeqCst);
    }

    /// Takes the announcement back.
    pub fn cancel(&self) {
        self.state.store(AWAKE, Ordering::Relaxed);
    }

    /// Sleeps until rung, or for `limit`.
    pub fn wait(&self, limit: Option<Duration>) {
        // A spurious wake-up only costs the caller one more check for work.
        if self.state.load(Ordering::Acquire) == PARKED {
            match limit {
                Some(limit) => park_timeout(limit),
                None => park(),
            }
        }
        self.state.store(AWAKE, Ordering::Relaxed);
    }

    /// Wakes the thread, or keeps it from its next sleep.
    pub fn ring(&self) {
        if self.state.swap(RUNG, Ordering::SeqCst) == PARKED
            && let Some(thread) = &*lock(&self.thread)
        {
            thread.unpark();
        }
    }

    /// Wakes the thread if it sleeps or is about to sleep; returns whether it did. The caller must place a
    /// sequentially consistent fence between its store for the sleeper and this call.
    #[inline]
    pub fn ring_if_seen_parked(&self) -> bool {
        let parked = self.state.load(Ordering::Relaxed) == PARKED;
        if parked {
            self.ring();
        }
        parked
    }
}
