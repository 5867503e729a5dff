//! Pixels at or above a threshold: where, and in which events.

use livetime_frame::with_dtype;
use livetime_kernels::Level;
use livetime_kernels::accumulate::{self, Element};

use crate::analyze::{Column, EventPictures, Layout, Named, Reducer};

/// Hits: pixels at or above a threshold.
///
/// - `hits`: `u32`, in how many events each pixel was hit. Of arrays with one axis as long as the longest.
/// - `events`: a table with a row for each event that was used: `event`, its number in the run; `time_ns`, since 1970; `hits`, how many
///   pixels were hit. All `u64`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hits {
    /// In the units of the pixels.
    pub threshold: f64,
}

/// Counts of each pixel by panel, and number, time and hits of events.
#[derive(Default)]
pub struct HitCounts {
    counts: Vec<Vec<u32>>,
    events: Vec<[u64; 3]>,
}

impl Reducer for Hits {
    type Partial = HitCounts;

    fn partial(&self, layout: &Layout) -> HitCounts {
        let counts = layout.panels.iter().map(|panel| vec![0; panel.pixels()]).collect();
        HitCounts { counts, events: Vec::new() }
    }

    fn map(&self, found: &mut HitCounts, event: &EventPictures<'_>) {
        if found.events.is_empty() {
            // Written before they are read: why, `Sums` says.
            found.counts.iter_mut().for_each(|counts| counts.fill(0));
        }
        let mut hits = 0;
        for picture in event.pictures() {
            let pixels = picture.bytes.len() / picture.panel.dtype.bytes();
            let counts = &mut found.counts[picture.position];
            grow(counts, pixels);
            let counts = &mut counts[..pixels];
            hits += with_dtype!(picture.panel.dtype, T => count::<T>(picture.bytes, self.threshold, counts));
        }
        found.events.push([event.event as u64, event.time_ns, hits]);
    }

    fn merge(&self, found: &mut HitCounts, next: &mut HitCounts) {
        for (counts, next) in found.counts.iter_mut().zip(&mut next.counts) {
            grow(counts, next.len());
            counts.iter_mut().zip(next).for_each(|(sum, n)| *sum += *n);
        }
        found.events.append(&mut next.events);
    }

    fn finish(&self, layout: &Layout, mut found: HitCounts) -> Vec<Named> {
        found.events.sort_unstable();
        let fill = |position: usize, out: &mut Vec<u32>| {
            out.extend(found.counts[position].iter().take(layout.panels[position].pixels()));
        };
        let mut results = Named::panels("hits", layout, |panel| panel.shape.clone(), fill);
        let column = |name, which: usize| {
            Column::new(name, found.events.iter().map(|event| event[which]).collect::<Vec<u64>>())
        };
        results
            .push(Named::table("events", vec![column("event", 0), column("time_ns", 1), column("hits", 2)]));
        results
    }

    fn takes_any_order(&self, _: &Layout) -> bool {
        true
    }
}

fn grow(counts: &mut Vec<u32>, pixels: usize) {
    counts.resize(counts.len().max(pixels), 0);
}

/// Hits of a panel. Between integers the threshold is the next one above it.
fn count<T: Element>(bytes: &[u8], threshold: f64, counts: &mut [u32]) -> u64 {
    let threshold = if T::FLOAT { threshold } else { threshold.ceil() };
    if threshold > T::HIGHEST.to_f64() || threshold.is_nan() {
        return 0;
    }
    // The length is right: there are as many counts as pixels.
    accumulate::count_from(Level::best(), bytes, T::from_f64(threshold), counts).unwrap_or(0)
}
