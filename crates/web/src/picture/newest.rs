//! The newest frame of an output.

use std::time::{Duration, Instant};

use livetime_frame::Frame;

/// The newest frame of an output.
pub(crate) struct Newest {
    pub(crate) frame: Frame,
    /// Counts the frames that came from this output, from 1 on, earlier periods included.
    pub(crate) number: u64,
    /// When it came, and how old it was then.
    pub(crate) came: Instant,
    pub(crate) age: Duration,
}
