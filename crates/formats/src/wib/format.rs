//! The formats of raw frames, and their common properties.

use livetime_codecs::PackedFrames;

use super::head::{WIB1_IDENTITY, WIBETH_IDENTITY};
use super::{Faults, Head, Wib1Frame, Wib2Frame, WibEthFrame};
use crate::fields::{u32_at, u64_at};
use crate::{Error, Result};

/// Format of raw frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RawFormat {
    /// 464 bytes: 256 channels of 12 bits, one sample. ProtoDUNE-SP.
    Wib1,
    /// 472 bytes: 256 channels of 14 bits, one sample.
    Wib2,
    /// 7200 bytes: 64 channels of 14 bits, 64 samples.
    WibEth,
}

impl RawFormat {
    /// All formats.
    pub const ALL: [RawFormat; 3] = [RawFormat::Wib1, RawFormat::Wib2, RawFormat::WibEth];

    /// Name in attributes and reports.
    pub const fn name(self) -> &'static str {
        match self {
            RawFormat::Wib1 => "wib1",
            RawFormat::Wib2 => "wib2",
            RawFormat::WibEth => "wibeth",
        }
    }

    /// Bytes of a frame.
    pub const fn bytes(self) -> usize {
        match self {
            RawFormat::Wib1 => Wib1Frame::BYTES,
            RawFormat::Wib2 => Wib2Frame::BYTES,
            RawFormat::WibEth => WibEthFrame::BYTES,
        }
    }

    /// Samples of each channel in a frame.
    pub const fn samples(self) -> usize {
        if matches!(self, RawFormat::WibEth) { 64 } else { 1 }
    }

    /// Channels of a frame.
    pub const fn channels(self) -> usize {
        if matches!(self, RawFormat::WibEth) { 64 } else { 256 }
    }

    /// Ticks of the clock from frame to frame.
    pub const fn step(self) -> u64 {
        self.sample_step() * self.samples() as u64
    }

    /// Ticks of the clock from sample to sample.
    pub const fn sample_step(self) -> u64 {
        if matches!(self, RawFormat::Wib1) { Wib1Frame::STEP } else { WibEthFrame::SAMPLE_STEP }
    }

    /// Length of a tick of the clock in ns.
    pub const fn tick_ns(self) -> u64 {
        if matches!(self, RawFormat::Wib1) { 20 } else { 16 }
    }

    /// Highest sample.
    pub const fn most(self) -> i16 {
        if matches!(self, RawFormat::Wib1) { 4095 } else { 16383 }
    }

    /// The format with this name.
    pub fn named(name: &str) -> Option<RawFormat> {
        RawFormat::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Whether these bytes are one frame, by their content: fixed values of the header, and bits that no frame has. The
    /// size is no sign, since any file may have it. Frames in a row are safer to recognise, by their times.
    pub fn is_frame(self, bytes: &[u8]) -> bool {
        match self {
            RawFormat::Wib1 => {
                Wib1Frame::parse(bytes).is_ok_and(|f| f.bytes().len() == Wib1Frame::BYTES && f.is_one())
            }
            RawFormat::Wib2 => Wib2Frame::parse(bytes).is_ok_and(|frame| frame.is_one()),
            RawFormat::WibEth => WibEthFrame::parse(bytes).is_ok_and(|frame| frame.is_one()),
        }
    }

    /// The format of the frames that a chunk holds one behind the other: it fits whole frames, two of them one step of
    /// time apart, or a single one ([`RawFormat::is_frame`]).
    pub fn of_chunk(chunk: &[u8]) -> Option<RawFormat> {
        // The first frame alone may be ambiguous, but two timestamps at the right distance are not.
        RawFormat::ALL.into_iter().find(|format| {
            let stamps = chunk.chunks(format.bytes()).map(|frame| format.stamp(frame));
            let mut steps = stamps.clone().zip(stamps.skip(1)).map(|(one, next)| next.wrapping_sub(one));
            let is_whole = chunk.len().is_multiple_of(format.bytes());
            // A chunk of one frame has no step.
            format.is_frame(chunk) || is_whole && steps.any(|step| step == format.step())
        })
    }

    /// The header of a frame; `None` when it is not as long as a frame. For `near` see [`Head::of_wib1`].
    #[inline]
    pub fn head(self, frame: &[u8], near: u64) -> Option<Head> {
        Some(match self {
            RawFormat::Wib1 => Head::of_wib1(&Wib1Frame::parse(frame).ok()?, near),
            RawFormat::Wib2 => Head::of_wib2(&Wib2Frame::parse(frame).ok()?),
            RawFormat::WibEth => Head::of_wibeth(&WibEthFrame::parse(frame).ok()?),
        })
    }

    /// Where a frame is from ([`Head::identity`]), from its first 16 bytes.
    #[inline]
    pub fn identity(self, header: &[u8]) -> u64 {
        match self {
            RawFormat::Wib1 => u64_at(header, 0) & WIB1_IDENTITY,
            RawFormat::Wib2 => u32_at(header, 0).into(),
            RawFormat::WibEth => u64_at(header, 0) & WIBETH_IDENTITY,
        }
    }

    /// Time of a frame, ticks of the clock, from its first 16 bytes: of WIB1 the 48 or 63 bits that were sent.
    #[inline]
    pub fn stamp(self, header: &[u8]) -> u64 {
        match self {
            // The highest bit tells a 48-bit timestamp.
            RawFormat::Wib1 if u64_at(header, 8) >> 63 == 1 => u64_at(header, 8) & ((1 << 48) - 1),
            RawFormat::Wib1 | RawFormat::WibEth => u64_at(header, 8),
            RawFormat::Wib2 => u64_at(header, 4),
        }
    }

    /// Makes a frame one of `ticks` later, whole frames: its timestamp, and the sequence number of WIBEth.
    pub fn delay(self, frame: &mut [u8], ticks: u64) {
        // The header of WIB2 is shorter.
        let at = if self == RawFormat::Wib2 { 4 } else { 8 };
        let sent = u64_at(frame, at);
        // The upper bits of WIB1 have another meaning.
        let mask = match self {
            RawFormat::Wib1 if sent >> 63 == 1 => (1 << 48) - 1,
            RawFormat::Wib1 => u64::MAX >> 1,
            _ => u64::MAX,
        };
        put_u64(frame, at, sent & !mask | sent.wrapping_add(ticks) & mask);
        // Only this format has a sequence number that follows the time.
        if self == RawFormat::WibEth {
            let (first, count) = (u64_at(frame, 0), ticks / self.step());
            put_u64(frame, 0, first & !SEQUENCE | first.wrapping_add(count << 40) & SEQUENCE);
        }
    }

    /// Unpacks frames that follow each other: one row for each tick, with all channels in the order of the frame.
    ///
    /// # Errors
    /// If these are not whole frames, or the samples not as many as they have; nothing is written.
    pub fn unpack(self, frames: &[u8], samples: &mut [i16]) -> Result<()> {
        let packed = match self {
            RawFormat::Wib1 => PackedFrames::Wib1,
            RawFormat::Wib2 => PackedFrames::Wib2,
            RawFormat::WibEth => PackedFrames::WibEth,
        };
        let wanted = || format!("whole frames of {} and memory for their samples", self.name());
        packed.unpack(frames, samples).map_err(|e| Error::new(wanted(), e.to_string()))
    }

    /// The faults that a frame itself shows; checksums of WIB1 frames are checked only if `checksums`.
    pub fn faults(self, frame: &[u8], checksums: bool) -> Faults {
        let faults = match self {
            RawFormat::Wib1 => Wib1Frame::parse(frame).map(|frame| frame.faults(checksums)),
            RawFormat::Wib2 => Wib2Frame::parse(frame).map(|_| Faults::NONE),
            RawFormat::WibEth => WibEthFrame::parse(frame).map(|frame| frame.faults()),
        };
        // A frame that is too short to be parsed has been cut.
        faults.unwrap_or(Faults::CUT)
    }
}

/// The sequence number in the first word of a WIBEth frame.
const SEQUENCE: u64 = 0xFFF << 40;

fn put_u64(bytes: &mut [u8], at: usize, value: u64) {
    if let Some(place) = bytes.get_mut(at..at + 8) {
        place.copy_from_slice(&value.to_le_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text, and bytes by chance, are no frames, however many they are; one frame of each format is known.
    #[test]
    fn a_frame_is_known_by_its_content_and_not_by_its_size() {
        let text = include_str!("../../../../README.md").as_bytes();
        let mut seed = 1u64;
        let mut next = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 56) as u8
        };
        for format in RawFormat::ALL {
            let size = format.bytes();
            for _ in 0..300 {
                let noise: Vec<u8> = (0..size).map(|_| next()).collect();
                assert_eq!(RawFormat::of_chunk(&noise), None);
            }
            let written: Vec<u8> = text.iter().copied().cycle().take(size).collect();
            for other in [written, vec![0; size], vec![0xFF; size], vec![b' '; size]] {
                assert_eq!(RawFormat::of_chunk(&other), None);
            }
        }
        let (mut wib1, mut wib2, mut wibeth) = (vec![9; 464], vec![9; 472], vec![9; 7200]);
        wib1[..16].copy_from_slice(&[0, 0x21, 0x45, 0, 0, 0, 0, 0, 0, 0x50, 0x42, 0xAD, 5, 0xC0, 0x1C, 1]);
        wib2[..4].copy_from_slice(&(4u32 | 3 << 6 | 2 << 12 | 1 << 22 | 1 << 26).to_le_bytes());
        wib2[4..12].copy_from_slice(&107_000_000_000_000_000u64.to_le_bytes());
        wib2[12..16].copy_from_slice(&(3u32 << 16).to_le_bytes());
        wibeth[..8].copy_from_slice(&0x382f_ff01_0480_10c2u64.to_le_bytes());
        wibeth[8..16].copy_from_slice(&107_000_000_000_000_000u64.to_le_bytes());
        let found = [wib1, wib2, wibeth].map(|frame| RawFormat::of_chunk(&frame));
        assert_eq!(found, RawFormat::ALL.map(Some));
    }

    #[test]
    fn delayed_frames_are_later_and_else_the_same() {
        let mut wibeth = vec![7; 7200];
        wibeth[..8].copy_from_slice(&0x382f_ff01_0480_10c2u64.to_le_bytes());
        let before = RawFormat::WibEth.head(&wibeth, 0).unwrap();
        RawFormat::WibEth.delay(&mut wibeth, 5 * 2048);
        let after = RawFormat::WibEth.head(&wibeth, 0).unwrap();
        assert_eq!(
            after,
            Head { stamp: before.stamp + 5 * 2048, count: (before.count + 5) & 0xFFF, ..before }
        );
        for z in [0, 0x80] {
            let mut wib1 = vec![9; 464];
            wib1[15] = z;
            let before = RawFormat::Wib1.head(&wib1, 0).unwrap();
            RawFormat::Wib1.delay(&mut wib1, 2500);
            let after = RawFormat::Wib1.head(&wib1, 0).unwrap();
            assert_eq!(after, Head { stamp: before.stamp + 2500, ..before });
            assert_eq!((wib1[14], wib1[15]), (9, z));
        }
        let mut wib2 = vec![1; 472];
        RawFormat::Wib2.delay(&mut wib2, 64);
        assert_eq!(RawFormat::Wib2.stamp(&wib2), 0x0101_0101_0101_0141);
    }
}
