//! Prepared batches sent as they are, without a copy: only their times are written again.

use livetime_engine::{Context, NodeError};

use super::prepare::Ring;
use crate::wires::restamp;
use livetime_wire::{Interval, LEDGER, LedgerRow, RAW, RawFormat, RawLabels, RowTable, State};

/// The fate of a batch that was to be sent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sent {
    Yes,
    /// A receiver still holds its memory.
    InUse,
}

/// How often the ledger is sent, on the run's clock.
const TELL_EVERY_NS: u64 = 250_000_000;
/// More rows than this are sent at once.
const MOST_ROWS: usize = 4096;

/// A batch to be sent.
#[derive(Clone, Copy)]
pub(super) struct Batch {
    pub(super) link: usize,
    /// Position in the loop.
    pub(super) position: usize,
    /// Number of its first frame since the begin.
    pub(super) number: u64,
    /// Time of its first frame.
    pub(super) stamp: u64,
}

/// Sends batches of frames without faults, and the ledger that says so.
pub(super) struct Direct {
    format: RawFormat,
    batch_frames: usize,
    rings: Vec<Ring>,
    labels: RawLabels,
    ledger: Ledger,
    /// Frames and tables sent.
    pub(super) sequence: u64,
}

impl Direct {
    pub(super) fn new(format: RawFormat, batch_frames: usize, rings: Vec<Ring>, sequence: u64) -> Direct {
        let ledger = Ledger { open: vec![None; rings.len()], ..Ledger::default() };
        Direct { format, batch_frames, rings, labels: RawLabels::new(format), ledger, sequence }
    }

    /// Sends a batch, unless a receiver still holds it from the previous loop.
    ///
    /// # Errors
    /// [`NodeError`] when there is no memory for a header, or an edge refuses: the batch is lost, and reported in the ledger.
    pub(super) fn send(&mut self, batch: Batch, ctx: &mut Context) -> Result<Sent, NodeError> {
        let Some(place) = self.rings.get_mut(batch.link).and_then(|ring| ring.get_mut(batch.position)) else {
            return Ok(Sent::InUse);
        };
        let Some(prepared) = place.take() else { return Ok(Sent::InUse) };
        // Only a frame that no receiver holds gives its memory back.
        let mut frame = match prepared.try_into_mut() {
            Ok(frame) => frame,
            Err(held) => {
                *place = Some(held);
                return Ok(Sent::InUse);
            }
        };
        restamp(self.format, frame.bytes_mut(), batch.number, batch.stamp);
        let prepared = place.insert(frame.freeze());
        // A header of its own, so that the memory can be taken back when all receivers have released it.
        let sent = ctx.relabel(prepared).and_then(|mut frame| {
            let header = frame.header_mut();
            header.sequence = self.sequence;
            header.event_time_ns = batch.stamp.saturating_mul(self.format.tick_ns()) as i64;
            self.labels.put(header, batch.link as u16, batch.stamp, 0);
            self.sequence += 1;
            ctx.emit_to(RAW, frame)
        });
        self.account(batch, if sent.is_ok() { State::Good } else { State::Dropped });
        sent.map(|()| Sent::Yes)
    }

    /// Reports the state of a batch to the ledger.
    pub(super) fn account(&mut self, batch: Batch, state: State) {
        let end = batch.stamp + self.batch_frames as u64 * self.format.step();
        self.ledger.tell(batch.link, Interval { begin: batch.stamp, end, state, bits: 0 });
    }

    /// Sends the ledger when it is time to, or `now`.
    ///
    /// # Errors
    /// [`NodeError`] when there is no memory for it, then it is sent later, or an edge refuses.
    pub(super) fn tell(&mut self, now: bool, ctx: &mut Context) -> Result<(), NodeError> {
        if !now && !self.ledger.is_due(ctx.now_ns()) {
            return Ok(());
        }
        self.ledger.collect();
        if self.ledger.rows.is_empty() {
            return Ok(());
        }
        let mut table = self.ledger.table.frame(&self.ledger.rows, ctx)?;
        table.header_mut().sequence = self.sequence;
        self.sequence += 1;
        // Cleared only now: rows without memory for a table are sent later.
        self.ledger.rows.clear();
        ctx.emit_to(LEDGER, table)
    }
}

/// Intervals that were not reported yet.
#[derive(Default)]
struct Ledger {
    table: RowTable<LedgerRow>,
    /// Per link, the time that still grows.
    open: Vec<Option<LedgerRow>>,
    rows: Vec<LedgerRow>,
    told_ns: u64,
}

impl Ledger {
    fn tell(&mut self, link: usize, new: Interval) {
        let Some(open) = self.open.get_mut(link) else { return };
        match open {
            // Time in the same state makes the row longer, so that a run without losses has few rows.
            Some(row) if row.end == new.begin && row.state == new.state as u8 => row.end = new.end,
            _ => {
                let Interval { begin, end, state, bits } = new;
                let row = LedgerRow { link: link as u16, begin, end, state: state as u8, bits };
                self.rows.extend(open.replace(row));
            }
        }
    }

    fn is_due(&mut self, now_ns: u64) -> bool {
        let is_due = now_ns >= self.told_ns + TELL_EVERY_NS || self.rows.len() >= MOST_ROWS;
        if is_due {
            self.told_ns = now_ns;
        }
        is_due
    }

    fn collect(&mut self) {
        // Open rows are sent as they are; later time gets rows of its own.
        self.rows.extend(self.open.iter_mut().filter_map(Option::take));
    }
}
