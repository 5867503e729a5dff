//! The receiving end of an edge that leads out of the graph, as the sender sees it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use livetime_runtime::Clock;

use crate::control::RunControl;

/// How long a run that stops waits for a reader that does not come: longer than a step of an interactive program
/// takes, and short beside the time for which a run waits for its end.
const PATIENCE: Duration = Duration::from_secs(2);

/// A thread of the program that takes frames from an edge, or ought to.
pub(crate) struct Reader {
    control: Arc<RunControl>,
    clock: Clock,
    /// When it last asked for a frame of an edge that blocks.
    asked_ns: AtomicU64,
    /// When its sender first found that the run shall stop and the queue is full; 0 is never.
    stopping_ns: AtomicU64,
    patience_ns: AtomicU64,
    /// The sending node has the edge.
    is_connected: AtomicBool,
}

impl Reader {
    pub(crate) fn new(control: Arc<RunControl>, clock: Clock) -> Reader {
        Reader {
            control,
            clock,
            asked_ns: AtomicU64::new(0),
            stopping_ns: AtomicU64::new(0),
            patience_ns: AtomicU64::new(nanoseconds(PATIENCE)),
            is_connected: AtomicBool::new(false),
        }
    }

    pub(crate) fn set_patience(&self, patience: Duration) {
        self.patience_ns.store(nanoseconds(patience), Ordering::Relaxed);
    }

    pub(crate) fn set_connected(&self) {
        self.is_connected.store(true, Ordering::Release);
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.is_connected.load(Ordering::Acquire)
    }

    /// The reader is there.
    pub(crate) fn asks(&self) {
        self.asked_ns.store(self.clock.now_ns(), Ordering::Relaxed);
    }

    /// The run was asked to stop or has failed, its frames wait for this reader, and it has not been there for longer
    /// than its patience. Asked when the queue is full. A run whose sources have ended by themselves waits for its
    /// readers.
    pub(crate) fn is_missing(&self) -> bool {
        if !self.control.is_asked_to_stop() && self.control.failure().is_none() {
            return false;
        }
        // At least 1, because 0 means that the time is not set.
        let now_ns = self.clock.now_ns().max(1);
        let first = self.stopping_ns.compare_exchange(0, now_ns, Ordering::Relaxed, Ordering::Relaxed);
        let since_ns = first.err().unwrap_or(now_ns).max(self.asked_ns.load(Ordering::Relaxed));
        now_ns.saturating_sub(since_ns) > self.patience_ns.load(Ordering::Relaxed)
    }
}

pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_reader_is_missed_when_it_has_not_asked_since_the_run_stops() {
        let (control, clock) = (Arc::new(RunControl::default()), Clock::simulated());
        let reader = Reader::new(control.clone(), clock.clone());
        let second = 1_000_000_000;
        clock.advance(50 * second);
        // Nothing is hurried while the run continues.
        assert!(!reader.is_missing());
        // Sources that end by themselves set no time limit.
        control.stop();
        assert!(!reader.is_missing());
        clock.advance(55 * second);
        assert!(!reader.is_missing());
        control.ask_to_stop();
        assert!(!reader.is_missing());
        clock.advance(57 * second);
        assert!(!reader.is_missing());
        reader.asks();
        clock.advance(59 * second);
        assert!(!reader.is_missing());
        clock.advance(59 * second + 1);
        assert!(reader.is_missing());
        reader.set_patience(Duration::MAX);
        assert!(!reader.is_missing());
    }
}
