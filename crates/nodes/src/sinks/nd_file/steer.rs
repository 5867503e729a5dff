//! Attributes by which frames steer the writer.

use livetime_frame::{AttributeValue, Frame};

use super::NdFileParams;
use crate::error::Mismatch;

/// The requests in the attributes of a frame.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Steering {
    /// The frame is for another writer.
    pub(super) is_elsewhere: bool,
    /// The frame is the last of its file.
    pub(super) is_last: bool,
    /// The name and the number of its file.
    file: (Option<String>, Option<u64>),
}

impl Steering {
    /// Of a frame that comes to the node `node`.
    pub(super) fn of(frame: &Frame, node: &str) -> Steering {
        let attributes = &frame.header().attributes;
        // The usual frame has no such attribute, and costs nothing here.
        if attributes.is_empty() {
            return Steering::default();
        }
        let text = |name: &str| attributes.get(name).map(ToString::to_string).filter(|text| !text.is_empty());
        let number = |name: &str| attributes.get(name).and_then(whole);
        let destination = text("FilePluginDestination");
        Steering {
            is_elsewhere: destination.is_some_and(|to| !to.eq_ignore_ascii_case("all") && to != node),
            is_last: number("FilePluginClose").is_some_and(|close| close != 0),
            file: (text("FilePluginFileName"), number("FilePluginFileNumber")),
        }
    }

    /// Enters name and number; returns whether they differ from the ones of the frame `before`, and so begin another
    /// file.
    ///
    /// # Errors
    /// For a name that leads to another folder.
    pub(super) fn apply(&self, before: &Steering, params: &mut NdFileParams) -> Result<bool, Mismatch> {
        // The same request on every frame of a file begins no new one.
        if self.file == before.file || self.file == (None, None) {
            return Ok(false);
        }
        if let Some(name) = &self.file.0 {
            // A frame's attributes come from outside, and must not reach other folders.
            if name.contains('/') {
                let wanted = "the name of a file in FilePluginFileName";
                return Err(Mismatch::new(wanted, format!("`{name}`")));
            }
            params.file_name.clone_from(name);
        }
        params.file_number = self.file.1.unwrap_or(params.file_number);
        Ok(true)
    }
}

fn whole(value: &AttributeValue) -> Option<u64> {
    match value {
        AttributeValue::Int(value) => u64::try_from(*value).ok(),
        AttributeValue::Uint(value) => Some(*value),
        AttributeValue::Float(value) if *value >= 0.0 => Some(*value as u64),
        _ => None,
    }
}
