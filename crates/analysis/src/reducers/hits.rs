//! Pixels at or above a threshold: their places and events.

use livetime_frame::with_dtype;
use livetime_kernels::Level;
use livetime_kernels::accumulate::{self, Element};

use crate::{Column, EventPictures, Layout, Loader, Named, ReduceError, Reducer, Saver};

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

    fn map(&self, found: &mut HitCounts, event: &EventPictures<'_>) -> Result<(), ReduceError> {
        if found.events.is_empty() {
            // The counts are written before they are read: `Sums` says why.
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
        Ok(())
    }

    fn memory(&self, layout: &Layout) -> u64 {
        layout.panels.iter().map(|panel| panel.pixels() as u64 * size_of::<u32>() as u64).sum()
    }

    fn merge(&self, found: &mut HitCounts, next: &mut HitCounts) -> Result<(), ReduceError> {
        // An empty result has memory that was never written.
        if next.events.is_empty() {
            return Ok(());
        }
        if found.events.is_empty() {
            // The memory of the later one is taken instead of adding to zeros.
            std::mem::swap(found, next);
            return Ok(());
        }
        for (counts, next) in found.counts.iter_mut().zip(&mut next.counts) {
            grow(counts, next.len());
            counts.iter_mut().zip(next).for_each(|(sum, n)| *sum += *n);
        }
        found.events.append(&mut next.events);
        Ok(())
    }

    fn finish(&self, layout: &Layout, mut found: HitCounts) -> Result<Vec<Named>, ReduceError> {
        // The order of workers must not show in the table.
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
        Ok(results)
    }

    fn takes_any_order(&self, _: &Layout) -> bool {
        true
    }

    fn describe(&self) -> String {
        format!("hits threshold={}", self.threshold)
    }

    /// Sorts the events, so that the result is the same for any number of workers.
    fn save(&self, found: &HitCounts, out: &mut Saver) -> Result<(), ReduceError> {
        let mut events = found.events.clone();
        events.sort_unstable();
        out.list(events.as_flattened());
        // Without events the counts are meaningless memory.
        if !events.is_empty() {
            found.counts.iter().for_each(|counts| out.list(counts));
        }
        Ok(())
    }

    fn load(&self, layout: &Layout, from: &mut Loader<'_>) -> Result<HitCounts, ReduceError> {
        let events = from.list::<u64>()?;
        let (events, rest) = events.as_chunks::<3>();
        if !rest.is_empty() || events.len() as u64 > from.events() {
            return Err(format!("wanted up to {} events, found {}", from.events(), events.len()).into());
        }
        if events.is_empty() {
            return Ok(self.partial(layout));
        }
        let mut found = HitCounts { counts: Vec::new(), events: events.to_vec() };
        for (position, panel) in layout.panels.iter().enumerate() {
            let counts = from.list::<u32>()?;
            let (least, most) = (panel.pixels(), panel.pixels().max(from.longest(position)));
            // Of arrays of any length the saved counts may be longer than the first event was.
            if !(least..=most).contains(&counts.len())
                || counts.iter().any(|count| u64::from(*count) > from.events())
            {
                return Err(format!(
                    "wanted counts of {least} to {most} pixels, found {}, or too high ones",
                    counts.len()
                )
                .into());
            }
            found.counts.push(counts);
        }
        Ok(found)
    }
}

fn grow(counts: &mut Vec<u32>, pixels: usize) {
    counts.resize(counts.len().max(pixels), 0);
}

/// Hits of a panel. Between integers the threshold is the next one above it.
fn count<T: Element>(bytes: &[u8], threshold: f64, counts: &mut [u32]) -> u64 {
    // A pixel of an integer type is at or above 3.2 if it is at or above 4.
    let threshold = if T::FLOAT { threshold } else { threshold.ceil() };
    // A cast would cut the threshold to the largest value of the type, which would then count.
    if threshold > T::HIGHEST.to_f64() || threshold.is_nan() {
        return 0;
    }
    // The length is right: there are as many counts as pixels.
    accumulate::count_from(Level::best(), bytes, T::from_f64(threshold), counts).unwrap_or(0)
}
