//! Feeds the node in tests.

use livetime_engine::Value;
use livetime_engine::testing::Harness;
use livetime_formats::trigger::MissingReason;
use livetime_frame::{Allocator, Frame, TableLayout};

use super::super::ReadoutBuffer;
use crate::{DecisionRow, HitRow, LedgerRow, RawFormat, RawLabels, Row, RowTable, TriggerRecord};

/// Bytes of a frame, and ticks from one to the next.
const BYTES: usize = RawFormat::Wib1.bytes();
const STEP: u64 = RawFormat::Wib1.step();

pub(super) struct Feed {
    pub(super) node: Harness,
    pub(super) memory: Allocator,
    /// Number of the source's next frame.
    pub(super) sequence: u64,
    pub(super) ledger: Vec<LedgerRow>,
    pub(super) labels: RawLabels,
}

impl Feed {
    pub(super) fn new(params: &[(&str, Value)]) -> Feed {
        let node = Harness::new::<ReadoutBuffer>(params).unwrap();
        let memory = node.pool().allocator();
        Feed { node, memory, sequence: 0, ledger: Vec::new(), labels: RawLabels::new(RawFormat::Wib1) }
    }

    /// `count` frames; each begins with its time.
    pub(super) fn batch(&mut self, link: u16, first: u64, count: usize) -> Frame {
        let mut frame = self.memory.bytes(count * BYTES).unwrap();
        for (i, bytes) in frame.bytes_mut().chunks_exact_mut(BYTES).enumerate() {
            bytes[..8].copy_from_slice(&(first + STEP * i as u64).to_le_bytes());
        }
        self.labels.put(frame.header_mut(), link, first, 0);
        frame.header_mut().sequence = self.sequence;
        self.sequence += 1;
        frame.freeze()
    }

    pub(super) fn raw(&mut self, link: u16, first: u64, count: usize) -> Vec<TriggerRecord> {
        self.try_raw(link, first, count).unwrap()
    }

    /// `None` when the batch is refused.
    pub(super) fn try_raw(&mut self, link: u16, first: u64, count: usize) -> Option<Vec<TriggerRecord>> {
        let batch = self.batch(link, first, count);
        let out = self.node.feed(&batch).ok()?;
        Some(self.records(out))
    }

    pub(super) fn table<T: Row>(&mut self, rows: &[T], link: Option<u16>, watermark: Option<u64>) -> Frame {
        let layout = TableLayout::new(T::schema(), rows.len()).unwrap();
        let mut table = self.memory.table(layout).unwrap();
        T::put(rows, &mut table).unwrap();
        let labels = RowTable::<T>::default();
        link.into_iter().for_each(|link| labels.set_link(&mut table, link));
        watermark.into_iter().for_each(|watermark| labels.set_watermark(&mut table, watermark));
        table.freeze()
    }

    pub(super) fn hits(&mut self, link: Option<u16>, rows: &[HitRow], watermark: u64) -> Vec<TriggerRecord> {
        let table = self.table(rows, link, Some(watermark));
        let out = self.node.feed_to(1, &table).unwrap();
        self.records(out)
    }

    pub(super) fn ask(&mut self, number: u64, begin: u64, end: u64) -> Vec<TriggerRecord> {
        let out = self.ask_raw(number, begin, end);
        self.records(out)
    }

    /// The frames that the node sends for a request.
    pub(super) fn ask_raw(&mut self, number: u64, begin: u64, end: u64) -> Vec<Frame> {
        let decision = DecisionRow { number, window_begin: begin, window_end: end, ..DecisionRow::default() };
        let table = self.table(&[decision], None, Some(begin));
        self.node.feed_to(2, &table).unwrap()
    }

    pub(super) fn advance(&mut self, to_ns: u64) -> Vec<TriggerRecord> {
        let out = self.node.advance(to_ns).unwrap();
        self.records(out)
    }

    fn records(&mut self, out: Vec<Frame>) -> Vec<TriggerRecord> {
        let (ledger, records): (Vec<_>, Vec<_>) = out.into_iter().partition(|frame| frame.table().is_ok());
        for table in ledger {
            LedgerRow::get(table.table().unwrap(), &mut self.ledger).unwrap();
        }
        records.iter().map(|frame| frame.value::<TriggerRecord>().unwrap().clone()).collect()
    }
}

pub(super) fn hit(time_start: u64, channel: u32) -> HitRow {
    HitRow { time_start, channel, ..HitRow::default() }
}

/// Times of the frames of a link, as they lie in the data.
pub(super) fn times_of(record: &TriggerRecord, link: u16) -> Vec<u64> {
    let fragment = record.fragments.iter().find(|fragment| fragment.link == link).unwrap();
    let frames = fragment.pieces.iter().flat_map(|piece| {
        let times = piece.bytes().chunks_exact(BYTES).map(|f| u64::from_le_bytes(f[..8].try_into().unwrap()));
        assert_eq!(times.clone().next(), Some(piece.first));
        times
    });
    frames.collect()
}

pub(super) fn missing_of(record: &TriggerRecord, link: u16) -> Vec<(u64, u64, MissingReason)> {
    let fragment = record.fragments.iter().find(|fragment| fragment.link == link).unwrap();
    fragment.missing.iter().map(|m| (m.begin, m.end, m.reason)).collect()
}
