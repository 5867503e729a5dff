//! What is known of a link.

use livetime_formats::wib::{Faults, RawFormat};
use livetime_nodes::wire::{IngestCounts, IngestOptions, Interval, LedgerRow, LinkIngest, LinkLedger, State};

use super::samples::{PlaneNoise, Samples};

/// Rows of the ledger that wait.
const MOST_ROWS: usize = 4096;

/// A link, followed from frame to frame.
pub(super) struct Link {
    /// Its e-link in FELIX blocks.
    pub(super) elink: Option<u16>,
    ingest: LinkIngest,
    pub(super) ledger: LinkLedger,
    rows: Vec<LedgerRow>,
    /// Each fault that was seen: its first frame, counted from 0, and that frame's time.
    pub(super) first: [Option<(u64, u64)>; Faults::COUNT],
    /// A frame, for its identity.
    pub(super) sample: Vec<u8>,
    samples: Samples,
}

impl Link {
    pub(super) fn new(elink: Option<u16>, format: RawFormat) -> Link {
        Link {
            elink,
            ingest: LinkIngest::new(format, 0, IngestOptions::default()),
            ledger: LinkLedger::default(),
            rows: Vec::new(),
            first: [None; Faults::COUNT],
            sample: Vec::new(),
            samples: Samples::new(format),
        }
    }

    /// Takes in frames one behind the other; `known` is wrong with all of them.
    pub(super) fn frames(&mut self, frames: &[u8], known: Faults) {
        let bytes = self.format().bytes();
        if self.sample.is_empty() {
            self.sample = frames.get(..bytes).unwrap_or_default().to_vec();
        }
        let mut rest = frames;
        while !rest.is_empty() {
            let run = if known.is_empty() { self.ingest.calm_run(rest) } else { 0 };
            if run > 0 {
                self.samples.add(&rest[..run * bytes]);
                rest = &rest[run * bytes..];
                continue;
            }
            let (frame, after) = rest.split_at(rest.len().min(bytes));
            self.look(frame, known);
            rest = after;
        }
        if self.rows.len() < MOST_ROWS {
            self.ingest.take_rows(&mut self.rows);
        }
        self.enter();
    }

    fn look(&mut self, frame: &[u8], known: Faults) {
        let counts = self.ingest.counts();
        let number = counts.frames + counts.dropped;
        let stamp = self.format().stamp(frame);
        let (_, faults) = self.ingest.next_with(frame, known);
        for fault in faults.each() {
            self.first[fault.bits().trailing_zeros() as usize].get_or_insert((number, stamp));
        }
        if faults.is_empty() {
            self.samples.add(frame);
        }
    }

    pub(super) fn finish(&mut self) {
        self.ingest.finish(&mut self.rows);
        self.enter();
    }

    fn enter(&mut self) {
        self.rows.drain(..).for_each(|row| self.ledger.tell(Interval::from(&row)));
    }

    pub(super) fn format(&self) -> RawFormat {
        self.ingest.format()
    }

    pub(super) fn counts(&self) -> &IngestCounts {
        self.ingest.counts()
    }

    /// Pedestal and noise of each plane.
    pub(super) fn noise(&self) -> Vec<PlaneNoise> {
        self.samples.planes(&self.sample)
    }

    /// Samples of a channel that pedestal and noise are from.
    pub(super) fn ticks(&self) -> usize {
        self.samples.ticks()
    }

    pub(super) fn has_losses(&self) -> bool {
        let counts = self.counts();
        counts.dropped > 0 || self.ledger.ticks_in(State::Good) < self.ledger.ticks()
    }
}
