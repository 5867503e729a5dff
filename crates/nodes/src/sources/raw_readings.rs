//! What the sources of raw frames have in common: readbacks, and the words for faults.

use livetime_formats::wib::{Faults, RawFormat};

use crate::wire::IngestCounts;

/// Frames of a batch when none are given: those of about 200 us.
pub(super) fn batch_frames(given: usize, format: RawFormat) -> usize {
    match (given, format) {
        (0, RawFormat::WibEth) => 6,
        // 32 superchunks.
        (0, _) => 384,
        (given, _) => given,
    }
}

/// How many frames have which fault, as `mm 3, capture error in block 2: 1`; empty when none has any.
pub(super) fn describe(counts: &IngestCounts) -> String {
    let all = (0..Faults::COUNT).map(|bit| (Faults::of_bits(1 << bit), counts.faults[bit]));
    let parts = all.filter(|(_, count)| *count > 0).map(|(fault, count)| format!("{fault}: {count}"));
    parts.collect::<Vec<_>>().join(", ")
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
