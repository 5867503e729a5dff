//! Always-on statistics: counters and histograms that one thread writes and any thread reads.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Sub-buckets per power of two: a value is known to 1/16 of itself, about 6 %.
const FINE_BITS: u32 = 4;
const FINE: usize = 1 << FINE_BITS;
/// Buckets up to 2^44 ns, about five hours; longer times land in the last one.
const BUCKETS: usize = (44 - FINE_BITS as usize + 1) * FINE;

/// A histogram of times in ns, with one writer.
///
/// Recording costs a few ns: plain loads and stores, no read-modify-write, no lock.
pub struct Histogram {
    buckets: Box<[AtomicU64]>,
    /// The first bucket that was ever filled, and the bucket behind the last: the empty buckets outside, which are
    /// most, need not be read.
    first: AtomicUsize,
    end: AtomicUsize,
    sum: AtomicU64,
    max: AtomicU64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        let buckets = (0..BUCKETS).map(|_| AtomicU64::new(0)).collect();
        let [first, end] = [BUCKETS, 0].map(AtomicUsize::new);
        Histogram { buckets, first, end, sum: AtomicU64::new(0), max: AtomicU64::new(0) }
    }
}

impl Histogram {
    /// Only the thread that owns the statistics calls it.
    #[inline]
    pub fn record(&self, ns: u64) {
        let bucket = bucket_of(ns);
        // Relaxed everywhere: one thread writes, and a reader may see a count that is a moment old.
        add(&self.buckets[bucket], 1);
        if bucket < self.first.load(Ordering::Relaxed) {
            self.first.store(bucket, Ordering::Relaxed);
        }
        if bucket >= self.end.load(Ordering::Relaxed) {
            self.end.store(bucket + 1, Ordering::Relaxed);
        }
        add(&self.sum, ns);
        if ns > self.max.load(Ordering::Relaxed) {
            self.max.store(ns, Ordering::Relaxed);
        }
    }

    /// Its present content.
    pub fn read(&self) -> Times {
        let (first, end) = (self.first.load(Ordering::Relaxed), self.end.load(Ordering::Relaxed));
        let used = self.buckets.get(first..end).unwrap_or_default();
        let counts: Vec<u64> = used.iter().map(|bucket| bucket.load(Ordering::Relaxed)).collect();
        let mut times = Times {
            count: counts.iter().sum(),
            sum_ns: self.sum.load(Ordering::Relaxed),
            max_ns: self.max.load(Ordering::Relaxed),
            ..Times::default()
        };
        // A bucket at an end may not be seen filled yet.
        times.add_counts(first, &counts);
        times
    }
}

/// Adds to a counter that only this thread writes.
#[inline]
pub fn add(counter: &AtomicU64, value: u64) {
    // One writer: a load and a store cost less than an atomic addition.
    counter.store(counter.load(Ordering::Relaxed).wrapping_add(value), Ordering::Relaxed);
}

#[inline]
fn bucket_of(ns: u64) -> usize {
    // Octaves below this have fewer values than sub-buckets.
    if ns < FINE as u64 {
        return ns as usize;
    }
    // The highest set bit selects the octave, the next `FINE_BITS` bits the bucket in it.
    let octave = ns.ilog2() - FINE_BITS;
    let fine = (ns >> octave) as usize - FINE;
    ((octave as usize + 1) * FINE + fine).min(BUCKETS - 1)
}

/// The smallest time that falls into a bucket; `u64::MAX` for the bucket after the last one.
fn start_of(bucket: usize) -> u64 {
    if bucket < FINE {
        return bucket as u64;
    }
    if bucket >= BUCKETS {
        return u64::MAX;
    }
    ((FINE + bucket % FINE) as u64) << (bucket / FINE - 1)
}

/// The middle of a bucket.
fn value_of(bucket: usize) -> u64 {
    let low = start_of(bucket);
    let width = if bucket < FINE { 1 } else { 1 << (bucket / FINE - 1) };
    low + width / 2
}

/// A histogram of times in ns, to be merged with others.
///
/// The edges are the same everywhere: one bucket per ns below 16 ns, then 16 equal ones per power of two, up
/// to 2^44 ns (about five hours), beyond which all fall into the last. A time is therefore known to 1/16 of
/// itself, every power of two from 16 ns on is an edge, and histograms are merged without loss.
///
/// ```
/// use livetime_runtime::Times;
///
/// let mut times = Times::of([100, 200]);
/// times.merge(&Times::of([40_000]));
/// assert_eq!((times.count, times.sum_ns, times.max_ns), (3, 40_300, 40_000));
/// assert_eq!(times.count_below(256), 2);
/// assert!(times.p99_ns().abs_diff(40_000) < 40_000 / 16);
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Times {
    /// How many times were recorded.
    pub count: u64,
    /// Their sum.
    pub sum_ns: u64,
    /// The longest.
    pub max_ns: u64,
    /// Number of the first bucket in `counts`.
    first: usize,
    /// From the first bucket that is not empty to the last.
    counts: Vec<u64>,
}

/// Times from one edge of a histogram to the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bucket {
    /// The shortest time in it.
    pub from_ns: u64,
    /// All are below this.
    pub to_ns: u64,
    /// How many.
    pub count: u64,
}

impl Times {
    /// A histogram of these times.
    pub fn of(times_ns: impl IntoIterator<Item = u64>) -> Times {
        let histogram = Histogram::default();
        times_ns.into_iter().for_each(|ns| histogram.record(ns));
        histogram.read()
    }

    /// The mean; 0 when nothing was recorded.
    pub fn mean_ns(&self) -> u64 {
        self.sum_ns.checked_div(self.count).unwrap_or(0)
    }

    /// Half of them were not longer than this.
    pub fn p50_ns(&self) -> u64 {
        self.percentile_ns(50.0)
    }

    /// 99 of 100 were not longer than this.
    pub fn p99_ns(&self) -> u64 {
        self.percentile_ns(99.0)
    }

    /// The time that `percent` percent of the recorded times do not exceed, accurate to about 6 %; 0 when
    /// nothing was recorded.
    fn percentile_ns(&self, percent: f64) -> u64 {
        // `max(1)`: `clamp` panics if its upper bound is below the lower one, as it would be without times.
        let rank = ((self.count as f64 * percent / 100.0).ceil() as u64).clamp(1, self.count.max(1));
        let mut seen = 0;
        for (place, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                // The middle of the last bucket may exceed the longest recorded time.
                return value_of(self.first + place).min(self.max_ns);
            }
        }
        0
    }

    /// How many times were shorter than `ns`. The count is exact if `ns` is an edge; otherwise times in the
    /// bucket of `ns` are not counted.
    pub fn count_below(&self, ns: u64) -> u64 {
        let whole = bucket_of(ns).saturating_sub(self.first).min(self.counts.len());
        self.counts[..whole].iter().sum()
    }

    /// The buckets that are not empty, shortest times first.
    pub fn buckets(&self) -> impl Iterator<Item = Bucket> {
        let numbered = self.counts.iter().enumerate().map(|(place, count)| (self.first + place, *count));
        numbered.filter(|(_, count)| *count > 0).map(|(number, count)| Bucket {
            from_ns: start_of(number),
            to_ns: start_of(number + 1),
            count,
        })
    }

    /// Adds the counts of another histogram.
    pub fn merge(&mut self, other: &Times) {
        self.count += other.count;
        self.sum_ns += other.sum_ns;
        self.max_ns = self.max_ns.max(other.max_ns);
        self.add_counts(other.first, &other.counts);
    }

    /// The times that were recorded since this histogram was `before`: its counts less the counts of `before`.
    ///
    /// The longest of these times is known to its bucket only.
    ///
    /// ```
    /// use livetime_runtime::Times;
    ///
    /// let before = Times::of([3_000_000_000]);
    /// let mut now = before.clone();
    /// now.merge(&Times::of([1_000, 1_000]));
    /// let since = now.since(&before);
    /// assert_eq!((since.count, since.sum_ns), (2, 2_000));
    /// assert!(since.p99_ns().abs_diff(1_000) < 1_000 / 16);
    /// ```
    pub fn since(&self, before: &Times) -> Times {
        let known = |number: usize| {
            let place = number.checked_sub(before.first);
            place.and_then(|place| before.counts.get(place)).copied().unwrap_or(0)
        };
        let numbered = self.counts.iter().enumerate();
        let counts: Vec<u64> =
            numbered.map(|(place, count)| count.saturating_sub(known(self.first + place))).collect();
        let last = counts.iter().rposition(|count| *count > 0);
        let mut times = Times {
            count: counts.iter().sum(),
            sum_ns: self.sum_ns.saturating_sub(before.sum_ns),
            max_ns: last.map_or(0, |last| self.max_ns.min(start_of(self.first + last + 1) - 1)),
            ..Times::default()
        };
        times.add_counts(self.first, &counts);
        times
    }

    fn add_counts(&mut self, first: usize, counts: &[u64]) {
        // Empty buckets at the ends are cut off, so that histograms with equal counts compare as equal.
        let Some(lead) = counts.iter().position(|count| *count > 0) else { return };
        let end = first + counts.iter().rposition(|count| *count > 0).map_or(0, |last| last + 1);
        let (first, counts) = (first + lead, &counts[lead..]);
        // An empty histogram begins at the first count, instead of filling all buckets below it.
        if self.counts.is_empty() {
            self.first = first;
        }
        let missing = self.first.saturating_sub(first);
        self.counts.splice(..0, std::iter::repeat_n(0, missing));
        self.first -= missing;
        self.counts.resize(self.counts.len().max(end - self.first), 0);
        let offset = first - self.first;
        self.counts[offset..].iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
}

/// Merges the histograms of several writers.
pub fn summarise<'a>(histograms: impl IntoIterator<Item = &'a Histogram>) -> Times {
    merged(histograms.into_iter().map(Histogram::read))
}

/// All of them in one.
pub fn merged(all: impl IntoIterator<Item = Times>) -> Times {
    let mut all = all.into_iter();
    // The first histogram becomes the sum: a single one is not added up again.
    let first = all.next().unwrap_or_default();
    all.fold(first, |mut sum, times| {
        sum.merge(&times);
        sum
    })
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
        assert!(times.p50_ns().abs_diff(500_000) < 32_000, "{}", times.p50_ns());
        assert!(times.p99_ns().abs_diff(990_000) < 64_000, "{}", times.p99_ns());
        assert_eq!(summarise([]).p99_ns(), 0);
    }

    #[test]
    fn merging_in_any_order_is_recording_together() {
        let mut random = crate::Random::new(7);
        let values: Vec<u64> = (0..3000).map(|_| random.below(1 << 40) as u64 >> random.below(40)).collect();
        let together = Times::of(values.iter().copied());
        for parts in [1, 3, 50] {
            let mut chunks: Vec<Times> =
                values.chunks(values.len() / parts).map(|c| Times::of(c.iter().copied())).collect();
            assert_eq!(merged(chunks.clone()), together);
            chunks.reverse();
            assert_eq!(merged(chunks), together);
        }
    }

    #[test]
    fn what_was_recorded_since_is_what_was_added() {
        let mut random = crate::Random::new(11);
        let mut values = |count: usize| -> Vec<u64> {
            (0..count).map(|_| random.below(1 << 40) as u64 >> random.below(40)).collect()
        };
        for (early, late) in [(0, 0), (0, 50), (50, 0), (300, 7), (7, 300)] {
            let (early, late) = (Times::of(values(early)), Times::of(values(late)));
            let both = merged([early.clone(), late.clone()]);
            let since = both.since(&early);
            assert_eq!((since.count, since.sum_ns), (late.count, late.sum_ns));
            assert!(since.buckets().eq(late.buckets()));
            assert!(since.max_ns >= late.max_ns && since.max_ns <= late.max_ns + late.max_ns / 16 + 1);
            assert_eq!(both.since(&both), Times::default());
        }
    }

    #[test]
    fn buckets_tile_the_times_and_powers_of_two_are_edges() {
        let values = [0, 15, 16, 17, 1023, 1024, 1025, (1 << 44) - 1, 1 << 44, u64::MAX];
        let times = Times::of(values);
        let buckets: Vec<Bucket> = times.buckets().collect();
        assert_eq!(buckets.iter().map(|b| b.count).sum::<u64>(), values.len() as u64);
        for value in &values[..values.len() - 1] {
            assert_eq!(
                buckets.iter().filter(|b| b.from_ns <= *value && *value < b.to_ns).count(),
                1,
                "{value}"
            );
        }
        assert_eq!(buckets.last().map(|b| b.to_ns), Some(u64::MAX));
        for power in 4..44 {
            let below = values.iter().filter(|v| **v < 1 << power).count() as u64;
            assert_eq!(times.count_below(1 << power), below, "2^{power}");
        }
        assert_eq!((0..BUCKETS).find(|b| start_of(b + 1) <= start_of(*b)), None);
    }
}
