//! What became of the pictures.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::{Account, Findings, Judgement, Reader, Recording};

/// Events of which small data are counted; those behind them have the same.
const MOST_COUNTED: u64 = 100;

/// The report of a conversion of pictures.
#[derive(Clone, Default, Debug)]
pub struct FramesReport {
    /// The new file.
    pub output: PathBuf,
    /// Whose pictures.
    pub detector: String,
    /// Their type and shape.
    pub layout: String,
    /// What became of the events.
    pub account: Account,
    /// Bytes of the pictures as the input has them.
    pub input_bytes: u64,
    /// Bytes of the new file.
    pub output_bytes: u64,
    /// Bytes of the pictures, not compressed.
    pub raw_bytes: u64,
    /// What was recorded and is not in the new file: what, and how many values. Small data are looked at in the first
    /// hundred events.
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

    /// What can be used of the input, and what cannot.
    pub fn findings(&self) -> Findings {
        let failures = self.account.failures() + self.account.no_memory;
        Findings { usable: self.account.frames, failures, problems: self.problems }
    }

    /// Counts what an event has beside its picture.
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
