//! How long after it happened something is known.

/// Width of a bucket, which is the resolution of the percentiles.
const BUCKET_NS: u64 = 10_000;
/// Number of buckets: up to 40 ms; longer delays count in the last one.
const BUCKETS: usize = 4000;
/// Data further from the time of day than this, an hour, are not live.
const LIVE_NS: u64 = 3_600_000_000_000;

/// Distribution of the delays between the time in the data and the time of day, in steps of 10 us. Data whose times are
/// more than an hour from the time of day are not live, and are left out.
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
    /// Time in the data and time of entry of the first frame.
    first: Option<(u64, u64)>,
    /// Time passes in the data as it does for their source.
    is_live: bool,
}

/// Time that passed in the data may differ from real time by this much, and by a twentieth of the real time, before the
/// data count as not live.
const SLACK_NS: u64 = 50_000_000;

impl Default for Delays {
    fn default() -> Delays {
        Delays { counts: vec![0; BUCKETS], total: 0, max_ns: 0, first: None, is_live: true }
    }
}

impl Delays {
    /// Compares the pace of the data with the pace of the run: a frame with the time `data_ns`, ns since 1970, entered
    /// the program at `entry_ns` of the run's clock; 0 is unknown. Data whose time passes slower or faster than real
    /// time, from a recording that is played or a simulation at another rate, are not live: a delay there is only an
    /// old time. From then on nothing is counted.
    pub fn follow(&mut self, data_ns: i64, entry_ns: u64) {
        let Ok(data_ns) = u64::try_from(data_ns) else { return };
        if entry_ns == 0 || !self.is_live {
            return;
        }
        let (first_ns, first_entry_ns) = *self.first.get_or_insert((data_ns, entry_ns));
        let (data, real) = (data_ns.saturating_sub(first_ns), entry_ns.saturating_sub(first_entry_ns));
        if data.abs_diff(real) > SLACK_NS + real / 20 {
            *self = Delays { is_live: false, ..Delays::default() };
        }
    }

    /// Counts an event of `then_ns` that is known at `now_ns`, both ns since 1970.
    pub fn add(&mut self, then_ns: u64, now_ns: u64) {
        if !self.is_live || now_ns.abs_diff(then_ns) > LIVE_NS {
            return;
        }
        let delay = now_ns.saturating_sub(then_ns);
        self.counts[((delay / BUCKET_NS) as usize).min(BUCKETS - 1)] += 1;
        self.total += 1;
        self.max_ns = self.max_ns.max(delay);
    }

    /// The delay in seconds that is not exceeded by `percent` of a hundred; 0 without live data.
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
    fn data_whose_time_passes_at_another_pace_are_not_live() {
        let second = 1_000_000_000;
        for (pace, is_live) in [(1.0, true), (1.01, true), (0.2, false), (3.0, false)] {
            let mut delays = Delays::default();
            let begin = 1_700_000_000 * second;
            for tenth in 0..30u64 {
                let then = begin + (tenth as f64 * pace * 1e8) as u64;
                delays.follow(then as i64, 77 + tenth * 100_000_000);
                delays.add(then, begin + tenth * 100_000_000 + 1000);
            }
            assert_eq!(delays.max() > 0.0, is_live, "{pace}");
        }
    }

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
