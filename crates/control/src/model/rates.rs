//! How fast a run is while it goes on: over which time rates are taken.

use livetime_engine::{NodeReport, Report};

use crate::report::rates::{Counts, Rates, RunRates};

/// Rates are means over at least this long: shorter, and a detector of some hertz jumps; longer, and a start is seen
/// late.
const WINDOW_NS: u64 = 1_000_000_000;

/// Rates of the last second that is over.
struct Window {
    rates: Rates,
    /// The counts when the present second began.
    before: Counts,
}

impl Default for Window {
    fn default() -> Window {
        Window { rates: Rates::default(), before: Counts::START }
    }
}

impl Window {
    fn update(&mut self, now: Counts) {
        if now.elapsed_ns(&self.before) >= WINDOW_NS {
            (self.rates, self.before) = (now.since(&self.before), now);
        }
    }
}

/// Past counts that the rates of a node need.
#[derive(Default)]
pub(super) struct Pace {
    window: Window,
    service_ms: f64,
    /// Frames that were timed up to the last look, and their sum.
    timed: (u64, u64),
}

impl Pace {
    /// The node has handled so many frames.
    pub(super) fn update(&mut self, report: &Report, node: &NodeReport, frames: u64) {
        let (count, sum_ns) = (node.service.count, node.service.sum_ns);
        let handled = count.saturating_sub(self.timed.0);
        if handled > 0 {
            self.service_ms = sum_ns.saturating_sub(self.timed.1) as f64 / handled as f64 / 1e6;
            self.timed = (count, sum_ns);
        }
        self.window.update(Counts::of_node(report, node, frames));
    }

    pub(super) fn rates(&self) -> Rates {
        Rates { service_ms: self.service_ms, ..self.window.rates }
    }
}

/// The same for the run as a whole.
#[derive(Default)]
pub(super) struct RunPace {
    window: Window,
    live: Live,
}

/// Live time: between two looks either nothing was lost unintentionally, or the time between them does not count.
#[derive(Default)]
struct Live {
    looked_ns: u64,
    lost: u64,
    dead_ns: u64,
}

impl RunPace {
    /// The rates at the time of `report`.
    pub(super) fn rates(&mut self, report: &Report) -> RunRates {
        self.window.update(Counts::of_run(report));
        RunRates { hz: self.window.rates.hz, cpu_percent: self.window.rates.cpu_percent }
    }

    /// The live time at the time of `report`, as a fraction of the time since the start.
    /// Until then `lost` frames were lost unintentionally.
    pub(super) fn live(&mut self, report: &Report, lost: u64) -> f64 {
        let live = &mut self.live;
        if lost > live.lost {
            live.dead_ns += report.elapsed_ns.saturating_sub(live.looked_ns);
        }
        (live.lost, live.looked_ns) = (lost, report.elapsed_ns);
        1.0 - (live.dead_ns as f64 / report.elapsed_ns.max(1) as f64).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;

    #[test]
    fn live_time_is_time_without_losses() {
        let mut pace = RunPace::default();
        let mut live = |second: u64, losses_of: u64| {
            let report = Report { elapsed_ns: second * 1_000_000_000, ..fixture::report(losses_of) };
            pace.live(&report, report.unintended_losses())
        };
        // Something is lost in the first second, and in the fifth.
        let found = [live(1, 1), live(2, 1), live(4, 1), live(5, 2), live(8, 2)];
        assert_eq!(found, [0.0, 0.5, 0.75, 0.6, 0.75]);
    }

    #[test]
    fn a_rate_is_a_mean_over_a_second_at_least() {
        let (mut pace, mut run) = (Pace::default(), RunPace::default());
        let mut update = |ns: u64, frames: u64| {
            let report = Report { elapsed_ns: ns, ..fixture::report(ns / 1_000_000_000) };
            pace.update(&report, &report.nodes[0], frames);
            (pace.rates().hz, pace.rates().cpu_percent, run.rates(&report).hz)
        };
        assert_eq!(update(1_000_000_000, 200), (200.0, Some(50.0), 200.0));
        // Too early for another one.
        assert_eq!(update(1_900_000_000, 1000), (200.0, Some(50.0), 200.0));
        assert_eq!(update(2_000_000_000, 1200), (1000.0, Some(50.0), 200.0));
    }
}
