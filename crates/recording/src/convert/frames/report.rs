//! The report of a conversion of pictures.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::{Account, Findings, Judgement, Reader, Recording};

/// Events whose small data are counted; later events are assumed to have values of the same names. The limit keeps a
/// long conversion from reading the small data of every event.
const MOST_COUNTED: u64 = 100;

/// The report of a conversion of pictures.
#[derive(Clone, Default, Debug)]
pub struct FramesReport {
    /// The new file.
    pub output: PathBuf,
    /// The detector whose pictures were converted.
    pub detector: String,
    /// Their type and shape.
    pub layout: String,
    /// Counts of the input's events by their condition.
    pub account: Account,
    /// Bytes of the pictures as the input has them.
    pub input_bytes: u64,
    /// Bytes of the new file.
    pub output_bytes: u64,
    /// Bytes of the pictures, not compressed.
    pub raw_bytes: u64,
    /// Recorded values that the new file lacks: name, and number of values. Only the small data of the first hundred
    /// events are counted.
    pub left_out: BTreeMap<String, u64>,
    /// Places of the input that cannot be read.
    pub problems: u64,
    /// Why events gave no picture, the first ones.
    pub faults: Vec<String>,
}

impl FramesReport {
    /// Whether every picture of the input is in the output.
    pub fn is_complete(&self) -> bool {
        self.findings().judgement() == Judgement::Whole
    }

    /// Usable and lost data of the input.
    pub fn findings(&self) -> Findings {
        let failures = self.account.failures() + self.account.no_memory;
        Findings { usable: self.account.frames, failures, problems: self.problems }
    }

    /// Counts the small data of an event.
    pub(super) fn count_small_data(&mut self, recording: &Recording, event: usize) {
        if self.account.frames > MOST_COUNTED || self.raw_bytes == 0 {
            return;
        }
        self.account.frames += 1;
        let small = recording.small_data(event, &mut Reader::default());
        for value in small.unwrap_or_default() {
            // Columns that were attributes of frames come along as such, and so do times and numbers.
            if !recording.format().is_attribute(&value) {
                let what = format!("small data `{} {}`", value.source, value.name);
                *self.left_out.entry(what).or_default() += 1;
            }
        }
    }
}
