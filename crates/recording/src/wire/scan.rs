//! Which frames of a file follow each other without a gap.

use std::io::{self, Read};

use livetime_formats::wib::{DumpLayout, DumpReader, RawFormat};

/// Frames that are looked at at once.
const BATCH: usize = 1024;
/// So many frames that follow each other say what time it is; fewer may be frames with a damaged time.
const SURE: u64 = 3;
/// Fewer frames count if they are not further than this from where they should be: what was swapped or sent again.
const NEAR: u64 = 4096;
/// A file of noise has a stretch for each frame; the memory for them is bounded.
const MOST_STRETCHES: usize = 1 << 20;

/// Frames of a link that lie one behind the other in a file, one step of time apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stretch {
    /// Number of the file.
    pub(super) file: u32,
    /// Where the first one begins, in bytes.
    pub(super) offset: u64,
    /// Bytes from frame to frame.
    pub(super) stride: u64,
    pub(super) frames: u64,
    /// Time of the first one, ticks of the clock.
    pub(super) stamp: u64,
}

/// The frames of one link in a file.
#[derive(Debug)]
pub(super) struct Scan {
    /// Number of the file.
    pub(super) file: u32,
    pub(super) layout: DumpLayout,
    /// See [`RawFormat::identity`](livetime_formats::wib::RawFormat::identity).
    pub(super) identity: u64,
    pub(super) stretches: Vec<Stretch>,
    /// Frames of another link, and such whose time fits nowhere.
    pub(super) strays: u64,
    /// Bytes that belong to no frame.
    pub(super) skipped: u64,
    /// The file has more, and it is not known.
    pub(super) is_cut: bool,
}

impl Scan {
    /// Reads a file from its begin to its end; `None` if it has no frame.
    pub(super) fn of(input: impl Read, file: u32) -> io::Result<Option<Scan>> {
        let mut reader = DumpReader::new(input);
        let mut scan: Option<Scan> = None;
        while reader.next_stamp()?.is_some() {
            let (Some(layout), offset) = (reader.layout(), reader.offset()) else { break };
            let Some(frames) = reader.next_frames(BATCH)? else { break };
            let scan = scan.get_or_insert_with(|| Scan::new(file, layout, layout.format.identity(frames)));
            for (frame, offset) in frames.chunks(layout.stride).zip((offset..).step_by(layout.stride)) {
                scan.add(frame, offset);
            }
            scan.is_cut = scan.stretches.len() > MOST_STRETCHES;
            if scan.is_cut {
                break;
            }
        }
        Ok(scan.map(|mut scan| {
            scan.skipped = reader.skipped();
            scan.leave_strays_out();
            scan
        }))
    }

    fn new(file: u32, layout: DumpLayout, identity: u64) -> Scan {
        Scan { file, layout, identity, stretches: Vec::new(), strays: 0, skipped: 0, is_cut: false }
    }

    fn add(&mut self, frame: &[u8], offset: u64) {
        let DumpLayout { format, stride } = self.layout;
        if format.identity(frame) != self.identity {
            self.strays += 1;
            return;
        }
        let stamp = format.stamp(frame);
        match self.stretches.last_mut() {
            Some(last) if last.end(format.step()) == stamp && last.behind() == offset => last.frames += 1,
            _ => {
                let (file, stride) = (self.file, stride as u64);
                self.stretches.push(Stretch { file, offset, stride, frames: 1, stamp });
            }
        }
    }

    fn leave_strays_out(&mut self) {
        let step = self.layout.format.step();
        let is_near = |one: u64, other: u64| one.abs_diff(other) <= NEAR * step;
        let all = std::mem::take(&mut self.stretches);
        let mut expected: Option<u64> = None;
        for (number, stretch) in all.iter().enumerate() {
            let is_its_time = match (expected, all.get(number + 1)) {
                (Some(expected), _) => is_near(stretch.stamp, expected),
                (None, Some(next)) => is_near(stretch.end(step), next.stamp),
                (None, None) => true,
            };
            if stretch.frames >= SURE || is_its_time {
                expected = Some(stretch.end(step));
                self.stretches.push(*stretch);
            } else {
                self.strays += stretch.frames;
            }
        }
    }
}

impl Stretch {
    /// The time behind the last frame; `step` is that from frame to frame.
    pub(super) fn end(&self, step: u64) -> u64 {
        self.stamp.saturating_add(self.frames.saturating_mul(step))
    }

    /// Where the frame behind the last one would begin.
    fn behind(&self) -> u64 {
        self.offset + self.frames * self.stride
    }

    /// The time of the last sample.
    pub(super) fn last(&self, format: RawFormat) -> u64 {
        self.end(format.step()).saturating_sub(format.sample_step())
    }

    /// The frames of which a sample was taken in the times `begin..end`: the first one, and how many.
    pub(super) fn within(&self, begin: u64, end: u64, format: RawFormat) -> (u64, u64) {
        let of_first = self.stamp.saturating_add(format.step() - format.sample_step());
        let first = begin.saturating_sub(of_first).div_ceil(format.step()).min(self.frames);
        let behind = end.saturating_sub(self.stamp).div_ceil(format.step()).min(self.frames);
        (first, behind.saturating_sub(first))
    }
}

#[cfg(test)]
mod tests {
    use livetime_formats::wib::{Wib1Frame, Wib1FrameMut};

    use super::*;

    fn scan(stamps: &[u64]) -> Scan {
        let frame = |number: &u64| {
            let mut bytes = [0; Wib1Frame::BYTES];
            let mut frame = Wib1FrameMut::new(&mut bytes).unwrap();
            frame.set_identity(5, 2, 1);
            frame.set_timestamp(1_000_000 + 25 * number);
            bytes
        };
        let bytes: Vec<u8> = stamps.iter().flat_map(frame).collect();
        Scan::of(&bytes[..], 7).unwrap().unwrap()
    }

    fn found(stamps: &[u64]) -> (Vec<(u64, u64)>, u64) {
        let scan = scan(stamps);
        let all = scan.stretches.iter().map(|s| ((s.stamp - 1_000_000) / 25, s.frames)).collect();
        (all, scan.strays)
    }

    #[test]
    fn frames_are_put_into_stretches() {
        assert_eq!(found(&[0, 1, 2, 3]), (vec![(0, 4)], 0));
        assert_eq!(found(&[0, 1, 2, 7, 8]), (vec![(0, 3), (7, 2)], 0));
        // Two that were swapped, and one that came again.
        assert_eq!(found(&[0, 1, 2, 4, 3, 5, 6, 6]), (vec![(0, 3), (4, 1), (3, 1), (5, 2), (6, 1)], 0));
        // A time that nothing confirms, and a clock that was set.
        assert_eq!(found(&[0, 1, 2, 90_000, 3, 4, 5]), (vec![(0, 3), (3, 3)], 1));
        assert_eq!(found(&[0, 1, 2, 90_000, 90_001, 90_002]), (vec![(0, 3), (90_000, 3)], 0));
        assert_eq!(found(&[90_000, 0, 1, 2]), (vec![(0, 3)], 1));
    }

    #[test]
    fn frames_of_a_window_are_found() {
        let stretch = scan(&[0, 1, 2, 3, 4, 5]).stretches[0];
        assert_eq!((stretch.file, stretch.offset, stretch.stride), (7, 0, 464));
        let at = |number: u64| 1_000_000 + 25 * number;
        let within = |begin, end| stretch.within(begin, end, RawFormat::Wib1);
        assert_eq!(within(at(2), at(4)), (2, 2));
        assert_eq!(within(at(2) + 1, at(4) + 1), (3, 2));
        assert_eq!(within(0, at(1)), (0, 1));
        assert_eq!(within(at(5), at(50)), (5, 1));
        assert_eq!(within(at(6), at(50)), (6, 0));
        assert_eq!(within(0, 10), (0, 0));
        assert_eq!(stretch.last(RawFormat::Wib1), at(5));
        // A frame of 64 samples may begin in the window before.
        let wibeth = Stretch { stride: 7200, ..stretch };
        let at = |sample: u64| 1_000_000 + 32 * sample;
        assert_eq!(wibeth.within(at(63), at(65), RawFormat::WibEth), (0, 2));
        assert_eq!(wibeth.within(at(64), at(128), RawFormat::WibEth), (1, 1));
        assert_eq!(wibeth.last(RawFormat::WibEth), at(64 * 6 - 1));
    }
}
