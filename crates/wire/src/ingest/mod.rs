//! The common treatment of each raw frame by all sources: is it the expected one, and if not, which state has its time?

mod counts;
#[cfg(test)]
mod faults;
mod held;
mod history;
#[cfg(test)]
mod tests;

use livetime_formats::wib::{Faults, Head};

use super::{LedgerRow, RawFormat, State};
pub use counts::IngestCounts;
use held::{Ahead, Held};
use history::History;

/// The decision about a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The frame follows the frame before without a gap: append it to the batch.
    Append,
    /// The frame is the first, or frames are missing before it: begin a new batch with it.
    Begin,
    /// The frame is not passed on: its time has passed, or cannot be true.
    Drop,
}

/// A frame with the decision about it.
#[derive(Clone, Copy, Debug)]
pub struct Settled<'a> {
    /// The decision about it.
    pub step: Step,
    /// Faults of the frame.
    pub faults: Faults,
    /// Time of the frame, ticks of the clock.
    pub stamp: u64,
    /// Time of the first frame of its epoch.
    pub epoch: u64,
    /// The frame.
    pub bytes: &'a [u8],
}

/// The expectations about the frames of a link.
#[derive(Clone, Copy, Debug, Default)]
pub struct IngestOptions {
    /// Where the frames are from ([`Head::identity`]); `None` learns it from the first frame.
    pub identity: Option<u64>,
    /// Compare the checksums of WIB1 frames; not for data without.
    pub checksums: bool,
    /// Expect the convert counts of WIB1 frames to step by one; not for data without.
    pub convert_counts: bool,
}

/// Follows the frames of one link, and accounts for its time: each tick from the first frame on is in exactly one row
/// of the ledger.
///
/// | a frame | is | and the ledger says |
/// |---|---|---|
/// | one step later, without faults | appended | good; good time is one row that grows |
/// | with faults of its own, of another link, or with another sequence number or status | appended | corrupt, with the faults |
/// | whole steps later | held until the frames before it have come; they are passed on in the order of time | good, and late for frames that came after it |
/// | the 17th that is held so | with the others the begin of a batch | absent from the end of the frame before to it; the bits are the faults of frames that came meanwhile and were not used |
/// | whole steps earlier, at most [`LinkIngest::LATE`] frames | dropped: it comes too late, or again | dropped, with [`Faults::BACK`], if its time was absent; else it is only counted |
/// | earlier than that, between the steps, or more than 10 s off | held, and dropped unless it is confirmed | its place is absent, with [`Faults::BACK`], [`Faults::OFF_STEP`] or [`Faults::JUMP`] |
/// | the 17th of the latter that go on in time, with none between them at the expected time | with those before it the begin of a batch and an epoch: the clock has changed | as after the first frame |
///
/// So only times that later frames confirm are believed: a frame with a damaged timestamp costs itself only, and
/// neither a gap nor a reset of the clock costs a frame. The first frame is believed when a second one continues from
/// it. Exchanged blocks of up to 16 frames are put in order; of longer ones the late frames are dropped. A stuck
/// timestamp never begins an epoch. The time between two epochs is not reported.
///
/// ```
/// use livetime_formats::wib::{Wib1Frame, Wib1FrameMut};
/// use livetime_wire::{IngestOptions, LinkIngest, RawFormat, State};
/// let mut link = LinkIngest::new(RawFormat::Wib1, 7, IngestOptions::default());
/// let (mut bytes, mut passed, mut rows) = ([0; Wib1Frame::BYTES], Vec::new(), Vec::new());
/// // One frame comes twice, two are exchanged, one has a wrong time.
/// for stamp in [1000, 1025, 1025, 1075, 1050, 1100, 9025, 1150] {
///     Wib1FrameMut::new(&mut bytes)?.set_timestamp(stamp);
///     link.next(&bytes, |frame| passed.push(frame.stamp));
/// }
/// link.finish(&mut rows, |frame| passed.push(frame.stamp));
/// assert_eq!(passed, [1000, 1025, 1025, 1050, 1075, 1100, 1150, 9025]);
/// use State::*;
/// let told: Vec<_> = rows.iter().map(|r| (r.begin, r.end, State::of(r.state))).collect();
/// assert_eq!(told, [(1000, 1050, Good), (1050, 1075, Late), (1075, 1125, Good), (1125, 1150, Absent), (1150, 1175, Good)]);
/// assert_eq!((link.counts().missing, link.counts().dropped), (1, 2));
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Debug)]
pub struct LinkIngest {
    format: RawFormat,
    options: IngestOptions,
    /// The expected next frame.
    expected: Head,
    /// Bits of [`Head::count`] that step.
    count_mask: u16,
    /// The count that would follow the last one that was wrong: two of those in a row are right.
    other_count: Option<u16>,
    /// Before the first frame.
    is_new: bool,
    /// The last frame was good, so that one comparison is enough for the next.
    is_calm: bool,
    /// The last frame passed on was entered as good.
    ends_good: bool,
    /// The next frame that is passed on does not touch the one before.
    is_apart: bool,
    /// Time of the first frame of the epoch.
    epoch: u64,
    /// Faults of the frames dropped since the last that was passed on.
    refused: Faults,
    /// How many of those had a place that is not known.
    misplaced: u64,
    /// Frames of a later time.
    ahead: Ahead,
    /// Frames of another time altogether, each later than the one before it.
    astray: Vec<Held>,
    /// Frames that needed a closer look.
    looked: u64,
    /// Memory for frames that are held.
    unused: Vec<Vec<u8>>,
    history: History,
    counts: IngestCounts,
}

/// Frames that are held until they are classified: more than the 12 frames of a superchunk that arrives out of order.
const MOST_HELD: usize = 16;
/// A step of time further than this is not a gap.
const FAR_NS: u64 = 10_000_000_000;
/// When this many frames in a row come as expected, a held frame of a much later time is dropped.
const PATIENCE: u64 = 64;
/// At the end of the data a single held frame is accepted if no more than this many frames are missing before it.
const NEAR: u64 = 256;

/// Where a frame stands in time.
enum Place {
    Next,
    Ahead,
    /// At most [`LinkIngest::LATE`] frames back.
    Behind,
    Nowhere(Faults),
}

impl LinkIngest {
    /// Length of the history, in frames: a frame at most this late is recognised as late or repeated. One that goes further back belongs to
    /// another epoch.
    pub const LATE: u64 = 4096;

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
            ends_good: false,
            is_apart: false,
            epoch: 0,
            refused: Faults::NONE,
            misplaced: 0,
            ahead: Ahead::default(),
            astray: Vec::new(),
            looked: 0,
            unused: Vec::new(),
            history: History::new(link),
            counts: IngestCounts::default(),
        }
    }

    /// Takes in the next frame. `settled` gets each frame that is decided now: as a rule this one; none when
    /// the decision needs the next frame; or several. Frames that are not dropped come in the order of time within an epoch.
    #[inline]
    pub fn next(&mut self, frame: &[u8], settled: impl FnMut(Settled<'_>)) {
        self.next_with(frame, Faults::NONE, settled);
    }

    /// As [`LinkIngest::next`] for a frame with a known fault.
    #[inline]
    pub fn next_with(&mut self, frame: &[u8], known: Faults, mut settled: impl FnMut(Settled<'_>)) {
        // A frame too short for a header has no time: its place is found later, when the next good frame comes.
        let Some(head) = self.head(frame) else {
            self.catch_up();
            self.misplaced += 1;
            self.refuse(frame, 0, Faults::CUT | known, &mut settled);
            self.is_calm = false;
            return;
        };
        // The usual frame costs one comparison of its header.
        if self.is_calm && head == self.expected && known.is_empty() {
            let (stamp, epoch) = (head.stamp, self.epoch);
            self.expect_next(1);
            self.counts.frames += 1;
            settled(Settled { step: Step::Append, faults: Faults::NONE, stamp, epoch, bytes: frame });
            return;
        }
        self.look(frame, &head, known, &mut settled);
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

    /// The counts. Held frames are not in them yet.
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

    /// Frames that are held.
    pub fn held(&self) -> usize {
        self.ahead.len() + self.astray.len()
    }

    /// Time that the next frame should have; `None` before the first is believed.
    pub fn expected(&self) -> Option<u64> {
        (!self.is_new).then_some(self.expected.stamp)
    }

    /// Where the frames are from; `None` when that is to be learned and no frame has come.
    pub fn identity(&self) -> Option<u64> {
        if self.is_new { self.options.identity } else { Some(self.expected.identity) }
    }

    /// Appends the states of the time up to [`LinkIngest::LATE`] frames ago that were not taken before. When every
    /// second frame has faults, each frame gives a row, so check [`LinkIngest::waiting`] too.
    pub fn take_rows(&mut self, rows: &mut Vec<LedgerRow>) {
        self.catch_up();
        // Rows of the last frames may still change, when late frames come.
        let late = Self::LATE * self.format.step();
        self.history.take(self.expected.stamp.saturating_sub(late), rows);
    }

    /// Rows that have not been taken yet.
    pub fn waiting(&self) -> usize {
        self.history.len()
    }

    /// Continues the time at `stamp`, for a source that reads a recording again and so knows the next time: missing
    /// time up to there is absent, and the frame of that time needs no confirmation. A time that has passed only
    /// settles the held frames.
    pub fn go_on_at(&mut self, stamp: u64, mut settled: impl FnMut(Settled<'_>)) {
        self.catch_up();
        self.settle_ahead(&mut settled);
        self.abandon_astray(&mut settled);
        let by = stamp.wrapping_sub(self.expected.stamp);
        // As signed: only time ahead is a gap.
        if !self.is_new && by as i64 > 0 && by.is_multiple_of(self.format.step()) {
            self.gap(stamp, by / self.format.step(), false);
            self.is_calm = false;
        }
    }

    /// No frame will come any more: settles the held ones, and appends the states of all time, as far as it has not been taken yet.
    pub fn finish(&mut self, rows: &mut Vec<LedgerRow>, mut settled: impl FnMut(Settled<'_>)) {
        self.catch_up();
        // At the end fewer frames must do: of a new link one, else two that confirm each other.
        let confirmed = if self.is_new { 1 } else { 2 };
        if self.astray.len() >= confirmed {
            self.change_epoch(&mut settled);
        }
        self.settle_ahead(&mut settled);
        self.abandon_astray(&mut settled);
        if !self.is_new {
            self.tell_misplaced(self.expected.stamp);
        }
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
    fn look(&mut self, frame: &[u8], head: &Head, known: Faults, settled: &mut impl FnMut(Settled<'_>)) {
        self.catch_up();
        self.looked += 1;
        match self.place(head) {
            Place::Next => {
                self.abandon_astray(settled);
                self.pass(frame, head, known, State::Good, settled);
                self.forget_refuted(settled);
                self.go_on(settled);
            }
            Place::Ahead => {
                let held = self.hold(frame, head, known, Faults::JUMP);
                if let Some(other) = self.ahead.insert(held, self.format.step()) {
                    self.refuse_held(other, settled);
                }
                self.go_on(settled);
                // Either enough later frames confirm the gap, or too many wait.
                if self.ahead.newer(self.counts.frames) > MOST_HELD || self.ahead.len() > 4 * MOST_HELD {
                    let believed = self.ahead.take_longest(self.format.step());
                    self.pass_held(believed, settled);
                    self.go_on(settled);
                }
            }
            Place::Behind => self.come_late(frame, head, known, settled),
            Place::Nowhere(doubt) => self.go_astray(frame, head, known, doubt, settled),
        }
        // Calm means that the next good frame changes nothing but counts.
        self.is_calm = self.ends_good
            && self.refused.is_empty()
            && !self.options.checksums
            && self.other_count.is_none()
            && self.ahead.is_empty()
            && self.astray.is_empty();
    }

    fn place(&self, head: &Head) -> Place {
        let by = head.stamp.wrapping_sub(self.expected.stamp) as i64;
        let (distance, step) = (by.unsigned_abs(), self.format.step());
        // A frame of another link tells nothing about the time of this one.
        let is_stranger = head.identity != self.expected.identity;
        let stranger = Faults::NONE.with(Faults::IDENTITY, is_stranger);
        let is_near = distance <= Self::LATE * step && head.stamp >= self.epoch;
        let doubt = match by {
            // A new link has no time to compare with; its first frames confirm each other.
            _ if self.is_new => return Place::Nowhere(Faults::JUMP),
            0 => return Place::Next,
            // More than 10 s off is taken for a damaged time, in either direction.
            _ if distance > FAR_NS / self.format.tick_ns() => Faults::JUMP,
            _ if by < 0 && distance.is_multiple_of(step) && is_near && !is_stranger => return Place::Behind,
            _ if by < 0 => Faults::BACK,
            _ if !distance.is_multiple_of(step) => Faults::OFF_STEP,
            _ if !is_stranger => return Place::Ahead,
            _ => Faults::NONE,
        };
        Place::Nowhere(doubt | stranger)
    }

    fn hold(&mut self, frame: &[u8], head: &Head, known: Faults, doubt: Faults) -> Held {
        // Memory of frames that were passed on is used again.
        let mut bytes = self.unused.pop().unwrap_or_default();
        bytes.clear();
        bytes.extend_from_slice(frame);
        let (arrival, passed, expected) = (self.looked, self.counts.frames, self.expected.stamp);
        Held { head: *head, known, doubt, bytes, arrival, passed, expected }
    }

    /// A frame of a time that has passed: it comes late, or again.
    fn come_late(&mut self, frame: &[u8], head: &Head, known: Faults, settled: &mut impl FnMut(Settled<'_>)) {
        let end = head.stamp.wrapping_add(self.format.step());
        let is_late = self.history.came_late(head.stamp, end);
        self.counts.late += u64::from(is_late);
        self.refuse(frame, head.stamp, Faults::BACK | known, settled);
    }

    /// Holds a frame whose time does not fit the link, with others like it, until enough of them confirm each other.
    fn go_astray(
        &mut self,
        frame: &[u8],
        head: &Head,
        known: Faults,
        doubt: Faults,
        settled: &mut impl FnMut(Settled<'_>),
    ) {
        let step = self.format.step();
        // Frames that continue each other in time, with gaps as the link may have.
        let goes_on = |last: &Held| {
            let by = head.stamp.wrapping_sub(last.stamp());
            last.head.identity == head.identity
                && by > 0
                && by <= Self::LATE * step
                && by.is_multiple_of(step)
        };
        // A frame that does not continue the others refutes them.
        if !self.astray.last().is_none_or(goes_on) {
            self.abandon_astray(settled);
        }
        let held = self.hold(frame, head, known, doubt);
        self.astray.push(held);
        if self.astray.len() > if self.is_new { 1 } else { MOST_HELD } {
            self.change_epoch(settled);
        }
    }

    /// The frames that have gone astray are right, and the clock has changed.
    fn change_epoch(&mut self, settled: &mut impl FnMut(Settled<'_>)) {
        let astray = std::mem::take(&mut self.astray);
        self.settle_ahead(settled);
        if let Some(first) = astray.first() {
            if self.is_new {
                // Frames without a time before the first one take the steps before it.
                self.tell_misplaced(first.stamp().saturating_sub(self.misplaced * self.format.step()));
            }
            self.begin_epoch(&first.head);
        }
        for held in astray {
            // Frames behind the first may have gaps between them.
            if held.stamp() == self.expected.stamp {
                self.pass(&held.bytes, &held.head, held.known, State::Good, settled);
                self.unused.push(held.bytes);
                continue;
            }
            let held = Held { passed: self.counts.frames, expected: self.expected.stamp, ..held };
            if let Some(other) = self.ahead.insert(held, self.format.step()) {
                self.refuse_held(other, settled);
            }
        }
        self.go_on(settled);
    }

    /// Nothing comes any more of this epoch.
    fn settle_ahead(&mut self, settled: &mut impl FnMut(Settled<'_>)) {
        let step = self.format.step();
        let believed = self.ahead.take_last(self.expected.stamp, step, NEAR * step, self.counts.frames);
        self.pass_held(believed, settled);
        for held in self.ahead.take_all() {
            self.refuse_held(held, settled);
        }
    }

    /// Passes on the held frames that are next now.
    fn go_on(&mut self, settled: &mut impl FnMut(Settled<'_>)) {
        if self.ahead.is_empty() {
            return;
        }
        let next = self.ahead.take_expected(self.expected.stamp, self.format.step());
        self.pass_held(next, settled);
    }

    /// Passes on frames in the order of time; the time between them is absent.
    fn pass_held(&mut self, frames: Vec<Held>, settled: &mut impl FnMut(Settled<'_>)) {
        let Some(first) = frames.iter().map(|held| held.expected).min() else { return };
        // Frames at the expected time show that the clock continues as before.
        self.abandon_astray(settled);
        // Frames passed on while one of these waited came after it.
        let behind = self.history.came_behind(first, self.expected.stamp);
        self.counts.reordered += behind / self.format.step();
        for at in 0..frames.len() {
            let held = &frames[at];
            // A later frame that came earlier shows that this one is late.
            let is_late = frames[at + 1..].iter().any(|later| later.arrival < held.arrival);
            let missing = held.stamp().wrapping_sub(self.expected.stamp) / self.format.step();
            if missing > 0 {
                // A gap that older frames of other times wait behind is a jump of the clock.
                self.gap(held.stamp(), missing, self.ahead.has_older(held.arrival));
            }
            let state = if is_late { State::Late } else { State::Good };
            self.counts.reordered += u64::from(is_late);
            self.pass(&held.bytes, &held.head, held.known, state, settled);
        }
        let newest = frames.iter().map(|held| held.arrival).max().unwrap_or(0);
        self.ahead.see_passed(newest, self.expected.stamp);
        self.unused.extend(frames.into_iter().map(|held| held.bytes));
        self.forget_refuted(settled);
    }

    fn forget_refuted(&mut self, settled: &mut impl FnMut(Settled<'_>)) {
        if self.ahead.is_empty() {
            return;
        }
        let far = Self::LATE * self.format.step();
        for held in self.ahead.take_refuted(self.expected.stamp, far, self.counts.frames, PATIENCE) {
            self.refuse_held(held, settled);
        }
    }

    fn abandon_astray(&mut self, settled: &mut impl FnMut(Settled<'_>)) {
        while !self.astray.is_empty() {
            let held = self.astray.remove(0);
            self.refuse_held(held, settled);
        }
    }

    fn refuse_held(&mut self, held: Held, settled: &mut impl FnMut(Settled<'_>)) {
        // A frame of another link has no place here, and time that others were passed on after is not missing now.
        let has_place = !held.doubt.contains(Faults::IDENTITY) && held.passed == self.counts.frames;
        self.misplaced += u64::from(has_place);
        self.refuse(&held.bytes, held.stamp(), held.doubt | held.known, settled);
        self.unused.push(held.bytes);
    }

    fn refuse(&mut self, bytes: &[u8], stamp: u64, faults: Faults, settled: &mut impl FnMut(Settled<'_>)) {
        self.refused |= faults;
        self.counts.drop(faults);
        settled(Settled { step: Step::Drop, faults, stamp, epoch: self.epoch, bytes });
    }

    fn gap(&mut self, until: u64, missing: u64, has_jumped: bool) {
        let bits = self.refused.with(Faults::JUMP, has_jumped).bits();
        self.history.tell(self.expected.stamp, until, State::Absent, bits);
        self.counts.missing += missing;
        self.counts.gaps += 1;
        self.is_apart = true;
        self.expect_next(missing);
    }

    /// Frames that were dropped at the begin or at the end came in the place of others, which are absent.
    fn tell_misplaced(&mut self, begin: u64) {
        // Bounded: a file of garbage must not claim years of missing time.
        let missing = std::mem::take(&mut self.misplaced).min(Self::LATE);
        let end = begin.saturating_add(missing * self.format.step());
        self.history.tell(begin, end, State::Absent, self.refused.bits());
        self.refused = Faults::NONE;
    }

    fn begin_epoch(&mut self, head: &Head) {
        let identity = self.options.identity.unwrap_or(head.identity);
        let before = self.expected;
        self.expected = Head { is_odd: false, ..*head };
        // The first epoch takes the identity of its frames, unless the options give it.
        if self.is_new {
            self.expected.identity = identity;
        } else {
            // Later epochs keep identity and status: a reset of the clock changes neither.
            (self.expected.identity, self.expected.status) = (before.identity, before.status);
            self.history.begin_epoch();
        }
        (self.is_new, self.is_apart, self.other_count, self.epoch) = (false, true, None, head.stamp);
        self.counts.epochs += 1;
    }

    fn faults(&mut self, frame: &[u8], head: &Head, known: Faults) -> Faults {
        // Headers of healthy frames are all alike; only an odd one, or checksums, need a closer look.
        let closely = head.is_odd || self.options.checksums;
        let of_frame = if closely { self.format.faults(frame, self.options.checksums) } else { Faults::NONE };
        let count = if self.format == RawFormat::WibEth { Faults::SEQUENCE } else { Faults::CONVERT_COUNT };
        (of_frame | known)
            .with(Faults::IDENTITY, head.identity != self.expected.identity)
            .with(Faults::STATUS, head.status != self.expected.status)
            .with(count, !self.counts_on(head.count))
    }

    /// A count that is wrong once is wrong; when the next one follows it, counting was begun again.
    fn counts_on(&mut self, count: u16) -> bool {
        if count == self.expected.count {
            self.other_count = None;
            // A counter that goes on from its new value was reset: one fault, not one for each frame.
            return true;
        }
        let is_anew = self.other_count == Some(count);
        self.other_count = (!is_anew).then_some(count.wrapping_add(1) & self.count_mask);
        if is_anew {
            self.expected.count = count;
        }
        is_anew
    }

    /// Passes on the frame at the expected time. `state` is the state of its time if it has no faults.
    fn pass(
        &mut self,
        frame: &[u8],
        head: &Head,
        known: Faults,
        state: State,
        settled: &mut impl FnMut(Settled<'_>),
    ) {
        let faults = self.faults(frame, head, known);
        let state = if faults.is_empty() { state } else { State::Corrupt };
        self.expect_next(1);
        // The ledger grows by this frame's time whatever its faults.
        self.history.tell(head.stamp, self.expected.stamp, state, faults.bits());
        self.counts.pass(faults);
        (self.refused, self.misplaced, self.ends_good) = (Faults::NONE, 0, state == State::Good);
        // Only a batch that is begun because frames are missing has that among its faults.
        let step = if std::mem::take(&mut self.is_apart) { Step::Begin } else { Step::Append };
        let gap = Faults::NONE.with(Faults::GAP, step == Step::Begin && head.stamp != self.epoch);
        let (stamp, epoch) = (head.stamp, self.epoch);
        settled(Settled { step, faults: faults | gap, stamp, epoch, bytes: frame });
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
