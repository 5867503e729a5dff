//! How long after it happened something is known.

/// Width of a bucket, and buckets: up to 40 ms, with everything longer in the last one.
const BUCKET_NS: u64 = 10_000;
const BUCKETS: usize = 4000;
/// Data further from the time of day than this, an hour, are not live.
const LIVE_NS: u64 = 3_600_000_000_000;

/// Distribution of the delays between the time in the data and the time of day, in steps of 10 us. Data whose times are more than an
/// hour from the time of day are not live, and not counted.
///
/// ```
/// use livetime_wire::Delays;
/// let mut delays = Delays::default();
/// let now = 1_700_000_000_000_000_000;
/// (1..=100).for_each(|us| delays.add(now - 1000 * us, now));
/// assert_eq!((delays.percentile(50), delays.max()), (60e-6, 100e-6));
/// ```
#[derive(Debug)]
pub struct Delays {
    counts: Vec<u64>,
    total: u64,
    max_ns: u64,
}

impl Default for Delays {
    fn default() -> Delays {
        Delays { counts: vec![0; BUCKETS], total: 0, max_ns: 0 }
    }
}

impl Delays {
    /// Counts what happened at `then_ns` and is known at `now_ns`, both ns since 1970.
    pub fn add(&mut self, then_ns: u64, now_ns: u64) {
        if now_ns.abs_diff(then_ns) > LIVE_NS {
            return;
        }
        let delay = now_ns.saturating_sub(then_ns);
        self.counts[((delay / BUCKET_NS) as usize).min(BUCKETS - 1)] += 1;
        self.total += 1;
        self.max_ns = self.max_ns.max(delay);
    }

    /// The delay in seconds that so much of a hundred is not longer than; 0 without live data.
    pub fn percentile(&self, percent: u64) -> f64 {
        let wanted = (self.total * percent).div_ceil(100);
        let mut seen = 0;
        let bucket = self.counts.iter().position(|count| {
            seen += count;
            seen >= wanted && wanted > 0
        });
        match bucket {
            None => 0.0,
            Some(bucket) if bucket + 1 == BUCKETS => self.max_ns as f64 / 1e9,
            Some(bucket) => ((bucket as u64 + 1) * BUCKET_NS) as f64 / 1e9,
        }
    }

    /// The longest delay in seconds.
    pub fn max(&self) -> f64 {
        self.max_ns as f64 / 1e9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_buckets() {
        let mut delays = Delays::default();
        assert_eq!(delays.percentile(50), 0.0);
        for us in 1..=1000u64 {
            delays.add(LIVE_NS * 1000, LIVE_NS * 1000 + us * 1000 - 1);
        }
        delays.add(0, LIVE_NS * 1000);
        assert_eq!(
            (delays.percentile(50), delays.percentile(99), delays.percentile(100)),
            (0.0005, 0.00099, 0.001)
        );
        delays.add(0, 90_000_000);
        assert_eq!((delays.percentile(100), delays.max()), (0.09, 0.09));
    }
}
