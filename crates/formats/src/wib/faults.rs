//! What can be wrong with a frame.

use std::fmt;
use std::ops::BitOr;

/// A set of faults of one frame; empty when nothing is wrong.
///
/// ```
/// use livetime_formats::wib::Faults;
/// let faults = Faults::MM | Faults::capture(2);
/// assert!(faults.contains(Faults::MM) && !faults.contains(Faults::OOS));
/// assert_eq!(faults.to_string(), "mm, capture error in block 2");
/// assert_eq!(faults.blocks(), [false, false, true, false]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults(u32);

impl Faults {
    /// Nothing is wrong.
    pub const NONE: Faults = Faults(0);
    /// The header says that the convert counts of the streams differ.
    pub const MM: Faults = Faults(1);
    /// The header says that the streams are out of synchronisation.
    pub const OOS: Faults = Faults(1 << 1);
    /// The error bits of the header are not all zero.
    pub const WIB_ERRORS: Faults = Faults(1 << 2);
    /// Convert counts differ between the blocks without `mm`, or do not step by one.
    pub const CONVERT_COUNT: Faults = Faults(1 << 3);
    /// Frames are missing before this one.
    pub const GAP: Faults = Faults(1 << 4);
    /// The timestamp is not later than that of the frame before.
    pub const BACK: Faults = Faults(1 << 5);
    /// The timestamp is later by something else than whole frames.
    pub const OFF_STEP: Faults = Faults(1 << 6);
    /// Crate, slot, fiber or version are not those of the link.
    pub const IDENTITY: Faults = Faults(1 << 7);

    /// The samples of a chip have been the same for longer than noise allows. Not seen on one frame, but by who follows the samples.
    pub const CONSTANT: Faults = Faults(1 << 24);

    /// Block `block` (0 to 3) was captured with errors.
    pub fn capture(block: usize) -> Faults {
        Faults(1 << (8 + block.min(3)))
    }

    /// The checksum of a stream in block `block` (0 to 3) is wrong.
    pub fn checksum(block: usize) -> Faults {
        Faults(1 << (12 + block.min(3)))
    }

    /// True when nothing is wrong.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// True when all of `others` are among these.
    pub fn contains(self, others: Faults) -> bool {
        self.0 & others.0 == others.0
    }

    /// One bit for each fault, for records: 0 mm, 1 oos, 2 WIB errors, 3 convert count, 4 gap, 5 back, 6 off step,
    /// 7 identity, 8 to 11 capture, 12 to 15 checksum.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Blocks of 64 channels whose samples are not to be trusted.
    pub fn blocks(self) -> [bool; 4] {
        [0, 1, 2, 3].map(|b| self.0 & (Faults::capture(b).0 | Faults::checksum(b).0) != 0)
    }

    /// `self`, with `fault` if `present`.
    pub(super) fn with(self, fault: Faults, present: bool) -> Faults {
        if present { self | fault } else { self }
    }
}

impl BitOr for Faults {
    type Output = Faults;

    fn bitor(self, other: Faults) -> Faults {
        Faults(self.0 | other.0)
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 8] = [
            "mm",
            "oos",
            "WIB errors",
            "convert counts",
            "frames missing",
            "timestamp not later",
            "timestamp off its step",
            "not the frame of this link",
        ];
        let mut separator = "";
        for bit in (0..16).filter(|bit| self.0 >> bit & 1 == 1) {
            f.write_str(separator)?;
            separator = ", ";
            match bit {
                0..8 => f.write_str(NAMES[bit])?,
                8..12 => write!(f, "capture error in block {}", bit - 8)?,
                _ => write!(f, "checksum of block {}", bit - 12)?,
            }
        }
        Ok(())
    }
}
