//! The counts of merging streams.

/// The counts of merging the streams.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Pieces from slow cameras that belong to an event.
    pub camera_joined: u64,
    /// Pieces from slow cameras that belong to none.
    pub camera_unmatched: u64,
    /// Pieces from slow cameras without a valid fiducial.
    pub camera_invalid: u64,
    /// Pieces from slow cameras thrown away because two of one stream have the same fiducial.
    pub camera_ambiguous: u64,
    /// Events in one stream with the same clock as the one before.
    pub repeated: u64,
    /// Events that came after a later one had been given out already; only in files that are still being written.
    pub late: u64,
}
