//! State of channels in memory: rows of as many channels as the widest vector has lanes.
//!
//! Arrays of lanes are written out where they are loaded: `array::map` may not be inlined, and is then compiled without
//! the level's instructions.

use crate::lanes::{Lanes, MOST};

/// One number for each of 32 channels, at the start of a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Row(pub(super) [i16; MOST]);

impl Row {
    pub(super) const ZERO: Row = Row([0; MOST]);

    /// The lanes from `lane` on.
    #[inline(always)]
    pub(super) fn load<L: Lanes>(&self, lane: usize) -> L {
        L::load(&self.0[lane..])
    }

    /// Puts the lanes from `lane` on.
    #[inline(always)]
    pub(super) fn store<L: Lanes>(&mut self, lane: usize, lanes: L) {
        lanes.store(&mut self.0[lane..]);
    }
}

impl Default for Row {
    fn default() -> Row {
        Row::ZERO
    }
}
