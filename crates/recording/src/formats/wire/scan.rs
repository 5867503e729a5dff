//! Which frames of a file follow each other without a gap.

use std::collections::VecDeque;
use std::io::{self, Read};

use livetime_formats::wib::{DumpLayout, DumpReader, RawFormat};

/// Frames that are scanned at once; they stay in the cache.
const BATCH: usize = 1024;
/// Consecutive frames that make a time credible; fewer may be frames with a damaged time.
const SURE: u64 = 3;
/// Fewer frames than `SURE` count if their time is at most this far from the expected one: swapped or repeated frames.
const NEAR: u64 = 4096;
/// Most stretches of a file. A file of noise has one for each frame, and would fill the memory.
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
    /// In the order of the file. The last one may become longer while the file grows.
    pub(super) stretches: Vec<Stretch>,
    /// Frames of another link, and frames whose time fits nowhere.
    pub(super) strays: u64,
    /// Bytes that belong to no frame.
    pub(super) skipped: u64,
    /// The file has more, and it is not known.
    pub(super) is_cut: bool,
    /// Stretches behind `stretches` whose time is confirmed or refuted by later frames.
    open: VecDeque<Stretch>,
    /// When the frame behind the last of `stretches` should be.
    expected: Option<u64>,
    /// Behind the begin of the last frame that was added.
    end: u64,
    /// Where reading continues, near the end, with enough consecutive frames to recognise their layout. Also the number
    /// of bytes before that place that belong to no frame.
    restart: (u64, u64),
}

impl Scan {
    /// Reads a file from its begin to its end; `None` if it has no frame. `is_over`: nothing will be added to it.
    pub(super) fn of(input: impl Read, file: u32, is_over: bool) -> io::Result<Option<Scan>> {
        let mut scan = None;
        Scan::pass(&mut scan, input, file, (0, 0))?;
        scan.iter_mut().for_each(|scan: &mut Scan| scan.settle(is_over));
        // While the file grows, a few frames without a confirmed time may still be of another link; at its end they
        // count.
        Ok(scan.filter(|scan| is_over || !scan.stretches.is_empty()))
    }

    /// Reads bytes that were added; `input` gives the bytes from a place on.
    pub(super) fn more<R: Read>(&mut self, input: impl Fn(u64) -> R, is_over: bool) -> io::Result<()> {
        if !self.is_cut {
            let (file, restart) = (self.file, self.restart);
            let read = input(restart.0);
            self.pass_on(read, file, restart)?;
        }
        self.settle(is_over);
        Ok(())
    }

    fn pass_on(&mut self, input: impl Read, file: u32, from: (u64, u64)) -> io::Result<()> {
        let empty = Scan::new(file, self.layout, self.identity);
        // Swapped out, because `pass` may begin a scan of its own.
        let mut scan = Some(std::mem::replace(self, empty));
        let passed = Scan::pass(&mut scan, input, file, from);
        if let Some(scan) = scan {
            *self = scan;
        }
        passed
    }

    /// Adds the frames of `input`, which begins at a place; `skipped` bytes before the place belong to no frame.
    fn pass(
        scan: &mut Option<Scan>,
        input: impl Read,
        file: u32,
        (from, skipped): (u64, u64),
    ) -> io::Result<()> {
        let mut reader = DumpReader::new(input);
        while reader.next_stamp()?.is_some() {
            let (Some(layout), offset) = (reader.layout(), from + reader.offset()) else { break };
            let before = skipped + reader.skipped();
            // The layout is known only after enough frames; an end without them is left for later.
            let Some(frames) = reader.next_frames(BATCH)? else { break };
            let scan = scan.get_or_insert_with(|| Scan::new(file, layout, layout.format.identity(frames)));
            for (frame, offset) in frames.chunks(layout.stride).zip((offset..).step_by(layout.stride)) {
                scan.add(frame, offset);
            }
            scan.note_restart(before);
            scan.is_cut = scan.stretches.len() + scan.open.len() > MOST_STRETCHES;
            if scan.is_cut {
                break;
            }
        }
        scan.iter_mut().for_each(|scan| scan.skipped = skipped + reader.skipped());
        Ok(())
    }

    fn new(file: u32, layout: DumpLayout, identity: u64) -> Scan {
        let (stretches, open) = (Vec::new(), VecDeque::new());
        let (strays, skipped, is_cut, expected, end, restart) = (0, 0, false, None, 0, (0, 0));
        Scan { file, layout, identity, stretches, strays, skipped, is_cut, open, expected, end, restart }
    }

    fn add(&mut self, frame: &[u8], offset: u64) {
        // Frames from `restart` on were added by the pass before.
        if offset < self.end {
            return;
        }
        self.end = offset + 1;
        let DumpLayout { format, stride } = self.layout;
        // Frames of another link are counted, and change nothing of this link's time.
        if format.identity(frame) != self.identity {
            self.strays += 1;
            return;
        }
        let (stamp, step) = (format.stamp(frame), format.step());
        // Frames continue the newest stretch, whether its time is confirmed or not.
        let last = if self.open.is_empty() { self.stretches.last_mut() } else { self.open.back_mut() };
        match last {
            Some(last) if last.end(step) == stamp && last.behind() == offset => {
                last.frames += 1;
                let end = last.end(step);
                // The expected time moves only with confirmed stretches.
                self.expected = if self.open.is_empty() { Some(end) } else { self.expected };
            }
            _ => {
                let (file, stride) = (self.file, stride as u64);
                self.open.push_back(Stretch { file, offset, stride, frames: 1, stamp });
            }
        }
    }

    fn note_restart(&mut self, skipped: u64) {
        let last = self.open.back().or(self.stretches.last());
        // Only after enough frames in a row can the next pass recognise the layout again.
        if let Some(last) = last.filter(|last| last.frames >= SURE) {
            self.restart = (last.behind() - SURE * last.stride, skipped);
        }
    }

    /// Decides whether the times of read frames are credible, as far as possible before more is read; of all frames if
    /// `is_over`.
    pub(super) fn settle(&mut self, is_over: bool) {
        let step = self.layout.format.step();
        let is_near = |one: u64, other: u64| one.abs_diff(other) <= NEAR * step;
        while let Some(stretch) = self.open.front().copied() {
            // Near the expected time, or, at the begin, near the next stretch: a single damaged time is far from both.
            let is_its_time = match (self.expected, self.open.get(1)) {
                (Some(expected), _) => is_near(stretch.stamp, expected),
                (None, Some(next)) => is_near(stretch.end(step), next.stamp),
                (None, None) => is_over,
            };
            // More frames may come that follow it.
            if stretch.frames < SURE && !is_its_time && self.open.len() == 1 && !is_over {
                break;
            }
            if stretch.frames >= SURE || is_its_time {
                self.expected = Some(stretch.end(step));
                self.stretches.push(stretch);
            } else {
                self.strays += stretch.frames;
            }
            self.open.pop_front();
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

    /// The frames with a sample in the times `begin..end`: the first one, and their number.
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

    fn bytes(stamps: &[u64]) -> Vec<u8> {
        let frame = |number: &u64| {
            let mut bytes = [0; Wib1Frame::BYTES];
            let mut frame = Wib1FrameMut::new(&mut bytes).unwrap();
            frame.set_identity(5, 2, 1);
            frame.set_timestamp(1_000_000 + 25 * number);
            bytes
        };
        stamps.iter().flat_map(frame).collect()
    }

    fn scan(stamps: &[u64]) -> Scan {
        Scan::of(&bytes(stamps)[..], 7, true).unwrap().unwrap()
    }

    /// However a file grows, in the end the same is known of it.
    #[test]
    fn a_file_that_grows_is_read_on() {
        let all = [0, 1, 2, 3, 90_000, 4, 5, 6, 9, 10, 11, 12, 70_000, 70_001, 13, 14, 15, 16, 16, 17];
        let mut whole = bytes(&all);
        whole.splice(8 * 464..8 * 464, [7; 100]);
        let wanted = Scan::of(&whole[..], 7, true).unwrap().unwrap();
        assert_eq!((wanted.skipped, wanted.strays), (100, 3));
        for step in [97, 463, 464, 465, 1000, 3000] {
            let mut known: Option<Scan> = None;
            for end in (0..whole.len()).step_by(step).chain([whole.len()]) {
                let (now, is_over) = (&whole[..end], end == whole.len());
                match &mut known {
                    None => known = Scan::of(now, 7, is_over).unwrap(),
                    Some(scan) => scan.more(|at| &now[at as usize..], is_over).unwrap(),
                }
            }
            let known = known.unwrap();
            assert_eq!(known.stretches, wanted.stretches, "{step}");
            assert_eq!((known.skipped, known.strays), (100, 3), "{step}");
        }
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
