//! Frames from a file or stream that holds nothing else, or something else in between.

use std::io::{self, Read};
use std::path::Path;

use super::RawFormat;
use crate::look_ahead::{BrokenOff, LookAhead, open_unpacked};

/// How frames lie in a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DumpLayout {
    /// Format of the frames.
    pub format: RawFormat,
    /// Bytes from frame to frame: more than a frame has where a CRC, or header and trailer of FELIX, have been kept.
    pub stride: usize,
}

impl DumpLayout {
    /// All that are known: WIB1 bare, with a CRC word, and with header and trailer of FELIX; WIB2; WIBEth.
    pub const ALL: [DumpLayout; 5] = [
        DumpLayout { format: RawFormat::Wib1, stride: 464 },
        DumpLayout { format: RawFormat::Wib1, stride: 468 },
        DumpLayout { format: RawFormat::Wib1, stride: 480 },
        DumpLayout { format: RawFormat::Wib2, stride: 472 },
        DumpLayout { format: RawFormat::WibEth, stride: 7200 },
    ];

    /// Bytes between two frames.
    fn extra(self) -> usize {
        self.stride - self.format.bytes()
    }
}

/// Reads the frames of a dump of one link, of any layout, and finds the next frame again after truncated data
/// or foreign bytes.
///
/// The layout is the one of the first three frames in a row that are one step of time apart. From then on a frame is at
/// a place with a header from the same link, or in front of such a place. Otherwise the next place is searched with a
/// header from the same link, later by whole steps within 10 s, or with three frames in a row; the skipped bytes are
/// counted. At most 1 MiB is held in memory.
///
/// A truncated stream gives all whole frames before its end, and reports it ([`DumpReader::broken`]).
///
/// ```
/// use livetime_formats::wib::{DumpReader, Wib1Frame, Wib1FrameMut};
/// let mut dump = b"garbage".to_vec();
/// for i in 0..5 {
///     let mut frame = [0; Wib1Frame::BYTES];
///     Wib1FrameMut::new(&mut frame)?.set_identity(5, 2, 1);
///     Wib1FrameMut::new(&mut frame)?.set_timestamp(1000 + 25 * i);
///     dump.extend(frame);
/// }
/// let mut reader = DumpReader::new(&dump[..]);
/// assert_eq!(reader.next_frames(100)?.map(|frames| frames.len()), Some(5 * Wib1Frame::BYTES));
/// assert!(reader.next_frames(100)?.is_none());
/// assert_eq!(reader.skipped(), 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct DumpReader<R> {
    /// From where the next frame should begin.
    ahead: LookAhead<R>,
    layout: Option<DumpLayout>,
    identity: u64,
    stamp: u64,
    skipped: u64,
    frames: u64,
}

/// Bytes read at once: enough that system calls do not count.
const BUFFER: usize = 1 << 20;
/// Three frames of any format, and the header behind them.
const AHEAD: usize = 4 * 7200;
/// The first bytes of a frame that hold identity and time, in all formats.
const HEADER: usize = 16;
/// A time further ahead than this, 10 s, counts as damaged and not as a gap.
const FAR_NS: u64 = 10_000_000_000;

impl DumpReader<Box<dyn Read + Send>> {
    /// Opens a file; one that Zstandard has packed is unpacked while it is read.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn open(path: &Path) -> io::Result<DumpReader<Box<dyn Read + Send>>> {
        open_unpacked(path).map(DumpReader::new)
    }
}

impl<R: Read> DumpReader<R> {
    /// Reads from `input`.
    pub fn new(input: R) -> DumpReader<R> {
        let ahead = LookAhead::new(input, BUFFER);
        DumpReader { ahead, layout: None, identity: 0, stamp: 0, skipped: 0, frames: 0 }
    }

    /// How the frames lie; `None` before the first has been found.
    pub fn layout(&self) -> Option<DumpLayout> {
        self.layout
    }

    /// Bytes so far that belong to no frame.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Where the file or stream broke off, if it did: there is nothing more to read, though there should be.
    pub fn broken(&self) -> Option<BrokenOff<'_>> {
        self.ahead.broken()
    }

    /// Frames so far.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The bytes of the file or stream, unpacked, before the next frames of [`DumpReader::next_frames`], once
    /// [`DumpReader::next_stamp`] has found them.
    pub fn offset(&self) -> u64 {
        self.ahead.taken()
    }

    /// Time of the next frame, if it is known without looking for it; for dumps that are read side by side.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn next_stamp(&mut self) -> io::Result<Option<u64>> {
        Ok(self.seek()?.map(|layout| self.stamp_at(layout.format, 0)))
    }

    /// The next frames, at most `most` of them: whole frames one behind the other, to be changed at will. `None` when there are no more.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn next_frames(&mut self, most: usize) -> io::Result<Option<&mut [u8]>> {
        let Some(layout) = self.seek()? else { return Ok(None) };
        let frames = self.run(layout, most);
        let last = (frames - 1) * layout.stride;
        self.stamp = self.stamp_at(layout.format, last);
        self.frames += frames as u64;
        let taken = self.ahead.take(last + layout.stride);
        Ok(taken.get_mut(..last + layout.format.bytes()))
    }

    /// Goes to the next frame; the layout, or `None` at the end.
    fn seek(&mut self) -> io::Result<Option<DumpLayout>> {
        loop {
            // One more than the look-ahead, so that a search advances.
            self.ahead.fill(AHEAD + 1)?;
            match self.layout {
                Some(layout) if self.is_frame(layout, 0) => return Ok(Some(layout)),
                _ if self.ahead.bytes().is_empty() => return Ok(None),
                _ => self.search(),
            }
        }
    }

    /// How many frames from the next on lie one behind the other; at least that one.
    fn run(&self, layout: DumpLayout, most: usize) -> usize {
        let mut frames = 1;
        let is_judged = |at| self.ahead.is_at_end() || at + 2 * layout.stride + HEADER <= self.len();
        // Only frames without other bytes in between can be given as one piece.
        while frames < most && layout.extra() == 0 {
            let at = frames * layout.stride;
            if !is_judged(at) || !self.is_frame(layout, at) {
                break;
            }
            frames += 1;
        }
        frames
    }

    fn is_frame(&self, layout: DumpLayout, at: usize) -> bool {
        let next = at + layout.stride;
        if at + layout.format.bytes() > self.len() {
            return false;
        }
        match (self.is_ours(layout.format, at), self.is_ours(layout.format, next)) {
            (true, true) => true,
            (true, false) => !self.is_cut(layout, at),
            (false, true) => true,
            (false, false) => {
                // Between other bytes, only its time tells that this is a frame.
                self.stamp_at(layout.format, at) == self.stamp.wrapping_add(layout.format.step())
            }
        }
    }

    /// A frame that is followed by something else may have been cut off, so that another one begins inside: one near in time to it or to the
    /// frame before it, or, where the clock changes there, one that another follows. The frames before do not matter: where they
    /// end depends on how many are read at once.
    fn is_cut(&self, layout: DumpLayout, at: usize) -> bool {
        let DumpLayout { format, stride } = layout;
        let before = at.checked_sub(stride).map_or(self.stamp, |before| self.stamp_at(format, before));
        let own = self.stamp_at(format, at);
        let goes_on = |inside: usize| {
            let by = self.stamp_at(format, inside + stride).wrapping_sub(self.stamp_at(format, inside));
            by == format.step() && self.is_ours(format, inside + stride)
        };
        (at + 1..at + format.bytes()).filter(|inside| self.is_ours(format, *inside)).any(|inside| {
            self.is_near(format, inside, before) || self.is_near(format, inside, own) || goes_on(inside)
        })
    }

    fn is_ours(&self, format: RawFormat, at: usize) -> bool {
        self.identity_at(format, at) == Some(self.identity)
    }

    /// From the same place, and later than `stamp` by whole steps within 10 s: so much is no chance.
    fn is_near(&self, format: RawFormat, at: usize, stamp: u64) -> bool {
        let later = self.stamp_at(format, at).wrapping_sub(stamp);
        let is_far = later == 0 || later > FAR_NS / format.tick_ns();
        !is_far && later.is_multiple_of(format.step()) && self.is_ours(format, at)
    }

    fn identity_at(&self, format: RawFormat, at: usize) -> Option<u64> {
        Some(format.identity(self.ahead.bytes().get(at..at + HEADER)?))
    }

    fn stamp_at(&self, format: RawFormat, at: usize) -> u64 {
        self.ahead.bytes().get(at..at + HEADER).map_or(0, |bytes| format.stamp(bytes))
    }

    /// Searches the next frame in the bytes read so far, and skips the bytes before it; without a frame it
    /// skips all bytes that later bytes cannot make part of one.
    fn search(&mut self) {
        // Behind this place, too few bytes have been read to judge a frame.
        let judged = if self.ahead.is_at_end() { self.len() } else { self.len().saturating_sub(AHEAD) };
        let found = (0..judged).find_map(|at| Some((at, self.layout_at(at)?)));
        let Some((at, layout)) = found.or_else(|| self.few()) else {
            self.skipped += self.ahead.take(judged).len() as u64;
            return;
        };
        let at = self.back(layout, at);
        // Bytes of FELIX before the first frame are no loss of a frame.
        let is_first = self.layout.is_none() && at <= layout.extra();
        self.skipped += if is_first { 0 } else { at as u64 };
        self.ahead.take(at);
        self.layout = Some(layout);
        self.identity = self.identity_at(layout.format, 0).unwrap_or(0);
        // The first frame is expected one step later than this stamp.
        self.stamp = self.stamp_at(layout.format, 0).wrapping_sub(layout.format.step());
    }

    /// The layout of the frame that begins here, if one does.
    fn layout_at(&self, at: usize) -> Option<DumpLayout> {
        match self.layout {
            Some(layout) if at + layout.format.bytes() > self.len() => None,
            Some(layout) => {
                // As the search has shown, no frame of the same link is here.
                let is_later = at > 0 && self.is_near(layout.format, at, self.stamp);
                (is_later || self.follow(layout, at, 3)).then_some(layout)
            }
            None => DumpLayout::ALL.into_iter().find(|layout| self.follow(*layout, at, 3)),
        }
    }

    /// Whether `count` frames from here on are from the same place and one step apart.
    fn follow(&self, layout: DumpLayout, at: usize, count: usize) -> bool {
        let DumpLayout { format, stride } = layout;
        let last = at + (count - 1) * stride;
        last + format.bytes() <= self.len()
            && (at..last).step_by(stride).all(|at| {
                let by = self.stamp_at(format, at + stride).wrapping_sub(self.stamp_at(format, at));
                by == format.step() && self.identity_at(format, at) == self.identity_at(format, at + stride)
            })
    }

    /// In a dump of less than three frames: two that follow each other, or one that is all there is and looks like one.
    fn few(&self) -> Option<(usize, DumpLayout)> {
        let is_whole = self.ahead.is_at_end() && self.layout.is_none() && self.skipped == 0;
        if !is_whole || self.len() >= AHEAD {
            return None;
        }
        let two = |layout: &DumpLayout| (0..=layout.extra()).find(|at| self.follow(*layout, *at, 2));
        let pair = DumpLayout::ALL.into_iter().find_map(|layout| Some((two(&layout)?, layout)));
        let is_one = |layout: &DumpLayout| layout.extra() == 0 && layout.format.is_frame(self.ahead.bytes());
        let one = || DumpLayout::ALL.into_iter().find(is_one);
        pair.or_else(|| Some((0, one()?)))
    }

    /// Goes back to the earliest of the frames that lie directly before these.
    fn back(&self, layout: DumpLayout, mut at: usize) -> usize {
        let identity = self.identity_at(layout.format, at);
        while at >= layout.stride && self.identity_at(layout.format, at - layout.stride) == identity {
            at -= layout.stride;
        }
        at
    }

    /// The bytes that can be examined.
    fn len(&self) -> usize {
        self.ahead.bytes().len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::wib::{Wib1Frame, Wib1FrameMut};

    fn frame(number: u64) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..464).map(|i| (i * 31 + number * 7) as u8).collect();
        // The header has bits that are never sent.
        bytes[..8].fill(0);
        let mut frame = Wib1FrameMut::new(&mut bytes).unwrap();
        frame.set_identity(5, 2, 1);
        frame.set_timestamp((1 << 50) + 25 * number);
        bytes
    }

    /// Numbers of the frames found, and bytes skipped.
    fn read(dump: &[u8], most: usize) -> (Vec<u64>, u64) {
        let mut reader = DumpReader::new(dump);
        let mut found = Vec::new();
        while let Some(frames) = reader.next_frames(most).unwrap() {
            for bytes in frames.chunks(464) {
                let number = Wib1Frame::parse(bytes).unwrap().timestamp().wrapping_sub(1 << 50) / 25;
                found.push(number);
            }
        }
        assert_eq!(reader.frames(), found.len() as u64);
        (found, reader.skipped())
    }

    #[test]
    fn all_layouts_are_recognised() {
        for (before, after) in [(0, 0), (0, 4), (8, 8), (12, 4), (16, 0)] {
            let record = |n| [vec![0xEE; before], frame(n), vec![0xDD; after]].concat();
            let dump: Vec<u8> = (0..5000).flat_map(record).collect();
            assert_eq!(read(&dump, 100), ((0..5000).collect(), 0), "{before} {after}");
            let two: Vec<u8> = (0..2).flat_map(record).collect();
            assert_eq!(read(&two, 100), (vec![0, 1], 0), "{before} {after}");
        }
        assert_eq!(read(&frame(9), 1), (vec![9], 0));
        assert_eq!(read(&[], 1), (vec![], 0));
    }

    /// The clock jumps by 11 s, or goes back by 2 s or 11 s, some frames before a cut, or with it.
    #[test]
    fn a_cut_frame_is_no_whole_one_though_the_clock_has_changed() {
        let second = 2_000_000;
        for after in [111 * second, 98 * second, 89 * second] {
            for (changed, cut) in (0..8).flat_map(|n| [(n, 20), (n, 300), (n, 463)]) {
                let number = |n: u64| if n > 12 - changed { after + n } else { 100 * second + n };
                let mut dump: Vec<u8> = (0..24).flat_map(|n| frame(number(n))).collect();
                dump.drain(12 * 464 + cut..13 * 464);
                let wanted: Vec<u64> = (0..24).filter(|n| *n != 12).map(number).collect();
                for most in [1, 2, 5, 7, 12, 13, 100, 777] {
                    assert_eq!(read(&dump, most).0, wanted, "{after} {changed} {cut} {most}");
                }
            }
        }
    }

    #[test]
    fn files_of_the_size_of_a_frame_are_no_dumps() {
        let text = include_bytes!("../../../../README.md");
        for size in DumpLayout::ALL.map(|layout| layout.stride) {
            let file: Vec<u8> = text.iter().copied().cycle().take(size).collect();
            assert_eq!(read(&file, 1), (vec![], size as u64));
        }
    }

    #[test]
    fn a_cut_frame_is_skipped_and_its_neighbours_are_not() {
        for cut in [0, 1, 15, 16, 100, 463] {
            let mut dump: Vec<u8> = (0..20).flat_map(frame).collect();
            dump.drain(10 * 464 + cut..11 * 464);
            let wanted: Vec<u64> = (0..20).filter(|n| *n != 10).collect();
            assert_eq!(read(&dump, 7), (wanted, cut as u64), "cut after {cut}");
            dump.truncate(dump.len() - 100);
            assert_eq!(read(&dump, 7).1, cut as u64 + 364);
        }
    }

    #[test]
    fn frames_of_zeros_are_whole() {
        let frame = |i: u64| {
            let mut bytes = vec![0; 464];
            Wib1FrameMut::new(&mut bytes).unwrap().set_timestamp((1 << 50) + 25 * i);
            bytes
        };
        let dump: Vec<u8> = [0, 1, 2, 7, 8].into_iter().flat_map(frame).collect();
        assert_eq!(read(&dump, 100), (vec![0, 1, 2, 7, 8], 0));
    }

    #[test]
    fn frames_of_elsewhere_and_of_another_time_are_frames() {
        let mut frames: Vec<Vec<u8>> = (0..20).map(frame).collect();
        Wib1FrameMut::new(&mut frames[5]).unwrap().set_identity(1, 1, 1);
        Wib1FrameMut::new(&mut frames[19]).unwrap().set_identity(1, 1, 1);
        Wib1FrameMut::new(&mut frames[1]).unwrap().set_timestamp((1 << 50) + 25 * 77);
        let (found, skipped) = read(&frames.concat(), 100);
        assert_eq!((found.len(), found[1], skipped), (20, 77, 0));
        frames[8..].iter_mut().for_each(|f| Wib1FrameMut::new(f).unwrap().set_identity(3, 3, 1));
        assert_eq!(read(&frames.concat(), 100).0.len(), 20);
    }

    /// All frames that can be unpacked are given, and it is said that there were more.
    #[test]
    fn what_was_packed_and_cut_is_read_up_to_the_cut() {
        let mut state = 1u64;
        let mut noise = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 60) as u8
        };
        let noisy = |n| {
            let mut bytes = frame(n);
            bytes[100..].iter_mut().for_each(|byte| *byte = noise());
            bytes
        };
        let whole: Vec<u8> = (0..5000).flat_map(noisy).collect();
        let packed = zstd::encode_all(&whole[..], 1).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cut.bin.zst");
        let mut before = 0;
        for (part, least) in [(3, 1000), (2, 2000), (1, 5000)] {
            std::fs::write(&path, &packed[..packed.len() / part]).unwrap();
            let mut reader = DumpReader::open(&path).unwrap();
            let mut read = Vec::new();
            while let Some(frames) = reader.next_frames(100).unwrap() {
                read.extend_from_slice(frames);
            }
            assert!(whole.starts_with(&read) && reader.frames() >= least && reader.frames() > before);
            before = reader.frames();
            let unpacked = reader.broken().map(|broken| broken.bytes);
            assert_eq!(unpacked, (part > 1).then_some(read.len() as u64 + reader.skipped()));
        }
        // A file that is damaged from the begin on has no readable byte.
        std::fs::write(&path, &packed[..6]).unwrap();
        assert!(DumpReader::open(&path).and_then(|mut reader| reader.next_stamp()).is_err());
    }

    proptest! {
        #[test]
        fn every_byte_is_in_a_frame_or_counted(
            pieces in prop::collection::vec((1u64..200, prop::collection::vec(any::<u8>(), 0..600)), 1..6),
            most in 1usize..400,
        ) {
            let (mut dump, mut whole) = (Vec::new(), 0);
            for (frames, garbage) in &pieces {
                dump.extend((whole..whole + frames).flat_map(frame));
                dump.extend(garbage);
                whole += frames;
            }
            let (found, skipped) = read(&dump, most);
            prop_assert_eq!(found.len() as u64 * 464 + skipped, dump.len() as u64);
            // With at least three frames at once nothing is lost, except bytes that look like a frame.
            if pieces[0].0 >= 3 {
                prop_assert!((0..whole).all(|n| found.contains(&n)));
            }
        }

        #[test]
        fn any_bytes_are_endured(bytes in prop::collection::vec(any::<u8>(), 0..3000)) {
            let (mut reader, mut taken) = (DumpReader::new(&bytes[..]), 0);
            while let Some(frames) = reader.next_frames(10).unwrap() {
                taken += frames.len() as u64;
            }
            prop_assert!(taken + reader.skipped() <= bytes.len() as u64);
        }
    }
}
