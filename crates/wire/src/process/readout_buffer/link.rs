//! The raw frames of one link that are held, and why others are missing.

use std::collections::VecDeque;

use livetime_engine::NodeError;
use livetime_formats::trigger::{Missing, MissingReason};
use livetime_frame::{Frame, FramePool};

use crate::{Fragment, Piece, RawBatch, RawFormat};

/// Most lost intervals that are kept with their reason. Older ones are reported as too old, so that a link with a gap
/// after every batch does not fill the memory.
const MOST_GONE: usize = 1 << 12;

/// The data of one link that the buffer holds. Its time line consists, without gap or overlap, of time before the link
/// began; released time; held time, with gaps; and future time.
pub(super) struct RawLink {
    pub(super) format: RawFormat,
    /// By time; no two overlap.
    batches: VecDeque<Batch>,
    /// Time that is gone, up to the first batch or the gap before it.
    gone: VecDeque<Gone>,
    /// Where `gone` begins.
    began: u64,
    /// Why data before that are missing.
    before: MissingReason,
    has_begun: bool,
    /// End of the newest batch.
    pub(super) reached: u64,
    /// When it came.
    pub(super) seen_ns: u64,
    /// Epoch of time of the held data: [`RawBatch::epoch`].
    epoch: Option<u64>,
    /// Numbers that the link's source had lost when it came.
    lost: u64,
    /// Length of the longest batch.
    longest: u64,
    /// Ticks that are held.
    pub(super) ticks: u64,
    /// The bytes that they take of the frame pool.
    pub(super) bytes: usize,
}

struct Batch {
    first: u64,
    end: u64,
    frame: Frame,
    cost: usize,
    /// Why the time between the batch before and this one is missing.
    gap: MissingReason,
}

struct Gone {
    until: u64,
    reason: MissingReason,
}

/// A piece of the link's time.
pub(super) type Interval = (u64, u64);

impl RawLink {
    /// A link before its first batch.
    pub(super) fn new(format: RawFormat, now_ns: u64) -> RawLink {
        RawLink {
            format,
            batches: VecDeque::new(),
            gone: VecDeque::new(),
            began: 0,
            before: MissingReason::NeverReceived,
            has_begun: false,
            reached: 0,
            seen_ns: now_ns,
            epoch: None,
            lost: 0,
            longest: 0,
            ticks: 0,
            bytes: 0,
        }
    }

    /// Holds a batch. `lost` is the number of sequence numbers that the source has lost so far; `hold` is the largest
    /// number of ticks to hold. Returns the time dropped on the way to this node, if any.
    ///
    /// # Errors
    /// [`NodeError`] for a batch of another format, or of a time that is held or was released.
    pub(super) fn put(
        &mut self,
        frame: &Frame,
        batch: &RawBatch,
        lost: u64,
        hold: u64,
        now_ns: u64,
    ) -> Result<Option<Interval>, NodeError> {
        if batch.format != self.format {
            let (wanted, found) = (self.format.name(), batch.format.name());
            let link = batch.link;
            return Err(NodeError::new(format_args!("wanted {wanted} frames of link {link}, found {found}")));
        }
        // The link begins with its first batch; time before it was never received.
        if !self.has_begun {
            (self.has_begun, self.began, self.reached, self.lost) = (true, batch.first, batch.first, lost);
            self.epoch = batch.epoch;
        }
        if self.is_set_back(batch, hold) {
            self.begin_again(batch.first);
        }
        let lost_before = batch.lost_before(self.epoch, self.reached);
        let is_dropped =
            // Without `after` the missing numbers decide, which other links share.
            if batch.after.is_some() { lost_before.is_some() } else { self.were_dropped(batch.first, lost) };
        let reason = if is_dropped { MissingReason::Dropped } else { MissingReason::NeverReceived };
        let cost = FramePool::cost_bytes(batch.bytes.len());
        let (first, end) = (batch.first, batch.end());
        let mut new = Batch { first, end, frame: frame.clone(), cost, gap: reason };
        let dropped = if first >= self.reached {
            // Time after a reset of the clock is no gap.
            let gap = lost_before.filter(|_| is_dropped && self.reached < first);
            self.batches.push_back(new);
            (self.reached, self.epoch) = (end, batch.epoch);
            gap
        } else {
            // A batch that comes late goes to its place, and inherits the reason of the gap that it splits.
            let place = self.place_of(batch)?;
            new.gap = self.batches.get(place).map_or(reason, |after| after.gap);
            self.batches.insert(place, new);
            // Before the first release the time line may still begin earlier.
            self.began = if self.gone.is_empty() { self.began.min(first) } else { self.began };
            None
        };
        (self.seen_ns, self.lost) = (now_ns, lost);
        self.longest = self.longest.max(end - first);
        self.ticks += end - first;
        self.bytes += cost;
        Ok(dropped)
    }

    /// Whether the oldest batch may be released while everything from `pinned_from` on must stay; `None` when there is no batch.
    pub(super) fn is_oldest_free(&self, pinned_from: Option<u64>) -> Option<bool> {
        let oldest = self.batches.front()?;
        Some(pinned_from.is_none_or(|from| oldest.end <= from))
    }

    /// Releases the oldest batch; its time.
    pub(super) fn let_go(&mut self, reason: MissingReason) -> Option<Interval> {
        let batch = self.batches.pop_front()?;
        self.mark(batch.first, batch.gap);
        self.mark(batch.end, reason);
        self.ticks -= batch.end - batch.first;
        self.bytes -= batch.cost;
        Some((batch.first, batch.end))
    }

    /// Time up to which nothing is held any more.
    pub(super) fn gone_until(&self) -> u64 {
        self.gone.back().map_or(self.began, |gone| gone.until)
    }

    /// Whether anything has been released.
    pub(super) fn has_gone(&self) -> bool {
        !self.gone.is_empty() || self.before != MissingReason::NeverReceived
    }

    /// Where it began, as far as is known.
    pub(super) fn begin(&self) -> Option<u64> {
        self.has_begun.then_some(self.began)
    }

    /// The held data of a window, with the reason for data that have not come yet.
    pub(super) fn read(&self, link: u16, window: Interval, tail: MissingReason) -> Fragment {
        let mut reading = Reading { at: window.0, end: window.1, missing: Vec::new() };
        reading.miss(self.began, self.before);
        let past = self.gone.partition_point(|gone| gone.until <= reading.at);
        for gone in self.gone.range(past..) {
            reading.miss(gone.until, gone.reason);
        }
        let mut pieces = Vec::new();
        let past = self.batches.partition_point(|batch| batch.end <= reading.at);
        for batch in self.batches.range(past..) {
            reading.miss(batch.first, batch.gap);
            if reading.at >= reading.end {
                break;
            }
            pieces.push(self.piece(batch, reading.at, reading.end));
            reading.at = batch.end.min(reading.end);
        }
        reading.miss(window.1, tail);
        Fragment { link, format: self.format, pieces, missing: reading.missing }
    }

    /// The frames of a batch from the one at `begin` to the one before `end`.
    fn piece(&self, batch: &Batch, begin: u64, end: u64) -> Piece {
        let (step, bytes) = (self.format.step(), self.format.bytes());
        let from = begin.saturating_sub(batch.first) / step;
        let to = (end.min(batch.end) - batch.first).div_ceil(step);
        let range = from as usize * bytes..(to as usize * bytes).min(batch.frame.bytes().len());
        Piece { frame: batch.frame.clone(), range, first: batch.first + from * step }
    }

    /// The link's clock was set back: held data cannot be distinguished from data to come.
    fn begin_again(&mut self, first: u64) {
        self.batches.clear();
        self.gone.clear();
        (self.began, self.before, self.reached) = (first, MissingReason::TooOld, first);
        (self.ticks, self.bytes) = (0, 0);
    }

    /// Whether the link's clock was set back before `batch`: it is of another epoch of time, or earlier than all that may be held.
    pub(super) fn is_set_back(&self, batch: &RawBatch, hold: u64) -> bool {
        let is_other = batch.epoch.is_some() && batch.epoch != self.epoch && batch.first < self.reached;
        self.has_begun && (is_other || batch.end().saturating_add(hold) < self.reached)
    }

    /// Whether the batches before `first` were sent and lost on the way: at least as many sequence numbers are missing
    /// as batches of this link fit into the gap. (A missing number may also have been a table of the source's ledger.)
    fn were_dropped(&self, first: u64, lost: u64) -> bool {
        let batches = first.saturating_sub(self.reached).div_ceil(self.longest.max(1));
        lost.saturating_sub(self.lost) >= batches.max(1)
    }

    /// Where a batch belongs that came after a later one.
    fn place_of(&self, batch: &RawBatch) -> Result<usize, NodeError> {
        let place = self.batches.partition_point(|held| held.first < batch.first);
        let before = match place.checked_sub(1).and_then(|before| self.batches.get(before)) {
            Some(before) => before.end,
            None => self.gone.back().map_or(0, |gone| gone.until),
        };
        let after = self.batches.get(place).map_or(self.reached, |after| after.first);
        if before <= batch.first && batch.end() <= after && place < self.batches.len() {
            return Ok(place);
        }
        Err(NodeError::new(format_args!(
            "wanted frames of link {} that were not there before, found {} to {} after {}",
            batch.link,
            batch.first,
            batch.end(),
            self.reached
        )))
    }

    /// Time up to `until` is gone.
    fn mark(&mut self, until: u64, reason: MissingReason) {
        if until <= self.gone_until() {
            return;
        }
        match self.gone.back_mut() {
            Some(last) if last.reason == reason => last.until = until,
            _ => self.gone.push_back(Gone { until, reason }),
        }
        if self.gone.len() > MOST_GONE
            && let Some(oldest) = self.gone.pop_front()
        {
            (self.began, self.before) = (oldest.until, MissingReason::TooOld);
        }
    }
}

/// A way through a window.
pub(super) struct Reading {
    /// Earlier time is dealt with.
    pub(super) at: u64,
    pub(super) end: u64,
    pub(super) missing: Vec<Missing>,
}

impl Reading {
    /// Nothing is there up to `until`.
    pub(super) fn miss(&mut self, until: u64, reason: MissingReason) {
        let (begin, end) = (self.at, until.min(self.end));
        if begin >= end {
            return;
        }
        self.at = end;
        match self.missing.last_mut() {
            Some(last) if (last.end, last.reason) == (begin, reason) => last.end = end,
            _ => self.missing.push(Missing { begin, end, reason }),
        }
    }
}
