//! The end of a recording at a given size.

/// Limits of a recording; 0 is no limit.
#[derive(Clone, Copy, Debug)]
pub struct StopAfter {
    /// Plural of the counted items, as `records`.
    pub what: &'static str,
    /// The recording stops after this many items.
    pub count: u64,
    /// Bytes.
    pub bytes: u64,
    /// Seconds since its first.
    pub seconds: f64,
}

/// The size of a recording so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recorded {
    /// Things that were recorded.
    pub count: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// When the first of it was recorded.
    since_ns: Option<u64>,
}

impl Recorded {
    /// Counts items that were recorded at `now_ns` on the clock of the run.
    pub fn add(&mut self, count: u64, bytes: u64, now_ns: u64) {
        self.since_ns.get_or_insert(now_ns);
        self.count += count;
        self.bytes += bytes;
    }

    /// The limit that was reached, in words; `None` while the recording goes on.
    pub fn is_enough(&self, wanted: &StopAfter, now_ns: u64) -> Option<String> {
        let has = |number: u64, wanted: u64| wanted > 0 && number >= wanted;
        let seconds = self.since_ns.map_or(0.0, |since_ns| now_ns.saturating_sub(since_ns) as f64 / 1e9);
        if has(self.count, wanted.count) {
            Some(format!("{} {} are recorded, as wanted", self.count, wanted.what))
        } else if has(self.bytes, wanted.bytes) {
            Some(format!("{} bytes are recorded, as wanted", self.bytes))
        } else if wanted.seconds > 0.0 && seconds >= wanted.seconds {
            Some(format!("{seconds:.3} s are recorded, as wanted"))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_ends_it_and_zero_does_not() {
        let mut recorded = Recorded::default();
        let none = StopAfter { what: "records", count: 0, bytes: 0, seconds: 0.0 };
        recorded.add(5, 100, 2_000_000_000);
        recorded.add(5, 100, 3_000_000_000);
        let why = |wanted: StopAfter| recorded.is_enough(&wanted, 4_000_000_000);
        assert_eq!(why(none), None);
        assert_eq!(why(StopAfter { count: 11, bytes: 201, seconds: 2.1, ..none }), None);
        assert_eq!(why(StopAfter { count: 10, ..none }).unwrap(), "10 records are recorded, as wanted");
        assert_eq!(why(StopAfter { bytes: 200, ..none }).unwrap(), "200 bytes are recorded, as wanted");
        assert_eq!(why(StopAfter { seconds: 2.0, ..none }).unwrap(), "2.000 s are recorded, as wanted");
        // Nothing recorded yet takes no time.
        assert_eq!(Recorded::default().is_enough(&StopAfter { seconds: 0.1, ..none }, u64::MAX), None);
    }
}
