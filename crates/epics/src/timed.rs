//! The times of a node that PVs show over windows.

use livetime_control::model::{NodeTimes, Spans};

/// Which times of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Timed {
    Waiting,
    Service,
    Latency,
}

impl Timed {
    /// The chosen kind of times.
    pub(super) fn of(self, times: &NodeTimes) -> &Spans {
        match self {
            Timed::Waiting => &times.waiting,
            Timed::Service => &times.service,
            Timed::Latency => &times.latency,
        }
    }
}
