//! The faults of a frame.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

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
    /// The timestamp is not later than in the frame before.
    pub const BACK: Faults = Faults(1 << 5);
    /// The timestamp is later by something else than whole frames.
    pub const OFF_STEP: Faults = Faults(1 << 6);
    /// Crate, slot, fiber or version differ from the link's.
    pub const IDENTITY: Faults = Faults(1 << 7);

    /// A CRC was wrong: of the FELIX chunk, or, as its header says, of a WIBEth frame.
    pub const CRC: Faults = Faults(1 << 16);
    /// FELIX saw an error in the chunk.
    pub const CHUNK: Faults = Faults(1 << 17);
    /// The frame, or the chunk that brought it, has been cut off.
    pub const CUT: Faults = Faults(1 << 18);
    /// The header says that the lock was lost.
    pub const LOCK: Faults = Faults(1 << 19);
    /// The status bits of the header differ from the link's first frame.
    pub const STATUS: Faults = Faults(1 << 20);
    /// The sequence number is not one more than in the frame before.
    pub const SEQUENCE: Faults = Faults(1 << 21);
    /// The header tells another length.
    pub const LENGTH: Faults = Faults(1 << 22);
    /// The timestamp has jumped: it is later than it should be and no frames after it confirm that, or more than 10 s off.
    pub const JUMP: Faults = Faults(1 << 23);
    /// The samples of a chip have been constant for longer than noise allows. A single frame does not show
    /// this; code that follows the samples finds it.
    pub const CONSTANT: Faults = Faults(1 << 24);
    /// Faults that there are: bits `0..COUNT`.
    pub const COUNT: usize = 25;

    /// No sample of a frame with one of these faults is reliable.
    const WHOLE: Faults = Faults(1 << 7 | 0b111 << 16 | 1 << 22);

    /// Block `block` (0 to 3) was captured with errors.
    pub fn capture(block: usize) -> Faults {
        // A larger number would be the bit of another fault.
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
    /// 7 identity, 8 to 11 capture, 12 to 15 checksum, 16 CRC, 17 chunk, 18 cut off, 19 lock, 20 status, 21 sequence,
    /// 22 length, 23 jump, 24 constant samples.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// The faults with these bits, as [`Faults::bits`] gives them; bits without a meaning are left out.
    pub fn of_bits(bits: u32) -> Faults {
        // Bits of a later version have no name here.
        Faults(bits & ((1 << Faults::COUNT) - 1))
    }

    /// The fault with each bit that is set, one by one.
    pub fn each(self) -> impl Iterator<Item = Faults> {
        (0..Faults::COUNT).map(|bit| Faults(1 << bit)).filter(move |fault| self.contains(*fault))
    }

    /// Blocks of 64 channels whose samples are not to be trusted.
    pub fn blocks(self) -> [bool; 4] {
        let whole = self.0 & Faults::WHOLE.0 != 0;
        [0, 1, 2, 3].map(|b| whole || self.0 & (Faults::capture(b).0 | Faults::checksum(b).0) != 0)
    }

    /// Without `others`.
    pub fn without(self, others: Faults) -> Faults {
        Faults(self.0 & !others.0)
    }

    /// `self`, with `fault` if `present`.
    pub fn with(self, fault: Faults, present: bool) -> Faults {
        if present { self | fault } else { self }
    }
}

impl BitOr for Faults {
    type Output = Faults;

    fn bitor(self, other: Faults) -> Faults {
        Faults(self.0 | other.0)
    }
}

impl BitOrAssign for Faults {
    fn bitor_assign(&mut self, other: Faults) {
        self.0 |= other.0;
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
        const MORE: [&str; 9] = [
            "CRC",
            "error in the chunk",
            "cut off",
            "lock lost",
            "status bits",
            "sequence number",
            "length",
            "timestamp jumped",
            "constant samples",
        ];
        let mut separator = "";
        for bit in (0..Faults::COUNT).filter(|bit| self.0 >> bit & 1 == 1) {
            f.write_str(separator)?;
            separator = ", ";
            match bit {
                0..8 => f.write_str(NAMES[bit])?,
                8..12 => write!(f, "capture error in block {}", bit - 8)?,
                12..16 => write!(f, "checksum of block {}", bit - 12)?,
                _ => f.write_str(MORE[bit - 16])?,
            }
        }
        Ok(())
    }
}
