//! Events of a run, for the log and the report.

use std::sync::Arc;

use crate::Cause;

/// An event in a run of a graph or in a system of agents, for the log and the report.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    /// When, ns on the run's clock.
    pub at_ns: u64,
    /// Name of the node or agent concerned; empty for the run as a whole.
    pub node: String,
    /// True when data were lost or the run is in danger.
    pub is_error: bool,
    /// The message, with the texts of all causes.
    pub message: String,
    /// The error that a node gave as the cause of this one. A report keeps the first few of each node.
    pub cause: Option<Cause>,
}

/// Called with every event, on the thread where it happened.
pub type EventHandler = Arc<dyn Fn(&Event) + Send + Sync>;
