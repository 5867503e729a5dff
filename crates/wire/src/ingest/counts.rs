//! Counts of a link.

use livetime_formats::wib::Faults;

/// Counts of a link; they only grow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IngestCounts {
    /// Frames passed on.
    pub frames: u64,
    /// Frames passed on that have faults.
    pub corrupt: u64,
    /// Frames that were not passed on.
    pub dropped: u64,
    /// Of those, frames of a time that had been absent until they came.
    pub late: u64,
    /// Frames passed on that came after frames of a later time.
    pub reordered: u64,
    /// Missing frames, according to the times.
    pub missing: u64,
    /// Gaps, each of one or more missing frames.
    pub gaps: u64,
    /// Times that the clock began again, with the first.
    pub epochs: u64,
    /// Frames with each fault, by its bit ([`Faults::bits`]), including dropped frames.
    pub faults: [u64; Faults::COUNT],
}

impl IngestCounts {
    /// Frames with this fault.
    pub fn with(&self, fault: Faults) -> u64 {
        self.faults.get(fault.bits().trailing_zeros() as usize).copied().unwrap_or(0)
    }

    /// Frames that are missing, or were not as they should be: the judgement of every reader of a link. Frames that came in
    /// another order, and a clock that began again, are no losses.
    pub fn losses(&self) -> u64 {
        self.missing + self.corrupt + self.dropped
    }

    /// Adds the counts of another link.
    pub fn add(&mut self, other: &IngestCounts) {
        self.frames += other.frames;
        self.corrupt += other.corrupt;
        self.dropped += other.dropped;
        self.late += other.late;
        self.reordered += other.reordered;
        self.missing += other.missing;
        self.gaps += other.gaps;
        self.epochs += other.epochs;
        self.faults.iter_mut().zip(other.faults).for_each(|(all, one)| *all += one);
    }

    pub(super) fn pass(&mut self, faults: Faults) {
        self.frames += 1;
        self.corrupt += u64::from(!faults.is_empty());
        self.enter(faults);
    }

    pub(super) fn drop(&mut self, faults: Faults) {
        self.dropped += 1;
        self.enter(faults);
    }

    fn enter(&mut self, faults: Faults) {
        for (bit, count) in self.faults.iter_mut().enumerate() {
            *count += u64::from(faults.bits() >> bit & 1);
        }
    }
}
