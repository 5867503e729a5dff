//! Decimation and rate limits: which of the offered items are accepted at all.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::{EdgeOptions, LossReason};

/// Passes one item in `every`, and at most `max_rate_hz` a second.
///
/// ```
/// use livetime_runtime::{EdgeOptions, LossReason, Thinning};
///
/// let thinning = Thinning::new(&EdgeOptions { every: 3, ..EdgeOptions::default() });
/// let passed: Vec<bool> = (0..6).map(|_| thinning.check_alone(|| 0).is_ok()).collect();
/// assert_eq!(passed, [true, false, false, true, false, false]);
/// assert_eq!(thinning.check_alone(|| 0), Ok(()));
/// assert_eq!(thinning.check_alone(|| 0), Err(LossReason::Decimated));
/// ```
#[derive(Default)]
pub struct Thinning {
    every: u64,
    /// From one item to the next at the highest rate; 0 without a limit.
    interval_ns: u64,
    /// The time that a byte takes at the highest rate of bytes; 0 without a limit.
    byte_ns: f64,
    /// Items since the last that passed, that one included.
    since: AtomicU64,
    next_allowed_ns: AtomicU64,
    next_bytes_allowed_ns: AtomicU64,
}

impl Thinning {
    /// As `options` say; the first item passes.
    pub fn new(options: &EdgeOptions) -> Thinning {
        let interval = |rate: f64| (1e9 / rate) as u64;
        let interval_ns = options.max_rate_hz.filter(|rate| *rate > 0.0).map_or(0, interval);
        let byte_ns = options.max_bytes_per_s.filter(|rate| *rate > 0.0).map_or(0.0, |rate| 1e9 / rate);
        Thinning { every: options.every, interval_ns, byte_ns, ..Thinning::default() }
    }

    /// False when everything passes.
    #[inline]
    pub fn is_needed(&self) -> bool {
        self.every > 1 || self.interval_ns > 0 || self.byte_ns > 0.0
    }

    /// Whether an item of `bytes` passes the limit on bytes, after it has passed the others. One thread at a time may
    /// call it. An item that passes takes the time of its bytes at the highest rate, so the mean rate keeps the limit,
    /// and an item with more bytes than a second allows passes all the same.
    ///
    /// ```
    /// use livetime_runtime::{EdgeOptions, Thinning};
    /// let thinning = Thinning::new(&EdgeOptions { max_bytes_per_s: Some(1e6), ..EdgeOptions::default() });
    /// // A thousand bytes take a millisecond.
    /// let passed = (0..100).filter(|i| thinning.check_bytes(1000, || i * 100_000).is_ok()).count();
    /// assert_eq!(passed, 10);
    /// ```
    ///
    /// # Errors
    /// [`LossReason::RateLimited`], if it does not.
    #[inline]
    pub fn check_bytes(&self, bytes: usize, now_ns: impl FnOnce() -> u64) -> Result<(), LossReason> {
        if self.byte_ns == 0.0 {
            return Ok(());
        }
        let (now_ns, interval_ns) = (now_ns(), (bytes as f64 * self.byte_ns) as u64);
        let slot =
            |allowed: u64| allowed.saturating_add(interval_ns).max(now_ns.saturating_add(interval_ns / 2));
        let next = |allowed| (now_ns >= allowed).then(|| slot(allowed));
        update::<true>(&self.next_bytes_allowed_ns, next).map(|_| ()).ok_or(LossReason::RateLimited)
    }

    /// Whether the next item passes; `now_ns` is called only if there is a rate limit. One thread at a time
    /// may call it.
    ///
    /// # Errors
    /// Why it does not.
    #[inline]
    pub fn check_alone(&self, now_ns: impl FnOnce() -> u64) -> Result<(), LossReason> {
        self.check::<true>(now_ns)
    }

    /// As [`check_alone`](Thinning::check_alone), for any number of threads.
    ///
    /// # Errors
    /// Why it does not.
    pub fn check_shared(&self, now_ns: impl FnOnce() -> u64) -> Result<(), LossReason> {
        self.check::<false>(now_ns)
    }

    #[inline]
    fn check<const ALONE: bool>(&self, now_ns: impl FnOnce() -> u64) -> Result<(), LossReason> {
        if self.every > 1 {
            let next = |since| Some(if since + 1 == self.every { 0 } else { since + 1 });
            if update::<ALONE>(&self.since, next) != Some(0) {
                return Err(LossReason::Decimated);
            }
        }
        if self.interval_ns > 0 {
            let now_ns = now_ns();
            // Counting from the last slot and not from now keeps the mean rate at the limit, while a stream that
            // paused gets no burst.
            let slot = |allowed: u64| (allowed + self.interval_ns).max(now_ns + self.interval_ns / 2);
            let next = |allowed| (now_ns >= allowed).then(|| slot(allowed));
            update::<ALONE>(&self.next_allowed_ns, next).ok_or(LossReason::RateLimited)?;
        }
        Ok(())
    }
}

/// Replaces a number by the result of a function of it and returns the old number; the number stays if the
/// function returns `None`. If only one thread writes, plain loads and stores suffice.
#[inline]
fn update<const ALONE: bool>(number: &AtomicU64, next: impl Fn(u64) -> Option<u64>) -> Option<u64> {
    if !ALONE {
        return number.fetch_update(Relaxed, Relaxed, next).ok();
    }
    let old = number.load(Relaxed);
    number.store(next(old)?, Relaxed);
    Some(old)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passed(options: EdgeOptions, times_ns: impl Iterator<Item = u64>) -> [usize; 2] {
        let (alone, shared) = (Thinning::new(&options), Thinning::new(&options));
        times_ns.fold([0, 0], |[a, b], now_ns| {
            let (is_alone, is_shared) = (alone.check_alone(|| now_ns), shared.check_shared(|| now_ns));
            assert_eq!(is_alone, is_shared);
            [a + usize::from(is_alone.is_ok()), b + usize::from(is_shared.is_ok())]
        })
    }

    #[test]
    fn one_thread_and_many_keep_the_same_rule() {
        let every = EdgeOptions { every: 7, ..EdgeOptions::default() };
        assert_eq!(passed(every, (0..70).map(|i| i * 1_000)), [10, 10]);
        let limited = EdgeOptions { max_rate_hz: Some(1_000.0), ..EdgeOptions::default() };
        // A second at 10 kHz; the mean rate is the limit.
        assert_eq!(passed(limited, (0..10_000).map(|i| i * 100_000)), [1_000, 1_000]);
        let both = EdgeOptions { every: 2, ..limited };
        assert_eq!(passed(both, (0..10_000).map(|i| i * 100_000)), [1_000, 1_000]);
    }

    #[test]
    fn a_stream_that_paused_gets_no_burst() {
        let limited = EdgeOptions { max_rate_hz: Some(1_000.0), ..EdgeOptions::default() };
        // Ten items at once after a silence of a second: one passes, and one half an interval later.
        let times = [0].into_iter().chain((0..10).map(|i| 1_000_000_000 + i)).chain([1_000_500_000]);
        assert_eq!(passed(limited, times), [3, 3]);
    }

    #[test]
    fn without_options_everything_passes() {
        let thinning = Thinning::new(&EdgeOptions::default());
        assert!(!thinning.is_needed());
        assert!((0..100).all(|i| thinning.check_shared(|| i).is_ok()));
    }
}
