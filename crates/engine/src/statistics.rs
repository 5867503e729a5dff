//! Always-on statistics: counters and histograms that one thread writes and anybody reads.

use std::sync::atomic::{AtomicU64, Ordering};

/// Sub-buckets per power of two: a value is known to 1/16 of itself, about 6 %.
const FINE_BITS: u32 = 4;
const FINE: usize = 1 << FINE_BITS;
/// Buckets up to 2^44 ns, about five hours; longer times land in the last one.
const BUCKETS: usize = (44 - FINE_BITS as usize + 1) * FINE;

/// A histogram of times in ns, with one writer.
///
/// Recording costs a few ns: plain loads and stores, no read-modify-write, no lock.
pub(crate) struct Histogram {
    buckets: Box<[AtomicU64]>,
    sum: AtomicU64,
    max: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        let buckets = (0..BUCKETS).map(|_| AtomicU64::new(0)).collect();
        Histogram { buckets, sum: AtomicU64::new(0), max: AtomicU64::new(0) }
    }
}

impl Histogram {
    /// Only the thread that owns the statistics calls it.
    #[inline]
    pub(crate) fn record(&self, ns: u64) {
        add(&self.buckets[bucket_of(ns)], 1);
        add(&self.sum, ns);
        if ns > self.max.load(Ordering::Relaxed) {
            self.max.store(ns, Ordering::Relaxed);
        }
    }

    fn read_into(&self, total: &mut Times, counts: &mut [u64]) {
        for (sum, bucket) in counts.iter_mut().zip(&self.buckets) {
            *sum += bucket.load(Ordering::Relaxed);
        }
        total.sum_ns += self.sum.load(Ordering::Relaxed);
        total.max_ns = total.max_ns.max(self.max.load(Ordering::Relaxed));
    }
}

/// Adds to a counter that only this thread writes.
#[inline]
pub(crate) fn add(counter: &AtomicU64, value: u64) {
    counter.store(counter.load(Ordering::Relaxed).wrapping_add(value), Ordering::Relaxed);
}

#[inline]
fn bucket_of(ns: u64) -> usize {
    if ns < FINE as u64 {
        return ns as usize;
    }
    let octave = ns.ilog2() - FINE_BITS;
    let fine = (ns >> octave) as usize - FINE;
    ((octave as usize + 1) * FINE + fine).min(BUCKETS - 1)
}

/// The middle of a bucket.
fn value_of(bucket: usize) -> u64 {
    if bucket < FINE {
        return bucket as u64;
    }
    let octave = bucket / FINE - 1;
    let low = ((FINE + bucket % FINE) as u64) << octave;
    low + (1 << octave) / 2
}

/// A summary of times in ns. Percentiles are known to about 6 %.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Times {
    /// How many times were recorded.
    pub count: u64,
    /// Their sum.
    pub sum_ns: u64,
    /// Half of them were not longer than this.
    pub p50_ns: u64,
    /// 99 of 100 were not longer than this.
    pub p99_ns: u64,
    /// The longest.
    pub max_ns: u64,
}

impl Times {
    /// The mean; 0 when nothing was recorded.
    pub fn mean_ns(&self) -> u64 {
        self.sum_ns.checked_div(self.count).unwrap_or(0)
    }
}

/// Merges what several writers recorded.
pub(crate) fn summarise<'a>(histograms: impl IntoIterator<Item = &'a Histogram>) -> Times {
    let mut times = Times::default();
    let mut counts = [0; BUCKETS];
    for histogram in histograms {
        histogram.read_into(&mut times, &mut counts);
    }
    times.count = counts.iter().sum();
    times.p50_ns = percentile(&counts, times.count, 50).min(times.max_ns);
    times.p99_ns = percentile(&counts, times.count, 99).min(times.max_ns);
    times
}

fn percentile(counts: &[u64], total: u64, percent: u64) -> u64 {
    let rank = (total * percent).div_ceil(100).max(1);
    let mut seen = 0;
    for (bucket, count) in counts.iter().enumerate() {
        seen += count;
        if seen >= rank {
            return value_of(bucket);
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_ordered_and_know_their_value_to_six_percent() {
        let mut last = 0;
        for ns in (0..5000).chain((13..43).flat_map(|bit| [(1u64 << bit) - 1, 1 << bit, (1 << bit) + 7])) {
            let bucket = bucket_of(ns);
            assert!(bucket >= last, "{ns}");
            last = bucket;
            assert!(value_of(bucket).abs_diff(ns) <= ns / 16 + 1, "{ns} became {}", value_of(bucket));
        }
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn percentiles_of_a_known_distribution() {
        let (a, b) = (Histogram::default(), Histogram::default());
        (1..=500).for_each(|ns| a.record(ns * 1000));
        (501..=1000).for_each(|ns| b.record(ns * 1000));
        let times = summarise([&a, &b]);
        assert_eq!((times.count, times.max_ns, times.mean_ns()), (1000, 1_000_000, 500_500));
        assert!(times.p50_ns.abs_diff(500_000) < 32_000, "{}", times.p50_ns);
        assert!(times.p99_ns.abs_diff(990_000) < 64_000, "{}", times.p99_ns);
        assert_eq!(summarise([]).p99_ns, 0);
    }
}
