//! The findings about a link.

use livetime_formats::wib::{Faults, RawFormat};
use livetime_wire::{IngestCounts, IngestOptions, Interval, LedgerRow, LinkIngest, LinkLedger, Settled};

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
    /// Frames taken in.
    taken: u64,
    /// Each fault that was seen: about where its first frame came, counted from 0 (a frame may have been held for up to 16 others), and that
    /// frame's time.
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
            taken: 0,
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
                self.taken += run as u64;
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
        let number = self.taken;
        self.taken += 1;
        let (first, samples) = (&mut self.first, &mut self.samples);
        self.ingest.next_with(frame, known, |settled| enter(first, samples, number, &settled));
    }

    pub(super) fn finish(&mut self) {
        let (number, first, samples) = (self.taken.saturating_sub(1), &mut self.first, &mut self.samples);
        self.ingest.finish(&mut self.rows, |settled| enter(first, samples, number, &settled));
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
        self.counts().losses() > 0
    }
}

/// Enters the faults of a frame, or its samples if there are none.
fn enter(
    first: &mut [Option<(u64, u64)>; Faults::COUNT],
    samples: &mut Samples,
    number: u64,
    frame: &Settled<'_>,
) {
    for fault in frame.faults.each() {
        first[fault.bits().trailing_zeros() as usize].get_or_insert((number, frame.stamp));
    }
    if frame.faults.is_empty() {
        samples.add(frame.bytes);
    }
}
