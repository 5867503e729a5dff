//! Rates: counts of a time, divided by it. One definition for every face; the model makes the rates of a run that goes
//! on ([`Moment`](crate::model::Moment)), and [`since_start`] the rates of a run that is over.

use livetime_engine::{NodeReport, Report};

/// How fast a node is.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Rates {
    /// Frames per second: sent by a source, handled by another node; the node's own count, if it has one.
    pub hz: f64,
    /// Frames received per second; `None` for nodes that have received none, as sources.
    pub in_hz: Option<f64>,
    /// Frames sent per second; `None` for nodes that have sent none.
    pub out_hz: Option<f64>,
    /// Mean time to handle a frame, of those since the last look that saw one.
    pub service_ms: f64,
    /// CPU time of its threads in percent of one core; `None` where it shares them.
    pub cpu_percent: Option<f64>,
}

/// How fast a run is as a whole.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct RunRates {
    /// Frames per second that its sources send.
    pub hz: f64,
    /// CPU time of all its threads in percent of one core; `None` where the system does not tell.
    pub cpu_percent: Option<f64>,
}

/// The rates of every node, and of all together, as means since the start of the run.
pub fn since_start(report: &Report) -> (Vec<Rates>, RunRates) {
    let of_node = |node: &NodeReport| {
        let frames = if node.received == 0 { node.emitted } else { node.completed };
        let service_ms = node.service.mean_ns() as f64 / 1e6;
        Rates { service_ms, ..Counts::of_node(report, node, frames).since(&Counts::START) }
    };
    let run = Counts::of_run(report).since(&Counts::START);
    (report.nodes.iter().map(of_node).collect(), RunRates { hz: run.hz, cpu_percent: run.cpu_percent })
}

/// Frames that the sources have sent.
pub fn frames_of_sources(report: &Report) -> u64 {
    report.nodes.iter().filter(|node| node.received == 0).map(|node| node.emitted).sum()
}

/// The counts at one time.
#[derive(Clone, Copy)]
pub(crate) struct Counts {
    at_ns: u64,
    frames: u64,
    received: u64,
    emitted: u64,
    cpu_ns: Option<u64>,
}

impl Counts {
    /// At the start of a run.
    pub(crate) const START: Counts = Counts { at_ns: 0, frames: 0, received: 0, emitted: 0, cpu_ns: Some(0) };

    /// By a node, of which `frames` are said to be all frames so far.
    pub(crate) fn of_node(report: &Report, node: &NodeReport, frames: u64) -> Counts {
        Counts {
            at_ns: report.elapsed_ns,
            frames,
            received: node.received,
            emitted: node.emitted,
            cpu_ns: node.cpu_ns,
        }
    }

    /// By all nodes.
    pub(crate) fn of_run(report: &Report) -> Counts {
        let frames = frames_of_sources(report);
        Counts { at_ns: report.elapsed_ns, frames, received: 0, emitted: 0, cpu_ns: report.cpu_ns }
    }

    /// How long before these counts `before` were taken.
    pub(crate) fn elapsed_ns(&self, before: &Counts) -> u64 {
        self.at_ns.saturating_sub(before.at_ns)
    }

    /// The differences of the counts from `before`, divided by the time.
    pub(crate) fn since(&self, before: &Counts) -> Rates {
        let seconds = self.elapsed_ns(before).max(1) as f64 / 1e9;
        let per_second = |now: u64, before: u64| now.saturating_sub(before) as f64 / seconds;
        let if_any = |now: u64, before: u64| (now > 0).then(|| per_second(now, before));
        let cpu = self.cpu_ns.zip(before.cpu_ns);
        Rates {
            hz: per_second(self.frames, before.frames),
            in_hz: if_any(self.received, before.received),
            out_hz: if_any(self.emitted, before.emitted),
            service_ms: 0.0,
            cpu_percent: cpu.map(|(now, before)| per_second(now, before) / 1e7),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;

    #[test]
    fn rates_are_differences_by_time() {
        let (before, now) = (fixture::report(1), fixture::report(3));
        let counts = |report: &Report, node: usize| Counts::of_node(report, &report.nodes[node], 7);
        let rates = [0, 1].map(|node| counts(&now, node).since(&counts(&before, node)));
        assert_eq!((rates[0].in_hz, rates[0].out_hz), (None, Some(200.0)));
        assert_eq!((rates[1].in_hz, rates[1].out_hz), (Some(150.0), None));
        assert_eq!((rates[0].cpu_percent, rates[1].cpu_percent), (Some(50.0), None));
        assert_eq!(rates[0].hz, 0.0);
        let (nodes, run) = since_start(&now);
        assert_eq!((nodes[0].hz, nodes[1].in_hz), (200.0, Some(150.0)));
        assert_eq!((run.hz, run.cpu_percent), (200.0, Some(80.0)));
    }
}
