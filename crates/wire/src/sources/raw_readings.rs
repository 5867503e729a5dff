//! The common part of the sources of raw frames: readbacks, and the names of faults.

use livetime_engine::{Context, Params};
use livetime_formats::wib::{Faults, RawFormat};

use crate::IngestCounts;

/// The readbacks of a source of raw frames.
#[derive(Params)]
pub struct FrameReadings {
    /// Frames sent.
    #[param(readback)]
    pub frames: u64,
    /// Frames sent that have faults.
    #[param(readback)]
    pub corrupt: u64,
    /// Frames not sent: they came twice, too late, cut off, or with a time that cannot be.
    #[param(readback)]
    pub dropped: u64,
    /// Frames that are missing, as the timestamps tell.
    #[param(readback)]
    pub missing: u64,
    /// How many frames have which fault.
    #[param(readback)]
    pub faults: String,
}

impl FrameReadings {
    pub(super) fn read(&mut self, counts: &IngestCounts) {
        if (self.corrupt, self.dropped) != (counts.corrupt, counts.dropped) {
            self.faults = describe(counts);
        }
        (self.frames, self.corrupt) = (counts.frames, counts.corrupt);
        (self.dropped, self.missing) = (counts.dropped, counts.missing);
    }
}

/// Frames of a batch when no number is given: the frames of about 200 us.
pub(super) fn batch_frames(given: usize, format: RawFormat) -> usize {
    match (given, format) {
        (0, RawFormat::WibEth) => 6,
        // 32 superchunks.
        (0, _) => 384,
        (given, _) => given,
    }
}

/// How many frames have which fault, as `mm 3, capture error in block 2: 1`; empty when none has any.
fn describe(counts: &IngestCounts) -> String {
    let all = (0..Faults::COUNT).map(|bit| (Faults::of_bits(1 << bit), counts.faults[bit]));
    let parts = all.filter(|(_, count)| *count > 0).map(|(fault, count)| format!("{fault}: {count}"));
    parts.collect::<Vec<_>>().join(", ")
}

/// Reports missing and faulty frames of the detector at the end of a source: [`crate::RawSender`] has entered them into the run's ledger
/// as they were found.
///
/// Missing frames were lost before this program. Frames with faults, and frames that were not sent, count as unreadable. So do
/// bytes that belong to no frame, as the number of frames that would fill them: they are entered here.
pub fn tell_losses(counts: &IngestCounts, skipped_bytes: u64, frame_bytes: usize, ctx: &Context) {
    if counts.missing > 0 {
        ctx.tell_error(format!("{} frames are missing between those that came", counts.missing));
    }
    let cut = skipped_bytes.div_ceil(frame_bytes.max(1) as u64);
    ctx.count_unreadable(cut);
    if counts.corrupt + counts.dropped + cut > 0 {
        let (corrupt, dropped, faults) = (counts.corrupt, counts.dropped, describe(counts));
        ctx.tell_error(format!(
            "{corrupt} frames have faults, {dropped} were not sent ({faults}), {skipped_bytes} bytes belong to no frame"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_in_words() {
        let mut counts = IngestCounts::default();
        assert_eq!(describe(&counts), "");
        (counts.faults[0], counts.faults[10]) = (3, 1);
        assert_eq!(describe(&counts), "mm: 3, capture error in block 2: 1");
    }
}
