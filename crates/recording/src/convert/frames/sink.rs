//! A new file that takes pictures, and the properties of a frame that it records.

use livetime_formats::Result;
use livetime_frame::{AttributeValue, Flags, Frame};

/// A picture on its way.
pub(super) struct Item<'a> {
    pub(super) frame: &'a Frame,
    pub(super) event: usize,
    /// When it happened, ns since 1970, as the new file says it.
    pub(super) time_ns: i64,
    /// Events before it that are not in the file.
    pub(super) skipped: u64,
}

/// A new file that takes pictures one after the other.
pub(super) trait Sink {
    /// Adds the next picture.
    fn add(&mut self, item: &Item<'_>) -> Result<()>;

    /// Ends the file; names of attributes that are not in it, with how many values.
    fn finish(self: Box<Self>) -> Result<Vec<(String, u64)>>;
}

/// The damage that a frame's recorder noted; of one that is damaged and says no more, a bit.
pub(super) fn damage_of(frame: &Frame) -> u32 {
    let header = frame.header();
    let noted = match header.attributes.get("Damage") {
        Some(AttributeValue::Uint(value)) => u32::try_from(*value).unwrap_or(u32::MAX),
        Some(AttributeValue::Int(value)) => u32::try_from(*value).unwrap_or(u32::MAX),
        _ => 0,
    };
    match header.flags.contains(Flags::DAMAGED) {
        true if noted == 0 => 1 << 14,
        true => noted,
        // A remark on a part is no damage of the picture.
        false => 0,
    }
}

/// The number of the frame when it was recorded, else the number of its event, from 1 on.
pub(super) fn sequence_of(frame: &Frame, event: usize) -> u64 {
    match frame.header().attributes.get("RecordedSequence") {
        Some(AttributeValue::Uint(value)) => *value,
        Some(AttributeValue::Int(value)) => u64::try_from(*value).unwrap_or(0),
        _ => event as u64 + 1,
    }
}
