//! A thread that only sleeps and wakes: how late it wakes says how long the machine had no core for a thread that wanted one.

use crate::Failed;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Often enough to see a stall of some milliseconds, seldom enough to cost nothing.
const SLEEP: Duration = Duration::from_millis(2);

/// A witness of stalls, until it is asked.
pub(super) struct Witness {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<Duration>,
}

impl Witness {
    pub(super) fn start() -> Result<Witness, Failed> {
        let is_over = Arc::new(AtomicBool::new(false));
        let over = is_over.clone();
        let thread = Builder::new().name("witness".into()).spawn(move || watch(&over));
        Ok(Witness { is_over, thread: thread.map_err(|e| format!("cannot start a thread: {e}"))? })
    }

    /// The longest time that it woke too late.
    pub(super) fn end(self) -> Duration {
        self.is_over.store(true, Ordering::Release);
        self.thread.join().unwrap_or_default()
    }
}

fn watch(is_over: &AtomicBool) -> Duration {
    let mut longest = Duration::ZERO;
    while !is_over.load(Ordering::Acquire) {
        let begin = Instant::now();
        std::thread::sleep(SLEEP);
        longest = longest.max(begin.elapsed().saturating_sub(SLEEP));
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_witness_says_how_late_it_woke() {
        let witness = Witness::start().unwrap();
        let begin = Instant::now();
        std::thread::sleep(Duration::from_millis(20));
        let longest = witness.end();
        // Every sleep ends some time after it should.
        assert!(longest > Duration::ZERO && longest <= begin.elapsed());
    }
}
