//! The held data of all links, and the rule for releasing them when they become too large.

use std::collections::BTreeMap;
use std::sync::Arc;

use livetime_engine::NodeError;
use livetime_formats::trigger::MissingReason;
use livetime_frame::{Frame, Header, SourceId, TableRef};

use super::hits::HitStream;
use super::link::RawLink;
use crate::{DecisionRow, LedgerRow, LinkSet, RawBatch, RawFormat, State, TriggerRecord};

/// Raw frames and hits by link.
#[derive(Default)]
pub(super) struct Store {
    pub(super) links: BTreeMap<u16, RawLink>,
    /// By link and finder: a link's planes may be shared by several; link `None` is merged hits.
    pub(super) hits: BTreeMap<(Option<u16>, Arc<str>), HitStream>,
    sources: BTreeMap<SourceId, Numbers>,
    /// The share of hits in the frame pool.
    hit_bytes: usize,
    raw_bytes: usize,
    /// Ticks that are held of each link.
    hold: u64,
    /// The fate of time that others count as received.
    pub(super) ledger: Vec<LedgerRow>,
    pub(super) overruns: u64,
}

/// The numbers of a source's frames that came.
struct Numbers {
    next: u64,
    lost: u64,
}

/// How much may be held.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) seconds: f64,
    pub(super) bytes: usize,
    /// Beyond `bytes`, for requests that wait.
    pub(super) pinned_bytes: usize,
}

impl Bounds {
    pub(super) fn most_bytes(&self) -> usize {
        self.bytes.saturating_add(self.pinned_bytes)
    }
}

impl Store {
    /// Expects links that have not come yet.
    pub(super) fn expect(&mut self, links: &LinkSet, format: RawFormat, now_ns: u64) {
        for link in links.numbers() {
            self.links.entry(link).or_insert_with(|| RawLink::new(format, now_ns));
        }
    }

    /// Whether the link's clock was set back before `batch`, so that its held data are released.
    pub(super) fn is_set_back(&self, batch: &RawBatch, bounds: Bounds) -> bool {
        let hold = ticks(bounds.seconds, batch.format.tick_ns());
        self.links.get(&batch.link).is_some_and(|link| link.is_set_back(batch, hold))
    }

    /// Holds a batch; the time that its link has reached.
    ///
    /// # Errors
    /// As [`RawLink::put`].
    pub(super) fn put_raw(
        &mut self,
        frame: &Frame,
        batch: &RawBatch,
        bounds: Bounds,
        pinned_from: Option<u64>,
        now_ns: u64,
    ) -> Result<u64, NodeError> {
        let lost = self.follow(frame.header());
        let link = self.links.entry(batch.link).or_insert_with(|| RawLink::new(batch.format, now_ns));
        let hold = ticks(bounds.seconds, batch.format.tick_ns());
        self.hold = hold;
        let (before, reached_before) = (link.bytes, link.reached);
        let dropped = link.put(frame, batch, lost, hold, now_ns)?;
        let reached = link.reached;
        while link.ticks > hold && link.is_oldest_free(pinned_from) == Some(true) {
            link.let_go(MissingReason::TooOld);
        }
        self.raw_bytes = self.raw_bytes + link.bytes - before;
        if let Some((begin, end)) = dropped {
            self.tell(batch.link, begin, end);
        }
        if reached < reached_before {
            // The link's clock was set back, and with it the clock of its hits.
            self.forget_hits(Some(batch.link));
            self.forget_hits(None);
        }
        self.shrink(bounds.bytes, bounds.most_bytes(), pinned_from);
        self.trim_hits(batch.link, hold);
        Ok(reached)
    }

    /// Holds a table of hits; the stream's watermark.
    ///
    /// # Errors
    /// As [`HitStream::put`].
    pub(super) fn put_hits(
        &mut self,
        key: (Option<u16>, Arc<str>),
        frame: &Frame,
        table: TableRef<'_>,
        watermark: u64,
        now_ns: u64,
    ) -> Result<u64, NodeError> {
        // As long as nothing has been released, data before the stream's first table were never there.
        let is_first = self.links.values().all(|link| !link.has_gone());
        let stream = self.hits.entry(key).or_insert_with(|| HitStream::new(watermark, is_first));
        if watermark < stream.watermark {
            // The clock was set back: held data cannot be distinguished from data to come.
            self.hit_bytes -= stream.let_go_until(u64::MAX);
            *stream = HitStream::new(watermark, false);
        }
        self.hit_bytes += stream.put(frame, table, watermark, now_ns)?;
        Ok(stream.watermark)
    }

    /// Bytes held, as they count in the frame pool.
    pub(super) fn bytes(&self) -> usize {
        self.raw_bytes + self.hit_bytes
    }

    /// Releases the oldest until `wanted` bytes are held, or only pinned data; pinned data too beyond `most` bytes.
    pub(super) fn shrink(&mut self, wanted: usize, most: usize, pinned_from: Option<u64>) {
        let hold = self.hold;
        while self.bytes() > wanted {
            let link = match self.longest(|link| link.is_oldest_free(pinned_from) == Some(true)) {
                Some(link) => self.let_go(link, MissingReason::TooOld),
                None if self.bytes() <= most => return,
                None => match self.longest(|link| link.ticks > 0) {
                    Some(link) => self.let_go(link, MissingReason::Overrun),
                    None if self.let_go_of_hits() => continue,
                    None => return,
                },
            };
            self.trim_hits(link, hold);
        }
    }

    /// The earliest time that all active links and streams have reached; 0 before there is a link.
    pub(super) fn watermark(&self, alive_since_ns: u64) -> u64 {
        if self.links.is_empty() {
            return 0;
        }
        let links =
            self.links.values().filter(|link| link.seen_ns >= alive_since_ns).map(|link| link.reached);
        let hits =
            self.hits.values().filter(|hits| hits.seen_ns >= alive_since_ns).map(|hits| hits.watermark);
        links.chain(hits).min().unwrap_or(u64::MAX)
    }

    /// When the active links and streams were seen last, the one that has been silent for the longest time
    /// first.
    pub(super) fn longest_silent_ns(&self, alive_since_ns: u64) -> Option<u64> {
        let seen =
            self.links.values().map(|link| link.seen_ns).chain(self.hits.values().map(|hits| hits.seen_ns));
        seen.filter(|seen_ns| *seen_ns >= alive_since_ns).min()
    }

    /// The held data for a decision.
    pub(super) fn read(&self, decision: &DecisionRow, alive_since_ns: u64) -> TriggerRecord {
        let window = (decision.window_begin, decision.window_end);
        if window.0 >= window.1 {
            return TriggerRecord { decision: *decision, ..TriggerRecord::default() };
        }
        let tail = |seen_ns: u64| {
            if seen_ns >= alive_since_ns { MissingReason::NotYet } else { MissingReason::Dead }
        };
        let fragments =
            self.links.iter().map(|(number, link)| link.read(*number, window, tail(link.seen_ns)));
        let first = |number: &Option<u16>| {
            let of = |link: &(&u16, &RawLink)| number.is_none_or(|number| number == *link.0);
            self.links.iter().filter(of).filter_map(|(_, link)| link.begin()).min()
        };
        let hits = self
            .hits
            .iter()
            .map(|((link, _), hits)| hits.read(*link, window, first(link), tail(hits.seen_ns)));
        TriggerRecord { decision: *decision, fragments: fragments.collect(), hits: hits.collect() }
    }

    /// Counts the numbers that a source's frames lack.
    fn follow(&mut self, header: &Header) -> u64 {
        let next = header.sequence.saturating_add(1);
        let numbers = self.sources.entry(header.source).or_insert(Numbers { next: header.sequence, lost: 0 });
        numbers.lost += header.sequence.saturating_sub(numbers.next);
        numbers.next = numbers.next.max(next);
        numbers.lost
    }

    /// The link with the longest time held, among the eligible ones.
    fn longest(&self, fits: impl Fn(&RawLink) -> bool) -> Option<u16> {
        let links = self.links.iter().filter(|(_, link)| fits(link));
        // Equals: the one that is behind.
        links.max_by_key(|(_, link)| (link.ticks, !link.gone_until())).map(|(number, _)| *number)
    }

    fn let_go(&mut self, number: u16, reason: MissingReason) -> u16 {
        let Some(link) = self.links.get_mut(&number) else { return number };
        let before = link.bytes;
        let gone = link.let_go(reason);
        self.raw_bytes -= before - link.bytes;
        if let (Some((begin, end)), MissingReason::Overrun) = (gone, reason) {
            self.overruns += 1;
            self.tell(number, begin, end);
        }
        number
    }

    /// Releases a table of the longest stream of hits; false when there is none.
    fn let_go_of_hits(&mut self) -> bool {
        let longest = self.hits.values_mut().max_by_key(|hits| hits.len());
        let freed = longest.map_or(0, HitStream::let_go);
        self.hit_bytes -= freed;
        freed > 0
    }

    fn forget_hits(&mut self, of: Option<u16>) {
        for (_, mut hits) in self.hits.extract_if(.., |(link, _), _| *link == of) {
            self.hit_bytes -= hits.let_go_until(u64::MAX);
        }
    }

    /// Hits go with the raw frames of their time, never before: raw frames of that time may still be on their way. Merged hits go when no link has
    /// raw frames of their time or may still bring them.
    fn trim_hits(&mut self, number: u16, hold: u64) {
        let own = self.links.get(&number).map_or(0, RawLink::gone_until);
        let newest = self.links.values().map(|link| link.reached).max().unwrap_or(0);
        // A link that is so far behind is dead, or its clock is another one: it would keep hits in memory for ever.
        let follows = |link: &&RawLink| link.reached.saturating_add(hold) >= newest;
        let gone = |link: &RawLink| if link.has_gone() { link.gone_until() } else { 0 };
        let all = self.links.values().filter(follows).map(gone).min().unwrap_or(0);
        for ((link, _), hits) in &mut self.hits {
            let until = match link {
                None => all,
                Some(link) if *link == number => own,
                Some(_) => continue,
            };
            self.hit_bytes -= hits.let_go_until(until);
        }
    }

    fn tell(&mut self, link: u16, begin: u64, end: u64) {
        self.ledger.push(LedgerRow { link, begin, end, state: State::Unbuffered as u8, bits: 0 });
    }
}

fn ticks(seconds: f64, tick_ns: u64) -> u64 {
    (seconds * 1e9 / tick_ns as f64) as u64
}
