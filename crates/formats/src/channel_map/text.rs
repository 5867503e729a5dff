//! Channel maps as text files: numbers in columns, no header.

use super::wire::{Plane, Wire};
use crate::{Error, Result};
use std::collections::HashMap;

/// Columns of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextMapKind {
    /// ProtoDUNE-SP: crate (an anode plane), slot, fiber (a board), board channel, stream, slotID, fiberID, chip, chip
    /// channel, asic, asic channel, plane, offline.
    Sp,
    /// ProtoDUNE-HD: offline, crate, name of the anode plane, WIB, link, board, cold-box channel, plane, channel in the
    /// plane, board, asic, asic channel, channel in the frame.
    Hd,
}

/// A channel map from a text file.
///
/// ```
/// use livetime_formats::channel_map::{Plane, TextMap, TextMapKind};
/// let map = TextMap::parse(TextMapKind::Sp, "0 0 0 17 17 0 1 1 7 0 7 1 1234\n")?;
/// let wire = map.wire([0, 0, 0, 17]).unwrap();
/// assert_eq!((wire.offline, wire.plane), (1234, Plane::V));
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct TextMap {
    wires: HashMap<[u32; 4], Wire>,
}

impl TextMap {
    /// Most lines of a file.
    pub const MOST_LINES: usize = 1 << 20;

    /// Reads the text of a file.
    ///
    /// # Errors
    /// A line with other columns, a number or plane that is none, a channel that is there twice, more than
    /// [`TextMap::MOST_LINES`] lines; with the number of the line.
    pub fn parse(kind: TextMapKind, text: &str) -> Result<TextMap> {
        let mut wires = HashMap::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
            let (key, wire) = entry(kind, line, number)?;
            if number > Self::MOST_LINES {
                return Err(Error::new(format!("at most {} lines", Self::MOST_LINES), "more"));
            }
            if wires.insert(key, wire).is_some() {
                return Err(Error::new("each channel once", format!("{key:?} again in line {number}")));
            }
        }
        Ok(TextMap { wires })
    }

    /// The wire of crate, slot, fiber (board) and channel of the board for ProtoDUNE-SP; of crate, WIB, link and channel
    /// of the frame for ProtoDUNE-HD.
    pub fn wire(&self, channel: [u32; 4]) -> Option<Wire> {
        self.wires.get(&channel).copied()
    }

    /// Number of channels.
    pub fn len(&self) -> usize {
        self.wires.len()
    }

    /// True when the file was empty.
    pub fn is_empty(&self) -> bool {
        self.wires.is_empty()
    }
}

fn entry(kind: TextMapKind, line: &str, number: usize) -> Result<([u32; 4], Wire)> {
    let columns: Vec<&str> = line.split_whitespace().collect();
    if columns.len() != 13 {
        return Err(Error::new("13 columns", format!("{} in line {number}", columns.len())));
    }
    let field = |i: usize| -> Result<u32> {
        let wrong =
            || Error::new("a number", format!("`{}` in column {} of line {number}", columns[i], i + 1));
        columns[i].parse().map_err(|_| wrong())
    };
    let (key, plane, offline) = match kind {
        TextMapKind::Sp => ([0, 1, 2, 3], 11, 12),
        TextMapKind::Hd => ([1, 3, 4, 12], 7, 0),
    };
    let plane = Plane::of(field(plane)? as usize)
        .ok_or_else(|| Error::new("a plane 0, 1 or 2", format!("`{}` in line {number}", columns[plane])))?;
    let [a, b, c, d] = key.map(field);
    Ok(([a?, b?, c?, d?], Wire { offline: field(offline)?, plane }))
}
