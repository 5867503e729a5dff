//! The hits of one stream that are held.

use std::collections::VecDeque;

use livetime_engine::NodeError;
use livetime_formats::trigger::MissingReason;
use livetime_frame::{Frame, FramePool, TableRef};

use super::link::{Interval, Reading};
use crate::HitFragment;

/// Tables of hits in the order of their arrival.
pub(super) struct HitStream {
    tables: VecDeque<Table>,
    /// Time of the first hit, or the first promise.
    began: u64,
    /// Whether the stream is as old as the raw frames: then no hits existed before.
    is_first: bool,
    /// Hits before this may be gone.
    gone_until: u64,
    /// No hit with an earlier start will come.
    pub(super) watermark: u64,
    /// When the latest table came.
    pub(super) seen_ns: u64,
}

struct Table {
    frame: Frame,
    cost: usize,
    /// The watermark before it: no hit in it is earlier.
    since: u64,
    first: u64,
    last: u64,
    /// The latest start in this table and all earlier tables.
    reach: u64,
}

impl HitStream {
    pub(super) fn new(watermark: u64, is_first: bool) -> HitStream {
        let tables = VecDeque::new();
        HitStream { tables, began: watermark, is_first, gone_until: 0, watermark, seen_ns: 0 }
    }

    /// Holds a table; returns the bytes that it takes of the frame pool.
    ///
    /// # Errors
    /// [`NodeError`] when it is no table of hits.
    pub(super) fn put(
        &mut self,
        frame: &Frame,
        table: TableRef<'_>,
        watermark: u64,
        now_ns: u64,
    ) -> Result<usize, NodeError> {
        let starts = table.column::<u64>(0)?;
        self.seen_ns = now_ns;
        let since = self.watermark;
        self.watermark = since.max(watermark);
        let (Some(first), Some(last)) = (starts.iter().min(), starts.iter().max()) else { return Ok(0) };
        if self.tables.is_empty() && self.gone_until == 0 {
            self.began = self.began.min(*first);
        }
        let cost = FramePool::cost_bytes(frame.bytes().len());
        let reach = self.tables.back().map_or(*last, |before| before.reach.max(*last));
        let since = since.min(*first);
        self.tables.push_back(Table { frame: frame.clone(), cost, since, first: *first, last: *last, reach });
        Ok(cost)
    }

    /// Releases tables with hits before `until` only; returns the bytes that they took of the frame pool.
    pub(super) fn let_go_until(&mut self, until: u64) -> usize {
        let mut freed = 0;
        while self.tables.front().is_some_and(|oldest| oldest.reach < until || until == u64::MAX) {
            freed += self.let_go();
        }
        freed
    }

    /// Releases the oldest table; returns the bytes that it took of the frame pool.
    pub(super) fn let_go(&mut self) -> usize {
        let Some(oldest) = self.tables.pop_front() else { return 0 };
        self.gone_until = self.gone_until.max(oldest.reach.saturating_add(1));
        oldest.cost
    }

    /// Tables held.
    pub(super) fn len(&self) -> usize {
        self.tables.len()
    }

    /// The held part of a window, with the reason for data that have not arrived. `first` is where its raw frames began.
    pub(super) fn read(
        &self,
        link: Option<u16>,
        window: Interval,
        first: Option<u64>,
        tail: MissingReason,
    ) -> HitFragment {
        let (begin, end) = window;
        let past = self.tables.partition_point(|table| table.reach < begin);
        let near = self.tables.range(past..).take_while(|table| table.since < end);
        let inside = near.filter(|table| table.first < end && table.last >= begin);
        let tables = inside.map(|table| table.frame.clone()).collect();
        let mut reading = Reading { at: begin, end, missing: Vec::new() };
        let first = first.filter(|_| self.is_first).unwrap_or(u64::MAX);
        reading.miss(self.began.min(first), MissingReason::NeverReceived);
        reading.miss(self.gone_until, MissingReason::TooOld);
        reading.at = reading.at.max(self.watermark);
        reading.miss(end, tail);
        HitFragment { link, tables, missing: reading.missing }
    }
}
