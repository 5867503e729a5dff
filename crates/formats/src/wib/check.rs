//! Everything that can be checked on the frames of one link.

use super::{Faults, TimeCheck, TimeStep, Wib1Frame};

/// Where a frame comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wib1Identity {
    /// Crate: 1 to 6.
    pub crate_number: u8,
    /// Slot: 0 to 4.
    pub slot: u8,
    /// Fiber: 1 or 2.
    pub fiber: u8,
}

impl Wib1Identity {
    /// As the frame says.
    pub fn of(frame: &Wib1Frame) -> Wib1Identity {
        Wib1Identity { crate_number: frame.crate_number(), slot: frame.slot(), fiber: frame.fiber() }
    }
}

/// Checks the WIB1 frames of one link, one after the other.
///
/// ```
/// use livetime_formats::wib::{Faults, Wib1Check, Wib1Frame, Wib1FrameMut, Wib1Identity};
/// let identity = Wib1Identity { crate_number: 5, slot: 2, fiber: 1 };
/// let mut check = Wib1Check::new(identity);
/// let mut bytes = [0; Wib1Frame::BYTES];
/// let mut faults = Vec::new();
/// for stamp in [100, 125, 200] {
///     let mut frame = Wib1FrameMut::new(&mut bytes)?;
///     frame.set_identity(5, 2, 1);
///     frame.set_timestamp(stamp);
///     faults.push(check.next(&Wib1Frame::parse(&bytes)?));
/// }
/// assert_eq!(faults, [Faults::NONE, Faults::NONE, Faults::GAP]);
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Wib1Check {
    identity: Wib1Identity,
    time: TimeCheck,
    /// Compare the checksums; off for data without.
    pub checksums: bool,
    /// Expect the convert counts to step; off for data without.
    pub convert_counts: bool,
    count: Option<u16>,
}

impl Wib1Check {
    /// For the link with `identity`. Checksums and steps of the convert counts are checked only on request.
    pub fn new(identity: Wib1Identity) -> Wib1Check {
        let time = TimeCheck::new(Wib1Frame::STEP);
        Wib1Check { identity, time, checksums: false, convert_counts: false, count: None }
    }

    /// The faults of the next frame.
    pub fn next(&mut self, frame: &Wib1Frame) -> Faults {
        let step = self.time.next(frame.timestamp());
        let time = match step {
            TimeStep::First | TimeStep::Next => Faults::NONE,
            TimeStep::Gap { .. } => Faults::GAP,
            TimeStep::Off { .. } => Faults::OFF_STEP,
            TimeStep::Back { .. } => Faults::BACK,
        };
        let stranger = Wib1Identity::of(frame) != self.identity;
        let counted = self.counts_on(frame, step);
        (frame.faults(self.checksums) | time)
            .with(Faults::IDENTITY, stranger)
            .with(Faults::CONVERT_COUNT, !counted)
    }

    /// The link starts again: its next frame may have any time.
    pub fn restart(&mut self) {
        self.time.restart();
        self.count = None;
    }

    fn counts_on(&mut self, frame: &Wib1Frame, step: TimeStep) -> bool {
        let count = frame.blocks()[0].convert_count();
        let last = self.count.replace(count);
        let follows = last.is_none_or(|last| count == last.wrapping_add(1));
        !self.convert_counts || follows || step != TimeStep::Next
    }
}
