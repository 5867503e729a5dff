//! How fast a node is, from what it has done so far.

use livetime_engine::NodeReport;

use crate::report::rates::{per_second, share};

/// Rates are means over at least this long: shorter, and a detector of some hertz jumps; longer, and nobody sees it start.
const WINDOW_NS: u64 = 1_000_000_000;

/// How fast a node is.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Rates {
    /// Frames per second over the last second: sent by a source, handled by another node.
    pub hz: f64,
    /// Mean time to handle a frame, of those since the last look that saw one.
    pub service_ms: f64,
    /// CPU time of its threads in percent of one core, over the last second; 0 where it shares them.
    pub cpu_percent: f64,
}

/// What a rate needs to know of the time before.
#[derive(Default)]
pub(super) struct Pace {
    /// As they were at the last update.
    pub(super) rates: Rates,
    /// When the second began, and what had been done then.
    since_ns: u64,
    frames: u64,
    cpu_ns: u64,
    /// Frames that were timed up to the last look, and their sum.
    timed: (u64, u64),
}

impl Pace {
    /// The node has done so much at `now_ns`.
    pub(super) fn update(&mut self, now_ns: u64, frames: u64, node: &NodeReport) {
        let (count, sum_ns) = (node.service.count, node.service.sum_ns);
        let handled = count.saturating_sub(self.timed.0);
        if handled > 0 {
            self.rates.service_ms = sum_ns.saturating_sub(self.timed.1) as f64 / handled as f64 / 1e6;
            self.timed = (count, sum_ns);
        }
        let elapsed_ns = now_ns.saturating_sub(self.since_ns);
        if elapsed_ns >= WINDOW_NS {
            let cpu_ns = node.cpu_ns.unwrap_or(0);
            self.rates.hz = per_second(frames.saturating_sub(self.frames), elapsed_ns);
            self.rates.cpu_percent = share(cpu_ns.saturating_sub(self.cpu_ns), elapsed_ns);
            (self.since_ns, self.frames, self.cpu_ns) = (now_ns, frames, cpu_ns);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;

    #[test]
    fn a_rate_is_a_mean_over_a_second_at_least() {
        let mut pace = Pace::default();
        let node = |seconds: u64| fixture::report(seconds).nodes.remove(0);
        pace.update(1_000_000_000, 200, &node(1));
        assert_eq!((pace.rates.hz, pace.rates.cpu_percent), (200.0, 50.0));
        // Too early for another one.
        pace.update(1_900_000_000, 1000, &node(1));
        assert_eq!(pace.rates.hz, 200.0);
        pace.update(2_000_000_000, 1200, &node(2));
        assert_eq!(pace.rates.hz, 1000.0);
    }
}
