//! The frame of 2023 and later, which comes over Ethernet.

use super::{Faults, bits};
use crate::{Error, Result};

/// A WIBEth frame: one stream of 64 channels, 64 ticks.
///
/// ```
/// use livetime_formats::wib::WibEthFrame;
/// let mut bytes = [0; WibEthFrame::BYTES];
/// bytes[..8].copy_from_slice(&0x382f_fa01_0480_10c2u64.to_le_bytes());
/// let frame = WibEthFrame::parse(&bytes)?;
/// assert_eq!((frame.detector(), frame.crate_number(), frame.slot(), frame.stream()), (3, 1, 2, 65));
/// assert_eq!((frame.sequence(), frame.link(), frame.first_channel()), (4090, 1, Some(64)));
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct WibEthFrame<'a>(&'a [u8]);

impl<'a> WibEthFrame<'a> {
    /// Bytes of a frame.
    pub const BYTES: usize = 7200;
    /// Ticks of the 62.5 MHz clock from frame to frame.
    pub const STEP: u64 = 2048;
    /// Ticks of the clock from sample to sample.
    pub const SAMPLE_STEP: u64 = 32;
    /// 64-bit words after the first two.
    pub const BLOCK_LENGTH: u16 = 898;

    /// The frame in `bytes`.
    ///
    /// # Errors
    /// Not 7200 bytes.
    pub fn parse(bytes: &'a [u8]) -> Result<WibEthFrame<'a>> {
        if bytes.len() == Self::BYTES {
            return Ok(WibEthFrame(bytes));
        }
        Err(Error::new("a WIBEth frame of 7200 bytes", format!("{} bytes", bytes.len())))
    }

    fn field(&self, word: usize, from: u32, count: u32) -> u64 {
        bits(self.word(word), from, count)
    }

    fn word(&self, word: usize) -> u64 {
        self.0.get(8 * word..).and_then(|b| b.first_chunk()).copied().map_or(0, u64::from_le_bytes)
    }

    /// Version of the header that all Ethernet frames share.
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
        self.field(0, 22, 4) as u8
    }

    /// Stream; valid are 0 to 3 and 64 to 67.
    pub fn stream(&self) -> u8 {
        self.field(0, 26, 8) as u8
    }

    /// Link of the WIB, 0 or 1, that the stream is a part of.
    pub fn link(&self) -> u8 {
        self.stream() >> 6 & 1
    }

    /// First of the 64 channels of the stream within the 256 of the link; `None` where the stream is not valid.
    pub fn first_channel(&self) -> Option<usize> {
        let position = usize::from(self.stream() & 0x3F);
        (self.stream() < 0x80 && position < 4).then_some(64 * position)
    }

    /// Steps by one from frame to frame, modulo 4096.
    pub fn sequence(&self) -> u16 {
        self.field(0, 40, 12) as u16
    }

    /// 64-bit words after the first two; [`WibEthFrame::BLOCK_LENGTH`] in a good frame.
    pub fn block_length(&self) -> u16 {
        self.field(0, 52, 12) as u16
    }

    /// Time of the first sample, ticks of the 62.5 MHz clock.
    pub fn timestamp(&self) -> u64 {
        self.word(1)
    }

    /// CRC errors of the two links.
    pub fn crc_errors(&self) -> [bool; 2] {
        [33, 34].map(|bit| self.field(2, bit, 1) == 1)
    }

    /// Loss of lock.
    pub fn lost_lock(&self) -> bool {
        self.field(2, 37, 1) == 1
    }

    /// The WIB was ready.
    pub fn ready(&self) -> bool {
        self.field(2, 43, 1) == 1
    }

    /// The state of the WIB.
    pub fn context(&self) -> u8 {
        self.field(2, 44, 8) as u8
    }

    /// Extra data.
    pub fn extra(&self) -> u64 {
        self.word(3)
    }

    /// Whether it may be a frame, by its content: its own length, a valid stream, and nothing where nothing is sent.
    pub(super) fn is_one(&self) -> bool {
        let is_empty = self.field(0, 34, 6) == 0 && self.field(1, 58, 6) == 0;
        self.block_length() == Self::BLOCK_LENGTH && self.first_channel().is_some() && is_empty
    }

    /// The faults that the frame itself reports.
    pub fn faults(&self) -> Faults {
        Faults::NONE
            .with(Faults::CRC, self.crc_errors() != [false; 2])
            .with(Faults::LOCK, self.lost_lock())
            .with(Faults::LENGTH, self.block_length() != Self::BLOCK_LENGTH)
    }

    /// Frames missing between the frame of sequence number `last` and this one, modulo 4096.
    pub fn missing_since(&self, last: u16) -> u16 {
        self.sequence().wrapping_sub(last).wrapping_sub(1) & 0xFFF
    }

    /// All bytes, as the kernels unpack them.
    pub fn bytes(&self) -> &'a [u8] {
        self.0
    }
}

/// A WIBEth frame to be written: simulation, and faults for tests.
///
/// ```
/// use livetime_formats::wib::{WibEthFrame, WibEthFrameMut};
/// let mut bytes = [0; WibEthFrame::BYTES];
/// let mut frame = WibEthFrameMut::new(&mut bytes)?;
/// frame.set_identity(3, 1, 2, 65);
/// frame.set_sequence(4097);
/// frame.set_timestamp(2048);
/// let frame = WibEthFrame::parse(&bytes)?;
/// assert_eq!((frame.crate_number(), frame.slot(), frame.stream(), frame.sequence()), (1, 2, 65, 1));
/// assert_eq!((frame.timestamp(), frame.block_length(), frame.ready()), (2048, WibEthFrame::BLOCK_LENGTH, true));
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Debug)]
pub struct WibEthFrameMut<'a>(&'a mut [u8; WibEthFrame::BYTES]);

impl<'a> WibEthFrameMut<'a> {
    /// The frame in `bytes`.
    ///
    /// # Errors
    /// Not 7200 bytes.
    pub fn new(bytes: &'a mut [u8]) -> Result<WibEthFrameMut<'a>> {
        let found = bytes.len();
        let frame = bytes.try_into().map(WibEthFrameMut);
        frame.map_err(|_| Error::new("a WIBEth frame of 7200 bytes", format!("{found} bytes")))
    }

    /// Sets `count` bits of `word`, from bit `from` on; a value that is too large loses its upper bits.
    fn set(&mut self, word: usize, from: u32, count: u32, value: u64) {
        if let Some(bytes) = self.0.get_mut(8 * word..).and_then(|b| b.first_chunk_mut()) {
            let mask = ((1u64 << count) - 1) << from;
            *bytes = (u64::from_le_bytes(*bytes) & !mask | value << from & mask).to_le_bytes();
        }
    }

    /// Detector, crate, slot and stream, the frame's length, and that all is valid, synchronised and ready.
    pub fn set_identity(&mut self, detector: u8, crate_number: u16, slot: u8, stream: u8) {
        self.set(0, 6, 6, detector.into());
        self.set(0, 12, 10, crate_number.into());
        self.set(0, 22, 4, slot.into());
        self.set(0, 26, 8, stream.into());
        self.set(0, 52, 12, WibEthFrame::BLOCK_LENGTH.into());
        self.set(2, 35, 2, 0b11);
        self.set(2, 38, 3, 0b111);
        self.set(2, 43, 1, 1);
    }

    /// The sequence number, modulo 4096.
    pub fn set_sequence(&mut self, sequence: u16) {
        self.set(0, 40, 12, sequence.into());
    }

    /// The time of the first sample.
    pub fn set_timestamp(&mut self, stamp: u64) {
        self.0[8..16].copy_from_slice(&stamp.to_le_bytes());
    }
}
