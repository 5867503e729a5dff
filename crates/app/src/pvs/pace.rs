//! How fast a node is, from what it has done so far.

use livetime_engine::NodeReport;

/// Rates are means over at least this long.
const WINDOW_NS: u64 = 1_000_000_000;

/// How fast a node is.
#[derive(Default)]
pub(super) struct Pace {
    /// Frames per second over the last second.
    pub(super) hz: f64,
    /// Mean time to handle a frame, of those since the last look that saw one.
    pub(super) service_ms: f64,
    /// Of one processor, over the last second.
    pub(super) cpu_percent: f64,
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
            self.service_ms = sum_ns.saturating_sub(self.timed.1) as f64 / handled as f64 / 1e6;
            self.timed = (count, sum_ns);
        }
        let elapsed_ns = now_ns.saturating_sub(self.since_ns);
        if elapsed_ns < WINDOW_NS {
            return;
        }
        let cpu_ns = node.cpu_ns.unwrap_or(0);
        self.hz = frames.saturating_sub(self.frames) as f64 / (elapsed_ns as f64 / 1e9);
        self.cpu_percent = 100.0 * cpu_ns.saturating_sub(self.cpu_ns) as f64 / elapsed_ns as f64;
        (self.since_ns, self.frames, self.cpu_ns) = (now_ns, frames, cpu_ns);
    }
}
