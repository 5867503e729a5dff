//! Which of two levels is faster for a kernel: found out on this processor, in its first calls.
//!
//! The higher level is not always the faster one: turning an image of `f32` takes 0.70 ms with AVX-512 and 1.09 with AVX2 on one processor
//! (Xeon, model 207) and 0.48 and 0.40 on another one (Zen 5). So no table could say it. A kernel for which this has been seen asks a [`Fastest`], and
//! `livetime-bench nodes` shows for all kernels each level beside the one that is chosen.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::Level;

/// Timed calls of each level; the fastest counts, as nothing makes a call too fast.
const TRIALS: u32 = 8;
/// Bytes of work below which a call is too short to be timed, and is not.
const LEAST_BYTES: usize = 1 << 16;
/// The lower level is taken if it is faster by more than this part of its time.
const MARGIN: u64 = 32;

/// Times the calls of a kernel and knows the faster level from then on. Several threads may use one.
#[derive(Debug)]
pub(crate) struct Fastest {
    calls: AtomicU32,
    /// The least ps a byte, for the higher and for the lower level.
    least: [AtomicU64; 2],
}

impl Fastest {
    pub(crate) const fn new() -> Fastest {
        Fastest { calls: AtomicU32::new(0), least: [AtomicU64::new(u64::MAX), AtomicU64::new(u64::MAX)] }
    }

    /// Calls the kernel with `level`, or with the faster one if it may choose. `bytes` is the work of this call.
    #[inline(always)]
    pub(crate) fn run<R>(&self, level: Level, bytes: usize, kernel: impl FnOnce(Level) -> R) -> R {
        let Some(levels) = level.choice() else { return kernel(level) };
        // Relaxed: the count guards no memory, and a thread that sees an older one times a call more.
        let calls = self.calls.load(Relaxed);
        if calls >= 2 * TRIALS {
            return kernel(levels[self.faster()]);
        }
        if bytes < LEAST_BYTES {
            return kernel(levels[0]);
        }
        // By turns, so that both levels have as many trials.
        let which = (self.calls.fetch_add(1, Relaxed) % 2) as usize;
        let start = Instant::now();
        let result = kernel(levels[which]);
        self.note(which, start.elapsed(), bytes);
        result
    }

    fn note(&self, which: usize, time: Duration, bytes: usize) {
        let ps = u64::try_from(time.as_nanos() * 1000 / bytes as u128).unwrap_or(u64::MAX);
        self.least[which].fetch_min(ps, Relaxed);
    }

    /// 1 if the lower level is faster.
    fn faster(&self) -> usize {
        let [higher, lower] = [0, 1].map(|which| self.least[which].load(Relaxed));
        usize::from(lower < higher - higher / MARGIN)
    }
}

impl Clone for Fastest {
    /// A clone has measured nothing, because it may be used for another size.
    fn clone(&self) -> Fastest {
        Fastest::new()
    }
}

impl Default for Fastest {
    fn default() -> Fastest {
        Fastest::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faster_level_is_chosen_and_the_higher_one_if_they_are_alike() {
        let us = Duration::from_micros;
        for (higher, lower, chosen) in [(100, 80, 1), (80, 100, 0), (100, 99, 0), (100, 100, 0)] {
            let fastest = Fastest::new();
            // One call was disturbed.
            for (time, which) in [(900, 1), (higher, 0), (lower, 1), (900, 0)] {
                fastest.note(which, us(time), 1 << 20);
            }
            assert_eq!(fastest.faster(), chosen, "{higher} {lower}");
        }
    }

    #[test]
    fn both_levels_are_tried_then_one_is_kept() {
        let (fastest, mut seen) = (Fastest::new(), Vec::new());
        let Some(levels) = Level::best().choice() else { return };
        for call in 0..4 * TRIALS {
            // The lower level is made the faster one.
            fastest.run(Level::best(), 1 << 20, |level| {
                seen.push(level);
                let is_slow = call < 2 * TRIALS && level == levels[0];
                std::thread::sleep(Duration::from_millis(if is_slow { 20 } else { 0 }));
            });
        }
        let (trials, after) = seen.split_at(2 * TRIALS as usize);
        assert!(
            levels.iter().all(|level| trials.iter().filter(|seen| *seen == level).count() == TRIALS as usize)
        );
        assert!(after.iter().all(|level| *level == levels[1]));
    }

    #[test]
    fn a_level_that_was_asked_for_is_taken() {
        let fastest = Fastest::new();
        for level in Level::available() {
            for _ in 0..3 * TRIALS {
                assert_eq!(fastest.run(level, 1 << 20, |level| level), level);
            }
        }
        assert_eq!(fastest.calls.load(Relaxed), 0);
    }

    #[test]
    fn short_calls_are_not_timed() {
        let fastest = Fastest::new();
        for _ in 0..3 * TRIALS {
            assert_eq!(fastest.run(Level::best(), 100, |level| level), Level::best());
        }
        assert_eq!(fastest.calls.load(Relaxed), 0);
    }
}
