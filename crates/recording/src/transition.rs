//! Changes of state between the events of a run.

use std::fmt;

/// The kind of a change of state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// The detectors were configured.
    Configure,
    /// Ends the state that `Configure` began.
    Unconfigure,
    /// A run begins.
    BeginRun,
    /// A run ends.
    EndRun,
    /// A step of a scan begins; LCLS-I says calib cycle.
    BeginStep,
    /// A step of a scan ends.
    EndStep,
    /// Triggers on.
    Enable,
    /// Triggers off.
    Disable,
}

const NAMES: [(Change, &str); 8] = [
    (Change::Configure, "Configure"),
    (Change::Unconfigure, "Unconfigure"),
    (Change::BeginRun, "BeginRun"),
    (Change::EndRun, "EndRun"),
    (Change::BeginStep, "BeginStep"),
    (Change::EndStep, "EndStep"),
    (Change::Enable, "Enable"),
    (Change::Disable, "Disable"),
];

impl Change {
    /// Name of the change.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(change, _)| *change == self).map_or("", |(_, name)| name)
    }

    /// The change with this name in a format; `None` for transitions that change nothing for events.
    pub(crate) fn named(name: &str) -> Option<Change> {
        let name = match name {
            "BeginCalibCycle" => "BeginStep",
            "EndCalibCycle" => "EndStep",
            other => other,
        };
        NAMES.iter().find(|(_, known)| *known == name).map(|(change, _)| *change)
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A change of state of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transition {
    /// The kind of the change.
    pub change: Change,
    /// When it happened, ns since 1970.
    pub time_ns: u64,
    /// Number of the first event behind the change; the number behind the last event if none follows.
    pub event: usize,
    /// The number of the run, where a format has it at `BeginRun`.
    pub run_number: Option<u32>,
}
