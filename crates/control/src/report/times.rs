//! How long frames waited and took: percentiles of the last second, ten seconds and minute, and of the whole run. One definition for
//! every face; the model follows the first three.

use livetime_engine::{NodeReport, Times};

/// Of which time percentiles are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Window {
    /// The last second that is over.
    Second,
    /// The last ten seconds, at the end of that second.
    Ten,
    /// The last minute, at the end of that second.
    Minute,
    /// Everything since the start.
    Run,
}

impl Window {
    /// All of them, shortest first.
    pub const ALL: [Window; 4] = [Window::Second, Window::Ten, Window::Minute, Window::Run];

    /// Its name on every face.
    pub fn name(self) -> &'static str {
        match self {
            Window::Second => "1s",
            Window::Ten => "10s",
            Window::Minute => "60s",
            Window::Run => "run",
        }
    }
}

/// Percentiles of some times.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Percentiles {
    /// How many times there were.
    pub count: u64,
    /// Half of them were not longer, in ns; 0 for none.
    pub p50_ns: u64,
    /// 99 of 100 were not longer.
    pub p99_ns: u64,
}

impl Percentiles {
    /// Of a histogram.
    pub fn of(times: &Times) -> Percentiles {
        Percentiles { count: times.count, p50_ns: times.p50_ns(), p99_ns: times.p99_ns() }
    }
}

/// Percentiles of the same times over each [`Window`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spans(pub(crate) [Percentiles; 4]);

impl Spans {
    /// The times over `window`.
    pub fn over(&self, window: Window) -> &Percentiles {
        &self.0[window as usize]
    }
}

/// The times of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NodeTimes {
    /// In its queues.
    pub waiting: Spans,
    /// In its handler.
    pub service: Spans,
    /// From the source's stamp to the end of its handler.
    pub latency: Spans,
}

impl NodeTimes {
    /// The times of a run that is over or was not followed: the same for every window.
    pub fn since_start(node: &NodeReport) -> NodeTimes {
        let spans = |times: &Times| Spans([Percentiles::of(times); 4]);
        NodeTimes {
            waiting: spans(&node.waiting),
            service: spans(&node.service),
            latency: spans(&node.latency),
        }
    }
}
