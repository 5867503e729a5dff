//! The engine's observations of a source: gaps in its numbers, silences, and its rate.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use livetime_frame::SourceId;
use livetime_runtime::sampling::{FAST_NS, FAST_TIMED_EVERY, Sampler};
use livetime_runtime::statistics::add;

use crate::account::NodeAccount;

/// Watches that the numbers a source gives are contiguous, and that frames keep coming.
pub(crate) struct SourceWatch {
    pub(crate) id: SourceId,
    pub(crate) expected: Option<u64>,
    pub(crate) last_ns: u64,
    pub(crate) mean_gap_ns: u64,
    /// A stop of the run does not end the source: it sees the stop, and says itself when it has ended.
    pub(crate) ends_itself: bool,
    /// Another thread has something for the source.
    pub(super) waker: Arc<AtomicBool>,
    timed: Sampler,
}

/// A source without a frame for this long, and for eight times its usual gap, is reported as stalled. The fixed time
/// keeps short disturbances of fast sources out of the report, the factor keeps slow sources out.
pub(crate) const STALL_NS: u64 = 500_000_000;

impl SourceWatch {
    pub(crate) fn new(id: SourceId) -> SourceWatch {
        SourceWatch {
            id,
            expected: None,
            last_ns: 0,
            mean_gap_ns: 0,
            ends_itself: false,
            waker: Arc::default(),
            timed: Sampler::every(1),
        }
    }

    /// True when another thread has something for the source.
    pub(crate) fn is_woken(&self) -> bool {
        self.waker.load(Ordering::Acquire)
    }

    /// True when another thread may wake the source.
    pub(crate) fn has_waker(&self) -> bool {
        Arc::strong_count(&self.waker) > 1
    }

    /// The source is about to look: a ring from now on counts for its next call.
    pub(crate) fn answer(&self) {
        if self.waker.load(Ordering::Relaxed) {
            self.waker.swap(false, Ordering::AcqRel);
        }
    }

    /// The next number may leave out `frames` without being a jump: they are counted elsewhere.
    pub(crate) fn skip(&mut self, frames: u64) {
        self.expected = self.expected.map(|expected| expected.saturating_add(frames));
    }

    pub(crate) fn watch(&mut self, sequence: u64, now_ns: u64, account: &NodeAccount) {
        match self.expected {
            Some(expected) if sequence > expected => {
                add(&account.sequence_jumps, 1);
                add(&account.source_gap, sequence - expected);
            }
            Some(expected) if sequence < expected => add(&account.sequence_repeats, 1),
            _ => {}
        }
        // 0 means that this frame is not timed.
        if now_ns != 0 {
            if self.expected.is_some() {
                self.watch_gap(now_ns - self.last_ns, account);
            }
            self.last_ns = now_ns;
        }
        // A repeated number does not set the count back: the numbers behind it would all count as repeats or jumps.
        self.expected = Some(self.expected.unwrap_or(0).max(sequence.saturating_add(1)));
    }

    /// Counts down to the next frame whose way is timed.
    pub(crate) fn is_next_timed(&mut self) -> bool {
        self.timed.pick()
    }

    /// Frames that follow each other fast are timed one in [`FAST_TIMED_EVERY`].
    pub(crate) fn adapt(&mut self, frames: u64, elapsed_ns: u64) {
        let is_fast = frames > 0 && elapsed_ns / frames < FAST_NS;
        self.timed.set_every(if is_fast { FAST_TIMED_EVERY } else { 1 });
    }

    fn watch_gap(&mut self, gap_ns: u64, account: &NodeAccount) {
        if gap_ns > STALL_NS && gap_ns > 8 * self.mean_gap_ns {
            add(&account.stalls, 1);
        }
        if gap_ns > account.longest_gap_ns.load(Ordering::Relaxed) {
            account.longest_gap_ns.store(gap_ns, Ordering::Relaxed);
        }
        self.mean_gap_ns = if self.mean_gap_ns == 0 { gap_ns } else { (7 * self.mean_gap_ns + gap_ns) / 8 };
    }
}
