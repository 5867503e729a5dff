//! What a system is doing.

/// What a system is doing.
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
