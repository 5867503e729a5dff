//! What every source of raw frames does with each frame: is it the one that should come, and if not, what became of its time?

mod counts;
mod history;
#[cfg(test)]
mod tests;

use livetime_formats::wib::{Faults, Head};

use super::{LedgerRow, RawFormat, State};
pub use counts::IngestCounts;
use history::History;

/// What is to be done with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It follows the frame before without a gap: append it to the batch.
    Append,
    /// It is the first, or frames are missing before it: begin a new batch with it.
    Begin,
    /// It is not passed on: its time has passed, or cannot be true.
    Drop,
}

/// What is expected of the frames of a link.
#[derive(Clone, Copy, Debug, Default)]
pub struct IngestOptions {
    /// Where the frames are from ([`Head::identity`]); `None` learns it from the first frame.
    pub identity: Option<u64>,
    /// Compare the checksums of WIB1 frames; not for data without.
    pub checksums: bool,
    /// Expect the convert counts of WIB1 frames to step by one; not for data without.
    pub convert_counts: bool,
}

/// Follows the frames of one link, and keeps the account of its time: each tick from the first frame on is in exactly one row.
///
/// | a frame | is | and the ledger says |
/// |---|---|---|
/// | one step later, without faults | appended | good; good time is one row that grows |
/// | with faults of its own, of another link, or with another sequence number or status | appended | corrupt, with the faults |
/// | whole steps later | begins a batch | absent from the end of the frame before to it; the bits are the faults of what was dropped meanwhile |
/// | of a time that was absent, at most [`LinkIngest::LATE`] frames ago | dropped, as frames are passed on in the order of time | dropped, with [`Faults::BACK`] |
/// | of a time that has been passed on | dropped | nothing new; it is counted |
/// | earlier, between the steps, or more than 10 s off | dropped | its place is absent, with [`Faults::BACK`], [`Faults::OFF_STEP`] or [`Faults::JUMP`] |
/// | the 17th in a row of the latter that follow each other | begins a batch and an epoch: the clock has changed | the 16 before it are dropped |
///
/// So a frame with a damaged timestamp costs itself only, and 16 in a row are more than a superchunk that came twice. A stamp that is
/// stuck never is an epoch: frames are dropped until it goes on. Between epochs nothing is told of the time.
///
/// ```
/// use livetime_formats::wib::{Faults, Wib1Frame, Wib1FrameMut};
/// use livetime_nodes::wire::{IngestOptions, LinkIngest, RawFormat, State, Step};
/// let mut link = LinkIngest::new(RawFormat::Wib1, 7, IngestOptions::default());
/// let mut bytes = [0; Wib1Frame::BYTES];
/// let steps = [1000, 1025, 1100, 1100, 1125].map(|stamp| {
///     Wib1FrameMut::new(&mut bytes).unwrap().set_timestamp(stamp);
///     link.next(&bytes).0
/// });
/// use Step::*;
/// assert_eq!(steps, [Begin, Append, Begin, Drop, Append]);
/// let mut rows = Vec::new();
/// link.finish(&mut rows);
/// let told: Vec<_> = rows.iter().map(|r| (r.begin, r.end, State::of(r.state))).collect();
/// assert_eq!(told, [(1000, 1050, State::Good), (1050, 1100, State::Absent), (1100, 1150, State::Good)]);
/// assert_eq!((link.counts().missing, link.counts().dropped), (2, 1));
/// ```
#[derive(Debug)]
pub struct LinkIngest {
    format: RawFormat,
    options: IngestOptions,
    /// What the next frame must be.
    expected: Head,
    /// Bits of [`Head::count`] that step.
    count_mask: u16,
    /// The count that would follow the last one that was wrong: two of those in a row are right.
    other_count: Option<u16>,
    /// Before the first frame.
    is_new: bool,
    /// The last frame was good, so that one comparison is enough for the next.
    is_calm: bool,
    /// Faults of the frames dropped since the last that was passed on.
    refused: Faults,
    other_time: Option<OtherTime>,
    history: History,
    counts: IngestCounts,
}

/// Frames in a row that follow each other, but not those before.
#[derive(Clone, Copy, Debug)]
struct OtherTime {
    first: u64,
    next: u64,
    identity: u64,
    frames: u64,
}

/// So many frames in a row in another time are still no new epoch.
const MOST_ASTRAY: u64 = 16;
/// A step of time further than this is not a gap.
const FAR_NS: u64 = 10_000_000_000;

/// Where a frame stands in time.
enum Place {
    Next,
    Gap(u64),
    Epoch,
    Nowhere(Faults),
}

impl LinkIngest {
    /// For so many frames it is remembered that time was absent, so that it can be told apart whether a frame came late.
    pub const LATE: u64 = 256;

    /// For the frames of link `link`.
    pub fn new(format: RawFormat, link: u16, options: IngestOptions) -> LinkIngest {
        let count_mask = match format {
            RawFormat::Wib1 if options.convert_counts => 0xFFFF,
            RawFormat::WibEth => 0xFFF,
            _ => 0,
        };
        LinkIngest {
            format,
            options,
            expected: Head::default(),
            count_mask,
            other_count: None,
            is_new: true,
            is_calm: false,
            refused: Faults::NONE,
            other_time: None,
            history: History::new(link),
            counts: IngestCounts::default(),
        }
    }

    /// Takes in the next frame. What is to be done with it, and what is wrong with it.
    #[inline]
    pub fn next(&mut self, frame: &[u8]) -> (Step, Faults) {
        self.next_with(frame, Faults::NONE)
    }

    /// As [`LinkIngest::next`] for a frame of which something is known to be wrong already.
    #[inline]
    pub fn next_with(&mut self, frame: &[u8], known: Faults) -> (Step, Faults) {
        let Some(head) = self.head(frame) else { return self.refuse(Faults::CUT | known) };
        if self.is_calm && head == self.expected && known.is_empty() {
            self.expect_next(1);
            self.counts.frames += 1;
            return (Step::Append, Faults::NONE);
        }
        self.look(frame, &head, known)
    }

    /// How many of `frames`, one behind the other, come as they should, so that they can be appended together; they are taken in.
    pub fn calm_run(&mut self, frames: &[u8]) -> usize {
        let mut run = 0;
        if self.is_calm {
            for frame in frames.chunks_exact(self.format.bytes()) {
                let Some(head) = self.head(frame) else { break };
                if head != self.expected {
                    break;
                }
                self.expect_next(1);
                run += 1;
            }
        }
        self.counts.frames += run as u64;
        run
    }

    /// What has been counted.
    pub fn counts(&self) -> &IngestCounts {
        &self.counts
    }

    /// Format of the frames.
    pub fn format(&self) -> RawFormat {
        self.format
    }

    /// Number of the link.
    pub fn link(&self) -> u16 {
        self.history.link()
    }

    /// Time that the next frame should have; `None` before the first.
    pub fn expected(&self) -> Option<u64> {
        (!self.is_new).then_some(self.expected.stamp)
    }

    /// Where the frames are from; `None` when that is to be learned and no frame has come.
    pub fn identity(&self) -> Option<u64> {
        if self.is_new { self.options.identity } else { Some(self.expected.identity) }
    }

    /// Appends what became of the time up to [`LinkIngest::LATE`] frames ago, as far as it has not been taken yet. When every
    /// second frame has faults, that is a row for each, so look at [`LinkIngest::waiting`] too.
    pub fn take_rows(&mut self, rows: &mut Vec<LedgerRow>) {
        self.catch_up();
        let late = Self::LATE * self.format.step();
        self.history.take(self.expected.stamp.saturating_sub(late), rows);
    }

    /// Rows that have not been taken yet.
    pub fn waiting(&self) -> usize {
        self.history.len()
    }

    /// Appends what became of all time, as far as it has not been taken yet.
    pub fn finish(&mut self, rows: &mut Vec<LedgerRow>) {
        self.catch_up();
        self.history.take(u64::MAX, rows);
        self.is_calm = false;
    }

    #[inline]
    fn head(&self, frame: &[u8]) -> Option<Head> {
        let mut head = self.format.head(frame, self.expected.stamp)?;
        head.count &= self.count_mask;
        Some(head)
    }

    /// One comparison was not enough.
    #[cold]
    fn look(&mut self, frame: &[u8], head: &Head, known: Faults) -> (Step, Faults) {
        self.catch_up();
        let place = self.place(head);
        if let Place::Nowhere(faults) = place {
            return self.astray(frame, head, faults | known);
        }
        match place {
            Place::Gap(missing) => self.gap(head, missing),
            Place::Epoch => self.begin_epoch(head),
            _ => {}
        }
        let faults = self.faults(frame, head, known);
        self.pass(head, faults);
        let time = Faults::NONE.with(Faults::GAP, matches!(place, Place::Gap(_)));
        (if matches!(place, Place::Next) { Step::Append } else { Step::Begin }, faults | time)
    }

    fn place(&self, head: &Head) -> Place {
        if self.is_new {
            return Place::Epoch;
        }
        let by = head.stamp.wrapping_sub(self.expected.stamp) as i64;
        let (distance, step) = (by.unsigned_abs(), self.format.step());
        let stranger = Faults::NONE.with(Faults::IDENTITY, head.identity != self.expected.identity);
        let fault = match by {
            0 => return Place::Next,
            _ if distance > FAR_NS / self.format.tick_ns() => Faults::JUMP,
            _ if by < 0 => Faults::BACK,
            _ if !distance.is_multiple_of(step) => Faults::OFF_STEP,
            // A frame of another link tells nothing about the time of this one.
            _ if !stranger.is_empty() => Faults::NONE,
            _ => return Place::Gap(distance / step),
        };
        Place::Nowhere(fault | stranger)
    }

    /// A frame whose time is not that of the link: to be dropped, unless enough others have said the same.
    fn astray(&mut self, frame: &[u8], head: &Head, faults: Faults) -> (Step, Faults) {
        let next = head.stamp.wrapping_add(self.format.step());
        let (identity, stamp) = (head.identity, head.stamp);
        let other = match self.other_time {
            Some(o) if o.next == stamp && o.identity == identity => {
                OtherTime { next, frames: o.frames + 1, ..o }
            }
            _ => OtherTime { first: stamp, next, identity, frames: 1 },
        };
        self.other_time = Some(other);
        if other.frames > MOST_ASTRAY {
            self.history.dropped(other.first, stamp, self.refused.bits());
            self.begin_epoch(head);
            let faults =
                self.faults(frame, head, faults.without(Faults::BACK | Faults::OFF_STEP | Faults::JUMP));
            self.pass(head, faults);
            return (Step::Begin, faults);
        }
        let is_late = faults == Faults::BACK && self.history.came_late(stamp, next);
        self.counts.late += u64::from(is_late);
        self.refuse(faults)
    }

    fn refuse(&mut self, faults: Faults) -> (Step, Faults) {
        self.catch_up();
        self.is_calm = false;
        self.refused |= faults;
        self.counts.drop(faults);
        (Step::Drop, faults)
    }

    fn gap(&mut self, head: &Head, missing: u64) {
        self.history.tell(self.expected.stamp, head.stamp, State::Absent, self.refused.bits());
        self.counts.missing += missing;
        self.counts.gaps += 1;
        self.expect_next(missing);
    }

    fn begin_epoch(&mut self, head: &Head) {
        let identity = self.options.identity.unwrap_or(head.identity);
        let before = self.expected;
        self.expected = Head { is_odd: false, ..*head };
        if self.is_new {
            self.expected.identity = identity;
        } else {
            (self.expected.identity, self.expected.status) = (before.identity, before.status);
            self.history.begin_epoch();
        }
        (self.is_new, self.other_count) = (false, None);
        self.counts.epochs += 1;
    }

    fn faults(&mut self, frame: &[u8], head: &Head, known: Faults) -> Faults {
        let closely = head.is_odd || self.options.checksums;
        let of_frame = if closely { self.format.faults(frame, self.options.checksums) } else { Faults::NONE };
        let count = if self.format == RawFormat::WibEth { Faults::SEQUENCE } else { Faults::CONVERT_COUNT };
        (of_frame | known)
            .with(Faults::IDENTITY, head.identity != self.expected.identity)
            .with(Faults::STATUS, head.status != self.expected.status)
            .with(count, !self.counts_on(head.count))
    }

    /// A count that is wrong once is wrong; when the next one follows it, counting was begun anew.
    fn counts_on(&mut self, count: u16) -> bool {
        if count == self.expected.count {
            self.other_count = None;
            return true;
        }
        let is_anew = self.other_count == Some(count);
        self.other_count = (!is_anew).then_some(count.wrapping_add(1) & self.count_mask);
        if is_anew {
            self.expected.count = count;
        }
        is_anew
    }

    /// The frame is passed on.
    fn pass(&mut self, head: &Head, faults: Faults) {
        let state = if faults.is_empty() { State::Good } else { State::Corrupt };
        self.expect_next(1);
        self.history.tell(head.stamp, self.expected.stamp, state, faults.bits());
        self.counts.pass(faults);
        (self.refused, self.other_time) = (Faults::NONE, None);
        self.is_calm = faults.is_empty() && !self.options.checksums && self.other_count.is_none();
    }

    #[inline]
    fn expect_next(&mut self, frames: u64) {
        self.expected.stamp = self.expected.stamp.wrapping_add(frames * self.format.step());
        self.expected.count = self.expected.count.wrapping_add(frames as u16) & self.count_mask;
    }

    /// Good time grows in `expected` alone; here it gets into its row.
    fn catch_up(&mut self) {
        if self.is_calm {
            self.history.grow(self.expected.stamp);
        }
    }
}
