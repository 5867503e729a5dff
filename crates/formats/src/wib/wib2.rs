//! The frame of 2021 and 2022.

use super::bits;
use crate::fields::u32_at;
use crate::{Error, Result};

/// The times of frames, ticks of 16 ns since 1970: 2020 to 2100.
const FRAMES: std::ops::Range<u64> = 98_614_800_000_000_000..256_401_000_000_000_000;

/// A WIB2 frame: 256 channels at one tick.
///
/// ```
/// use livetime_formats::wib::Wib2Frame;
/// let mut bytes = [0; Wib2Frame::BYTES];
/// bytes[..4].copy_from_slice(&(4u32 | 3 << 6 | 2 << 12 | 1 << 22).to_le_bytes());
/// bytes[4] = 32;
/// let frame = Wib2Frame::parse(&bytes)?;
/// assert_eq!((frame.version(), frame.detector(), frame.crate_number(), frame.slot()), (4, 3, 2, 1));
/// assert_eq!(frame.timestamp(), 32);
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Wib2Frame<'a>(&'a [u8]);

impl<'a> Wib2Frame<'a> {
    /// Bytes of a frame.
    pub const BYTES: usize = 472;
    /// Ticks of the 62.5 MHz clock from frame to frame.
    pub const STEP: u64 = 32;

    /// The frame in `bytes`.
    ///
    /// # Errors
    /// Not 472 bytes.
    pub fn parse(bytes: &'a [u8]) -> Result<Wib2Frame<'a>> {
        if bytes.len() == Self::BYTES {
            return Ok(Wib2Frame(bytes));
        }
        Err(Error::new("a WIB2 frame of 472 bytes", format!("{} bytes", bytes.len())))
    }

    fn field(&self, word: usize, from: u32, count: u32) -> u64 {
        bits(u32_at(self.0, 4 * word).into(), from, count)
    }

    /// Version of the format.
    pub fn version(&self) -> u8 {
        self.field(0, 0, 6) as u8
    }

    /// Detector: 3 is ProtoDUNE-HD's.
    pub fn detector(&self) -> u8 {
        self.field(0, 6, 6) as u8
    }

    /// Crate.
    pub fn crate_number(&self) -> u16 {
        self.field(0, 12, 10) as u16
    }

    /// Slot.
    pub fn slot(&self) -> u8 {
        self.field(0, 22, 3) as u8
    }

    /// Link.
    pub fn link(&self) -> u8 {
        self.field(0, 26, 6) as u8
    }

    /// Ticks of the 62.5 MHz clock.
    pub fn timestamp(&self) -> u64 {
        self.field(1, 0, 32) | self.field(2, 0, 32) << 32
    }

    /// Which of the two front-end boards give data.
    pub fn boards_valid(&self) -> [bool; 2] {
        [16, 17].map(|bit| self.field(3, bit, 1) == 1)
    }

    /// The WIB was ready.
    pub fn ready(&self) -> bool {
        self.field(117, 23, 1) == 1
    }

    /// Whether it may be a frame, by its content: a version and a detector that there are, a time when there were frames, a board
    /// that gives data. The header has no more that could be checked.
    pub(super) fn is_one(&self) -> bool {
        let is_known = (1..=7).contains(&self.version()) && self.detector() < 16 && self.field(0, 25, 1) == 0;
        is_known && FRAMES.contains(&self.timestamp()) && self.boards_valid() != [false; 2]
    }

    /// All bytes, as the kernels unpack them.
    pub fn bytes(&self) -> &'a [u8] {
        self.0
    }
}
