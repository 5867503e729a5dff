//! The receiver's clock.

/// An offset is replaced by a less exact one after this time, because clocks drift.
pub(super) const FORGET_AFTER_NS: u64 = 10_000_000_000;

/// The receiver's clock minus the sender's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockOffset {
    /// Estimate, in ns.
    pub offset_ns: i64,
    /// The true offset differs by at most this: half of the time that a message and its answer took.
    pub bound_ns: u64,
    /// When it was measured, on the sender's clock.
    pub at_ns: u64,
}
