//! Pieces from slow cameras, which wait for the event that they belong to.

use std::collections::HashMap;

use super::counts::Counts;
use crate::run::Entry;
use crate::xtc1::{Clock, DatagramHeader, FIDUCIAL_PERIOD};

/// Clocks of pieces and events differ by less: a quarter of the time after which fiducials come again.
const CLOCKS_DIFFER_NS: u64 = 85_000_000_000;

/// The pieces that wait, by stream and fiducial.
#[derive(Default, Debug)]
pub(super) struct Cameras {
    waiting: HashMap<u32, Vec<Waiting>>,
}

#[derive(Debug)]
struct Waiting {
    stream: u32,
    entry: Entry<DatagramHeader>,
    /// Another piece of the stream has the same fiducial: neither can be believed.
    is_ambiguous: bool,
}

impl Cameras {
    pub(super) fn add(&mut self, stream: u32, entry: Entry<DatagramHeader>, counts: &mut Counts) {
        let fiducial = entry.header.stamp.fiducial();
        if fiducial >= FIDUCIAL_PERIOD {
            counts.camera_invalid += 1;
            return;
        }
        let waiting = self.waiting.entry(fiducial).or_default();
        let mut is_ambiguous = false;
        for other in waiting
            .iter_mut()
            .filter(|w| w.stream == stream && are_near(w.entry.header.clock, entry.header.clock))
        {
            counts.camera_ambiguous += u64::from(!other.is_ambiguous);
            other.is_ambiguous = true;
            is_ambiguous = true;
        }
        counts.camera_ambiguous += u64::from(is_ambiguous);
        waiting.push(Waiting { stream, entry, is_ambiguous });
    }

    /// Whether `stream` has a piece for the event.
    pub(super) fn has(&self, stream: u32, fiducial: u32, clock: Clock) -> bool {
        let waiting = self.waiting.get(&fiducial).map_or(&[][..], Vec::as_slice);
        waiting.iter().any(|w| w.stream == stream && are_near(w.entry.header.clock, clock))
    }

    /// Takes the pieces that belong to the event out, the nearest of each stream.
    pub(super) fn take(
        &mut self,
        fiducial: u32,
        clock: Clock,
        counts: &mut Counts,
    ) -> Vec<Entry<DatagramHeader>> {
        let Some(waiting) = self.waiting.get_mut(&fiducial) else { return Vec::new() };
        waiting.sort_by_key(|w| (w.stream, distance(w.entry.header.clock, clock)));
        let (mut taken, mut last) = (Vec::new(), None);
        waiting.retain(|w| {
            let belongs = !w.is_ambiguous && are_near(w.entry.header.clock, clock) && last != Some(w.stream);
            if belongs {
                last = Some(w.stream);
                taken.push(w.entry);
            }
            !belongs
        });
        if waiting.is_empty() {
            self.waiting.remove(&fiducial);
        }
        counts.camera_joined += taken.len() as u64;
        taken
    }

    /// How many pieces found no event.
    pub(super) fn unmatched(&self) -> u64 {
        self.waiting.values().flatten().filter(|w| !w.is_ambiguous).count() as u64
    }
}

fn distance(a: Clock, b: Clock) -> u64 {
    a.ns().abs_diff(b.ns())
}

fn are_near(a: Clock, b: Clock) -> bool {
    distance(a, b) < CLOCKS_DIFFER_NS
}

/// Whether a stream that has come to `newest_ns` can have no more pieces for an event at `clock`.
pub(super) fn is_past(newest_ns: u64, clock: Clock) -> bool {
    newest_ns >= clock.ns().saturating_add(CLOCKS_DIFFER_NS)
}
