//! One measurement, and its setting.

use std::time::Duration;

use livetime_actors::{AgentError, AgentReport};

use crate::CountAllocations;

/// Nothing here takes as long.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// One pattern, once.
#[derive(Default)]
pub(super) struct Sample {
    /// Wall time per message, or per unit that the pattern's name states.
    pub(super) ns: f64,
    /// Waiting times of the receiving agents.
    pub(super) p50_ns: Option<f64>,
    pub(super) p99_ns: Option<f64>,
    /// CPU time of the receiver, in cores.
    pub(super) cores: Option<f64>,
    /// Memory per agent.
    pub(super) bytes: Option<f64>,
}

impl Sample {
    pub(super) fn of(ns: f64) -> Sample {
        Sample { ns, ..Sample::default() }
    }

    pub(super) fn waited(self, agent: Option<&AgentReport>) -> Sample {
        // Without messages there are no waiting times.
        let times = agent.map(|a| &a.waiting).filter(|t| t.count > 0);
        Sample { p50_ns: times.map(|t| t.p50_ns() as f64), p99_ns: times.map(|t| t.p99_ns() as f64), ..self }
    }
}

/// How a sample is taken.
pub(super) struct Setting {
    /// Divisor of the length of long measurements.
    pub(super) scale: u64,
    pub(super) allocated: CountAllocations,
}

/// A message that was waited for in vain.
pub(super) fn missing() -> AgentError {
    AgentError::new(format!("wanted the last message within {PATIENCE:?}, found none"))
}
