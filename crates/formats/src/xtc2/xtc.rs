//! The unit of all data: a container or a leaf.

use std::fmt;

use super::NamesId;
use crate::file::{self, Nested};

/// Faults while a container or leaf was recorded.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Damage(pub u16);

const REASONS: [(u16, &str); 8] = [
    (0, "truncated"),
    (1, "out of order"),
    (2, "out of synch"),
    (3, "corrupted"),
    (4, "dropped contribution"),
    (5, "missing data"),
    (6, "timed out"),
    (12, "user defined"),
];

impl Damage {
    /// A contribution never came.
    pub const DROPPED: Damage = Damage(1 << 4);

    /// Nothing went wrong.
    pub fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("none");
        }
        let reason = |bit: u16| {
            let named = REASONS.iter().find(|(b, _)| *b == bit);
            named.map_or_else(|| format!("bit {bit}"), |(_, name)| (*name).to_owned())
        };
        let reasons: Vec<String> = (0..16).filter(|bit| self.0 >> bit & 1 == 1).map(reason).collect();
        f.write_str(&reasons.join(", "))
    }
}

/// The content of a container or leaf.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum XtcKind {
    /// Containers and leaves.
    Parent,
    /// One record: its shapes and its data, in any order.
    ShapesData,
    /// Shapes of arrays.
    Shapes,
    /// Values.
    Data,
    /// Fields of a detector.
    Names,
    /// A number without a meaning.
    Other(u16),
}

/// The beginning of a container or leaf.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct XtcHeader {
    /// Bits 28 to 31: level. Bits 0 to 19: whose fields these are.
    pub src: u32,
    /// The damage.
    pub damage: Damage,
    /// Bits 0 to 11: the type. Bits 12 to 15: version.
    pub type_word: u16,
    /// Its length in bytes with this header.
    pub extent: u32,
}

impl XtcHeader {
    /// Its length.
    pub const LEN: usize = 12;

    /// The type.
    pub fn kind(&self) -> XtcKind {
        match self.type_word & 0xFFF {
            0 => XtcKind::Parent,
            1 => XtcKind::ShapesData,
            2 => XtcKind::Shapes,
            3 => XtcKind::Data,
            4 => XtcKind::Names,
            other => XtcKind::Other(other),
        }
    }

    /// Whose fields these are.
    pub fn names_id(&self) -> NamesId {
        NamesId(self.src & 0xF_FFFF)
    }
}

impl Nested for XtcHeader {
    type Bytes = [u8; XtcHeader::LEN];

    const LEN: usize = XtcHeader::LEN;

    fn from_bytes(bytes: &Self::Bytes) -> XtcHeader {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = *bytes;
        XtcHeader {
            src: u32::from_le_bytes([a, b, c, d]),
            damage: Damage(u16::from_le_bytes([e, f])),
            type_word: u16::from_le_bytes([g, h]),
            extent: u32::from_le_bytes([i, j, k, l]),
        }
    }

    fn extent(&self) -> u32 {
        self.extent
    }

    fn is_entered(&self) -> bool {
        matches!(self.kind(), XtcKind::Parent | XtcKind::ShapesData)
    }
}

/// A container or leaf where it lies.
pub type Xtc<'a> = file::Xtc<'a, XtcHeader>;
