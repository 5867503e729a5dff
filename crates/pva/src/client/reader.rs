//! Which thread reads from a connection: the states and their transitions, without sockets and locks.
//!
//! | state | who reads | the client's thread is notified of new data |
//! |---|---|---|
//! | `Idle(Next::Thread)` | no thread: nothing has come | yes |
//! | `Idle(Next::Waiter)` | no thread: a waiter has just left and probably comes back | no |
//! | `Thread(next)` | the client's thread; afterwards `Idle(next)` | as in `Idle(next)` |
//! | `Waiter` | a thread that waits for an operation | no |
//!
//! | change | from | to |
//! |---|---|---|
//! | `begin` | `Idle(_)` | `Waiter` |
//! | `leave` | `Waiter` | `Idle(Next::Waiter)` |
//! | `enter` | `Idle(next)` | `Thread(next)` |
//! | `leave_thread` | `Thread(next)` | `Idle(next)` |
//! | `notify` | `Idle(_)` | `Idle(Next::Thread)` |

use std::time::{Duration, Instant};

use mio::Interest;

/// The time between the end of the last waiter and the client's thread taking over. A waiter that returns
/// within this time finds the connection as it left it. This saves two system calls per operation for a
/// program that does one operation after the other.
pub(super) const LINGER: Duration = Duration::from_millis(5);

/// Which thread reads from the connection; one at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReadBy {
    /// No thread at this moment.
    Idle(NextReader),
    /// The client's thread.
    Thread(NextReader),
    /// A thread that waits for an operation.
    Waiter,
}

/// Which thread reads the next data on an idle connection, unless a waiter begins before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NextReader {
    /// The client's thread, which is notified.
    Thread,
    /// The waiter that left at this time, if it returns within [`LINGER`]; no thread is notified meanwhile.
    Waiter {
        /// When it left.
        left: Instant,
    },
}

impl ReadBy {
    /// A waiter wants to read. `None` if another thread reads; otherwise whether the client's thread was
    /// notified until now.
    pub(super) fn begin(&mut self) -> Option<bool> {
        let ReadBy::Idle(next) = *self else { return None };
        *self = ReadBy::Waiter;
        Some(next == NextReader::Thread)
    }

    /// The reading waiter has its result, or gives up.
    pub(super) fn leave(&mut self, next: NextReader) {
        *self = ReadBy::Idle(next);
    }

    /// The client's thread wants to read available data. `false` if a waiter reads.
    pub(super) fn enter(&mut self) -> bool {
        let ReadBy::Idle(next) = *self else { return false };
        *self = ReadBy::Thread(next);
        true
    }

    /// The client's thread has read the available data.
    pub(super) fn leave_thread(&mut self) {
        if let ReadBy::Thread(next) = *self {
            *self = ReadBy::Idle(next);
        }
    }

    /// The client's thread is notified from now on. Changes nothing while a thread reads.
    pub(super) fn notify(&mut self) {
        if matches!(self, ReadBy::Idle(_)) {
            *self = ReadBy::Idle(NextReader::Thread);
        }
    }

    /// Whether the client's thread is notified of new data.
    pub(super) fn notifies(self) -> bool {
        matches!(self, ReadBy::Idle(NextReader::Thread) | ReadBy::Thread(NextReader::Thread))
    }

    /// Whether the last waiter left at least [`LINGER`] before `now`, and none has come since.
    pub(super) fn is_left(self, now: Instant) -> bool {
        matches!(self, ReadBy::Idle(NextReader::Waiter { left }) if now.saturating_duration_since(left) >= LINGER)
    }

    /// The events that the system watches for; `writing`: there are bytes to send.
    pub(super) fn interest(self, writing: bool) -> Option<Interest> {
        match (self.notifies(), writing) {
            (true, true) => Some(Interest::READABLE | Interest::WRITABLE),
            (true, false) => Some(Interest::READABLE),
            (false, true) => Some(Interest::WRITABLE),
            (false, false) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_reads_at_a_time() {
        let left = Instant::now();
        for idle in [ReadBy::Idle(NextReader::Thread), ReadBy::Idle(NextReader::Waiter { left })] {
            let mut waiter = idle;
            assert_eq!(waiter.begin(), Some(idle.notifies()));
            assert!(waiter.begin().is_none() && !waiter.enter() && !waiter.notifies());
            waiter.notify();
            assert_eq!(waiter, ReadBy::Waiter);
            let mut thread = idle;
            assert!(thread.enter() && !thread.enter() && thread.begin().is_none());
            thread.notify();
            assert_eq!(thread.notifies(), idle.notifies());
            thread.leave_thread();
            assert_eq!(thread, idle);
        }
    }

    #[test]
    fn the_thread_takes_over_when_no_waiter_comes_back() {
        let left = Instant::now();
        let mut reader = ReadBy::Waiter;
        assert!(!reader.is_left(left + 2 * LINGER));
        reader.leave(NextReader::Waiter { left });
        assert!(!reader.is_left(left) && reader.is_left(left + LINGER));
        assert_eq!(reader.interest(false), None);
        assert_eq!(reader.interest(true), Some(Interest::WRITABLE));
        reader.notify();
        assert!(!reader.is_left(left + LINGER));
        assert_eq!(reader.interest(false), Some(Interest::READABLE));
        assert_eq!(reader.interest(true), Some(Interest::READABLE | Interest::WRITABLE));
        assert_eq!(reader.begin(), Some(true));
    }
}
