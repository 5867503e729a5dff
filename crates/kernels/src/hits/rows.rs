//! State of channels in memory: rows of as many channels as the widest vector has lanes.

use crate::lanes::MOST;

/// One number for each of 32 channels, at the start of a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Row(pub(super) [i16; MOST]);

impl Row {
    pub(super) const ZERO: Row = Row([0; MOST]);
}

impl Default for Row {
    fn default() -> Row {
        Row::ZERO
    }
}
