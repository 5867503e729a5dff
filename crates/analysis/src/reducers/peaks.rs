//! Peaks in pictures: spots of light above their surroundings, as a table.
//!
//! [`Peaks`] describes the algorithm; the node `find_peaks` does the same in graphs.
//!
//! - `peaks`: a table with a row for each peak: `event`, `time_ns`, `panel` (its number), `segment` (which picture of an array of several),
//!   `row` and `column` of the top, `pixels`, all `u64`; `row_mean` and `column_mean` (weighted by what is above the background), `max`
//!   and `sum` (both above the background), `background` and `noise`, `f64`.
//! - `peak-events`: a table with a row for each event that was used: `event`, `time_ns`, `peaks`, and `left_out` beyond 4096 of an event.

use livetime_frame::with_dtype;
use livetime_kernels::peaks::{MOST_PEAKS, Peaks, values};

use crate::{Column, EventPictures, Layout, Loader, Named, Picture, ReduceError, Reducer, Saver};

/// Event, time, panel, segment, row, column, pixels, and the bits of row_mean, column_mean, max, sum, background, noise.
type PeakRow = [u64; 13];

/// The peaks of some events, and event, time, peaks and peaks that were left out of each.
#[derive(Default)]
pub struct FoundPeaks {
    rows: Vec<PeakRow>,
    events: Vec<[u64; 4]>,
}

/// Adds the peaks of a panel. Returns how many there are.
fn add(
    wanted: &Peaks,
    event: &EventPictures<'_>,
    picture: &Picture<'_>,
    room: usize,
    rows: &mut Vec<PeakRow>,
) -> usize {
    let values = with_dtype!(picture.panel.dtype, T => values::<T>(picture.bytes));
    let mut count = 0;
    let panel = u64::from(picture.panel.number);
    wanted.find_all(&values, &picture.panel.shape, &mut |segment, peak| {
        count += 1;
        if count <= room {
            let [row, column, pixels] = [peak.row, peak.column, peak.pixels].map(|n| n as u64);
            let [row_mean, column_mean, max, sum, background, noise] = peak.numbers().map(f64::to_bits);
            rows.push([
                event.event as u64,
                event.time_ns,
                panel,
                segment as u64,
                row,
                column,
                pixels,
                row_mean,
                column_mean,
                max,
                sum,
                background,
                noise,
            ]);
        }
    });
    count
}

impl Reducer for Peaks {
    type Partial = FoundPeaks;

    fn partial(&self, _: &Layout) -> FoundPeaks {
        FoundPeaks::default()
    }

    fn map(&self, found: &mut FoundPeaks, event: &EventPictures<'_>) -> Result<(), ReduceError> {
        let mut count = 0;
        for picture in event.pictures() {
            count += add(self, event, &picture, MOST_PEAKS.saturating_sub(count), &mut found.rows);
        }
        let left_out = count.saturating_sub(MOST_PEAKS);
        found.events.push([event.event as u64, event.time_ns, count as u64, left_out as u64]);
        Ok(())
    }

    /// While peaks are searched for, the values of a picture are there as numbers.
    fn memory(&self, layout: &Layout) -> u64 {
        layout.panels.iter().map(|panel| panel.pixels() as u64 * size_of::<f64>() as u64).sum()
    }

    fn merge(&self, found: &mut FoundPeaks, next: &mut FoundPeaks) -> Result<(), ReduceError> {
        found.rows.append(&mut next.rows);
        found.events.append(&mut next.events);
        Ok(())
    }

    fn finish(&self, _: &Layout, mut found: FoundPeaks) -> Result<Vec<Named>, ReduceError> {
        found.rows.sort_unstable();
        found.events.sort_unstable();
        let names = ["event", "time_ns", "panel", "segment", "row", "column", "pixels"];
        let whole =
            |(at, name)| Column::new(name, found.rows.iter().map(|row| row[at]).collect::<Vec<u64>>());
        let floats = ["row_mean", "column_mean", "max", "sum", "background", "noise"];
        let float = |(at, name)| {
            Column::new(
                name,
                found.rows.iter().map(|row| f64::from_bits(row[names.len() + at])).collect::<Vec<f64>>(),
            )
        };
        let columns =
            names.into_iter().enumerate().map(whole).chain(floats.into_iter().enumerate().map(float));
        let of_events = ["event", "time_ns", "peaks", "left_out"].into_iter().enumerate();
        let counts = of_events.map(|(at, name)| {
            Column::new(name, found.events.iter().map(|event| event[at]).collect::<Vec<u64>>())
        });
        Ok(vec![Named::table("peaks", columns.collect()), Named::table("peak-events", counts.collect())])
    }

    fn takes_any_order(&self, _: &Layout) -> bool {
        true
    }

    fn describe(&self) -> String {
        format!("peaks {self}")
    }

    /// Sorted by event, so that the result is the same for any number of workers.
    fn save(&self, found: &FoundPeaks, out: &mut Saver) -> Result<(), ReduceError> {
        let (mut rows, mut events) = (found.rows.clone(), found.events.clone());
        rows.sort_unstable();
        events.sort_unstable();
        out.list(events.as_flattened());
        out.list(rows.as_flattened());
        Ok(())
    }

    fn load(&self, _: &Layout, from: &mut Loader<'_>) -> Result<FoundPeaks, ReduceError> {
        let (events, rows) = (from.list::<u64>()?, from.list::<u64>()?);
        let ((events, rest), (rows, more)) = (events.as_chunks::<4>(), rows.as_chunks::<13>());
        let is_too_long = events.len() as u64 > from.events() || rows.len() > events.len() * MOST_PEAKS;
        if !rest.is_empty() || !more.is_empty() || is_too_long {
            let found = format!("{} events and {} peaks", events.len(), rows.len());
            return Err(format!("wanted the peaks of up to {} events, found {found}", from.events()).into());
        }
        Ok(FoundPeaks { rows: rows.to_vec(), events: events.to_vec() })
    }
}
