//! The phases of a system.

/// The phase of a system.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Agents run.
    Running,
    /// A stop was requested; the system waits for stop guards.
    Stopping,
    /// Timers have ended, and queued messages are handled.
    Draining,
    /// Agents are ended.
    Ending,
}
