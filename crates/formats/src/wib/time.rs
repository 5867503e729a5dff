//! Do frames follow each other in time?

/// How the time of a frame follows the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeStep {
    /// There was none before.
    First,
    /// One step later.
    Next,
    /// Whole steps later; this many frames are missing.
    Gap {
        /// Frames that are missing.
        missing: u64,
    },
    /// Later, but not by whole steps.
    Off {
        /// Ticks of the clock since the frame before.
        by: u64,
    },
    /// Not later: earlier by this many ticks, or the same time again (0).
    Back {
        /// Ticks of the clock.
        by: u64,
    },
}

/// Follows the timestamps of one link.
///
/// ```
/// use livetime_formats::wib::{TimeCheck, TimeStep};
/// let mut check = TimeCheck::new(25);
/// let steps = [1000, 1025, 1100, 1100, 1125].map(|stamp| check.next(stamp));
/// use TimeStep::*;
/// assert_eq!(steps, [First, Next, Gap { missing: 2 }, Back { by: 0 }, Next]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct TimeCheck {
    step: u64,
    last: Option<u64>,
}

impl TimeCheck {
    /// For frames that are `step` ticks of their clock apart, at least 1.
    pub fn new(step: u64) -> TimeCheck {
        TimeCheck { step: step.max(1), last: None }
    }

    /// Checks the timestamp of the next frame. A timestamp that is not later is not remembered.
    pub fn next(&mut self, stamp: u64) -> TimeStep {
        let Some(last) = self.last else {
            self.last = Some(stamp);
            return TimeStep::First;
        };
        if stamp <= last {
            return TimeStep::Back { by: last - stamp };
        }
        self.last = Some(stamp);
        let by = stamp - last;
        match (by / self.step, by % self.step) {
            (1, 0) => TimeStep::Next,
            (steps, 0) => TimeStep::Gap { missing: steps - 1 },
            _ => TimeStep::Off { by },
        }
    }

    /// Forgets the frame before: the link starts again.
    pub fn restart(&mut self) {
        self.last = None;
    }
}
