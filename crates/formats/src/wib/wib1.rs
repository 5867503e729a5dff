//! The frame of ProtoDUNE-SP.

use super::{Faults, bits};
use crate::fields::u32_at;
use crate::{Error, Result};

/// Bytes of a block: header and samples of 64 channels.
const BLOCK: usize = 112;
/// Bytes of the header of the frame, and of the header of a block.
const HEADER: usize = 16;
/// Where the bytes of the two streams of a block begin that their checksums are over.
const SUMMED: usize = 6;

/// A WIB1 frame: 256 channels at one tick.
///
/// ```
/// use livetime_formats::wib::{Wib1Frame, Wib1FrameMut};
/// let mut bytes = [0; Wib1Frame::BYTES];
/// let mut frame = Wib1FrameMut::new(&mut bytes)?;
/// frame.set_identity(5, 2, 1);
/// frame.set_timestamp(80_150_024_000_000_000);
/// let frame = Wib1Frame::parse(&bytes)?;
/// assert_eq!((frame.crate_number(), frame.slot(), frame.fiber()), (5, 2, 1));
/// assert_eq!(frame.timestamp(), 80_150_024_000_000_000);
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Wib1Frame<'a>(&'a [u8]);

impl<'a> Wib1Frame<'a> {
    /// Bytes of a frame as it comes over FELIX.
    pub const BYTES: usize = 464;
    /// Bytes of a frame with the CRC word of older dumps.
    pub const BYTES_WITH_CRC: usize = 468;
    /// Ticks of the 50 MHz clock from frame to frame.
    pub const STEP: u64 = 25;

    /// The frame in `bytes`, 464 or 468 of them.
    ///
    /// # Errors
    /// Another number of bytes.
    pub fn parse(bytes: &'a [u8]) -> Result<Wib1Frame<'a>> {
        match bytes.len() {
            Self::BYTES | Self::BYTES_WITH_CRC => Ok(Wib1Frame(bytes)),
            found => Err(Error::new("a WIB1 frame of 464 or 468 bytes", format!("{found} bytes"))),
        }
    }

    fn field(&self, word: usize, from: u32, count: u32) -> u64 {
        bits(u32_at(self.0, 4 * word).into(), from, count)
    }

    /// Start of frame; 0 over FELIX.
    pub fn start_of_frame(&self) -> u8 {
        self.field(0, 0, 8) as u8
    }

    /// Version of the firmware; 1 in ProtoDUNE-SP.
    pub fn version(&self) -> u8 {
        self.field(0, 8, 5) as u8
    }

    /// Fiber: 1 or 2.
    pub fn fiber(&self) -> u8 {
        self.field(0, 13, 3) as u8
    }

    /// Crate: 1 to 6.
    pub fn crate_number(&self) -> u8 {
        self.field(0, 16, 5) as u8
    }

    /// Slot: 0 to 4.
    pub fn slot(&self) -> u8 {
        self.field(0, 21, 3) as u8
    }

    /// The convert counts of the streams differ.
    pub fn mm(&self) -> bool {
        self.field(1, 0, 1) == 1
    }

    /// The streams are out of synchronisation.
    pub fn oos(&self) -> bool {
        self.field(1, 1, 1) == 1
    }

    /// Two bits for each of eight streams: error register, capture errors.
    pub fn wib_errors(&self) -> u16 {
        self.field(1, 16, 16) as u16
    }

    /// Ticks of the 50 MHz clock: 63 bits, or 48 where [`Wib1Frame::wib_counter`] takes the others.
    pub fn timestamp(&self) -> u64 {
        // A firmware that counts frames uses the upper bits of the time for it.
        let upper = if self.counts() { 16 } else { 31 };
        self.field(2, 0, 32) | self.field(3, 0, upper) << 32
    }

    /// The counter that some firmware sends in place of the upper bits of the timestamp.
    pub fn wib_counter(&self) -> Option<u16> {
        self.counts().then(|| self.field(3, 16, 15) as u16)
    }

    fn counts(&self) -> bool {
        self.field(3, 31, 1) == 1
    }

    /// The blocks of 64 channels.
    pub fn blocks(&self) -> [ColdataBlock<'a>; 4] {
        let bytes = self.0;
        [0, 1, 2, 3].map(|b| {
            // The length was checked, so an empty block never occurs.
            ColdataBlock(bytes.get(HEADER + b * BLOCK..).and_then(|b| b.get(..BLOCK)).unwrap_or(&[]))
        })
    }

    /// The faults that the frame itself reports; checksums only if `checksums`.
    pub fn faults(&self, checksums: bool) -> Faults {
        let mut faults = Faults::NONE
            .with(Faults::MM, self.mm())
            .with(Faults::OOS, self.oos())
            .with(Faults::WIB_ERRORS, self.wib_errors() != 0);
        let blocks = self.blocks();
        for (i, block) in blocks.iter().enumerate() {
            faults = faults
                .with(Faults::capture(i), block.capture_errors() != [0, 0])
                // Checksums take time for every byte, so they are asked for.
                .with(Faults::checksum(i), checksums && block.checksums() != block.computed_checksums());
        }
        let count = blocks[0].convert_count();
        let differ = blocks.iter().any(|block| block.convert_count() != count);
        // With `mm` the firmware reports the same fault.
        faults.with(Faults::CONVERT_COUNT, differ && !self.mm())
    }

    /// Whether it may be a frame, by its content: crates, slots and fibers that there are, and nothing where nothing is sent.
    pub(super) fn is_one(&self) -> bool {
        let is_somewhere = (1..=6).contains(&self.crate_number()) && self.slot() <= 4;
        let is_empty = self.field(0, 24, 8) == 0 && self.field(1, 2, 14) == 0;
        is_somewhere && matches!(self.fiber(), 1 | 2) && self.start_of_frame() == 0 && is_empty
    }

    /// The bytes, with the CRC word if there is one.
    pub fn bytes(&self) -> &'a [u8] {
        self.0
    }
}

/// Header and samples of 64 channels, from two streams of a COLDATA chip.
///
/// The streams alternate byte by byte: the first has the even chips of the block, the second the odd ones.
#[derive(Clone, Copy, Debug)]
pub struct ColdataBlock<'a>(&'a [u8]);

impl ColdataBlock<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or(0)
    }

    /// Capture errors of the two streams: bit 0 not finished, 1 bad start of frame, 2 frame too long, 3 a K character
    /// inside, 7 checksum bad.
    pub fn capture_errors(&self) -> [u8; 2] {
        [self.byte(0), self.byte(1)]
    }

    /// The checksums that were sent.
    pub fn checksums(&self) -> [u16; 2] {
        [0, 1].map(|stream| u16::from_le_bytes([self.byte(2 + stream), self.byte(4 + stream)]))
    }

    /// The checksums of the bytes: even ones added, odd ones added 8 bits higher, and the carry of 16 bits added.
    ///
    /// This follows the documentation of the format; we had no recorded frame with checksums to verify it.
    pub fn computed_checksums(&self) -> [u16; 2] {
        [0, 1].map(|stream| {
            let bytes = self.0.iter().skip(SUMMED + stream).step_by(2).enumerate();
            let sum = bytes.fold(0u32, |sum, (i, b)| sum + (u32::from(*b) << (8 * (i % 2)))) & 0xFF_FFFF;
            (sum & 0xFFFF).wrapping_add(sum >> 16) as u16
        })
    }

    /// Steps by one from frame to frame and is the same in all blocks.
    pub fn convert_count(&self) -> u16 {
        u16::from_le_bytes([self.byte(6), self.byte(7)])
    }
}

/// A WIB1 frame to be written: simulation, and faults for tests.
#[derive(Debug)]
pub struct Wib1FrameMut<'a>(&'a mut [u8]);

impl<'a> Wib1FrameMut<'a> {
    /// The frame in `bytes`, 464 or 468 of them.
    ///
    /// # Errors
    /// Another number of bytes.
    pub fn new(bytes: &'a mut [u8]) -> Result<Wib1FrameMut<'a>> {
        Wib1Frame::parse(bytes)?;
        Ok(Wib1FrameMut(bytes))
    }

    fn set(&mut self, word: usize, from: u32, count: u32, value: u32) {
        // The shift is made in 64 bits, because a field of 32 bits would shift by the width of its type.
        let mask = (((1u64 << count) - 1) as u32) << from;
        let new = u32_at(self.0, 4 * word) & !mask | value << from & mask;
        if let Some(bytes) = self.0.get_mut(4 * word..4 * word + 4) {
            bytes.copy_from_slice(&new.to_le_bytes());
        }
    }

    /// Version 1, crate, slot and fiber; too large numbers lose their upper bits.
    pub fn set_identity(&mut self, crate_number: u8, slot: u8, fiber: u8) {
        self.set(0, 8, 5, 1);
        self.set(0, 13, 3, fiber.into());
        self.set(0, 16, 5, crate_number.into());
        self.set(0, 21, 3, slot.into());
    }

    /// A timestamp of 63 bits.
    pub fn set_timestamp(&mut self, stamp: u64) {
        self.0[8..16].copy_from_slice(&(stamp & (u64::MAX >> 1)).to_le_bytes());
    }

    /// The flags `mm` and `oos`, and the error bits of the header.
    pub fn set_errors(&mut self, mm: bool, oos: bool, wib_errors: u16) {
        self.set(1, 0, 2, u32::from(mm) | u32::from(oos) << 1);
        self.set(1, 16, 16, wib_errors.into());
    }

    /// The convert count of block `block`, 0 to 3.
    pub fn set_convert_count(&mut self, block: usize, count: u16) {
        self.set(HEADER / 4 + block.min(3) * BLOCK / 4 + 1, 16, 16, count.into());
    }

    /// The capture errors of the streams of block `block`, 0 to 3.
    pub fn set_capture_errors(&mut self, block: usize, errors: [u8; 2]) {
        self.set(HEADER / 4 + block.min(3) * BLOCK / 4, 0, 16, u16::from_le_bytes(errors).into());
    }

    /// Turns a bit of the checksum of the first stream of block `block`, 0 to 3.
    pub fn break_checksum(&mut self, block: usize) {
        self.0[HEADER + block.min(3) * BLOCK + 2] ^= 1;
    }

    /// The checksums of all blocks as they must be; after everything else.
    pub fn set_checksums(&mut self) {
        for block in self.0[HEADER..Wib1Frame::BYTES].chunks_exact_mut(BLOCK) {
            let sums = ColdataBlock(block).computed_checksums();
            for (stream, sum) in sums.into_iter().enumerate() {
                [block[2 + stream], block[4 + stream]] = sum.to_le_bytes();
            }
        }
    }
}
