//! Received frames by their names, and their ends.

use livetime_runtime::LossReason;

/// Names a received frame.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Token {
    /// Epoch of its sender.
    pub epoch: u64,
    /// Its position.
    pub position: u64,
}

/// How a received frame ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Settlement {
    /// The graph has handled it. With [`Retain::Stored`](crate::Retain::Stored) its end is still to come.
    Completed,
    /// It is stored for good.
    Stored,
    /// It is lost.
    Lost(LossReason),
}
