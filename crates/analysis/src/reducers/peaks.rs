//! Peaks in pictures: spots of light above their surroundings, as a table.

mod find;

use std::fmt;
use std::str::FromStr;

use livetime_frame::with_dtype;
use livetime_kernels::accumulate::Element;

use crate::{Column, EventPictures, Layout, Loader, Named, Picture, ReduceError, Reducer, Saver};

/// Peaks of one event that are kept; the others are counted. A picture with more is no picture of spots.
const MOST_OF_EVENT: usize = 4096;

/// Peaks: connected pixels around a local maximum.
///
/// A pixel at or above `high` that is the largest within `rank` rows and columns (of equal ones the first) is the top of a peak. To the
/// peak belong the pixels at or above `low` that are connected with it, side by side, within that distance. Its background is the mean of the
/// pixels at a distance within `ring` that do not belong to it, and its noise their standard deviation. The method is that of psana's
/// `peakFinderV4r3` (droplets), whose documentation is the source.
///
/// - `peaks`: a table with a row for each peak: `event`, `time_ns`, `panel` (its number), `segment` (which picture of an array of several),
///   `row` and `column` of the top, `pixels`, all `u64`; `row_mean` and `column_mean` (weighted by what is above the background), `max`
///   and `sum` (both above the background), `background` and `noise`, `f64`.
/// - `peak-events`: a table with a row for each event that was used: `event`, `time_ns`, `peaks`, and `left_out` beyond 4096 of an event.
///
/// As text `low=20,high=50,rank=3,ring=4..6,pixels=2..40,snr=5`; only `high` is needed.
///
/// ```
/// use livetime_analysis::Peaks;
///
/// let peaks: Peaks = "high=50,rank=2".parse()?;
/// assert_eq!((peaks.low, peaks.rank, peaks.ring), (25.0, 2, (3.0, 5.0)));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Peaks {
    /// The least value of a pixel of a peak; by default half of `high`.
    pub low: f64,
    /// The least value of its top.
    pub high: f64,
    /// How far a peak reaches from its top, in rows and columns; by default 3.
    pub rank: usize,
    /// From and to which distance from the top its background is, in pixels; by default 2 wide from `rank + 1` on.
    pub ring: (f64, f64),
    /// How many pixels a peak has, at least and at most.
    pub pixels: (usize, usize),
    /// The least ratio of `sum` to `noise * sqrt(pixels)`.
    pub snr: f64,
}

/// A larger neighbourhood is no peak.
const MOST_RANK: usize = 64;

impl FromStr for Peaks {
    type Err = String;

    fn from_str(text: &str) -> Result<Peaks, String> {
        let refuse = || {
            format!(
                "wanted peaks as high=50 or low=20,high=50,rank=3,ring=4..6,pixels=2..40,snr=5, found `{text}`"
            )
        };
        let (mut high, mut low, mut rank, mut ring) = (None, None, 3, None);
        let (mut pixels, mut snr) = ((1, usize::MAX), 0.0);
        let number = |text: &str| text.parse::<f64>().ok().filter(|n| !n.is_nan()).ok_or_else(refuse);
        for part in text.split(',') {
            let (name, value) = part.trim().split_once('=').ok_or_else(refuse)?;
            let range = || value.split_once("..").ok_or_else(refuse);
            match name {
                "high" => high = Some(number(value)?),
                "low" => low = Some(number(value)?),
                "snr" => snr = number(value)?,
                "rank" => {
                    rank = value.parse().ok().filter(|n| (1..=MOST_RANK).contains(n)).ok_or_else(refuse)?
                }
                "ring" => ring = Some((number(range()?.0)?, number(range()?.1)?)),
                "pixels" => {
                    let (least, most) = range()?;
                    let most = if most.is_empty() { Ok(usize::MAX) } else { most.parse() };
                    pixels = (least.parse().map_err(|_| refuse())?, most.map_err(|_| refuse())?);
                }
                _ => return Err(refuse()),
            }
        }
        let high = high.ok_or_else(refuse)?;
        let (low, ring) = (low.unwrap_or(high / 2.0), ring.unwrap_or((rank as f64 + 1.0, rank as f64 + 3.0)));
        let is_ring = 0.0 <= ring.0 && ring.0 < ring.1 && ring.1 <= (4 * MOST_RANK) as f64;
        if low > high || !is_ring || pixels.0 > pixels.1 {
            return Err(refuse());
        }
        Ok(Peaks { low, high, rank, ring, pixels, snr })
    }
}

/// As it is parsed.
impl fmt::Display for Peaks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Peaks { low, high, rank, ring, pixels, snr } = self;
        write!(f, "low={low},high={high},rank={rank},ring={}..{}", ring.0, ring.1)?;
        match pixels.1 {
            usize::MAX => write!(f, ",pixels={}..,snr={snr}", pixels.0),
            most => write!(f, ",pixels={}..{most},snr={snr}", pixels.0),
        }
    }
}

/// Event, time, panel, segment, row, column, pixels, and the bits of row_mean, column_mean, max, sum, background, noise.
type Row = [u64; 13];

/// The peaks of some events, and event, time, peaks and peaks that were left out of each.
#[derive(Default)]
pub struct FoundPeaks {
    rows: Vec<Row>,
    events: Vec<[u64; 4]>,
}

impl Peaks {
    /// Adds the peaks of a panel. Returns how many there are.
    fn find(
        &self,
        event: &EventPictures<'_>,
        picture: &Picture<'_>,
        room: usize,
        rows: &mut Vec<Row>,
    ) -> usize {
        let values = with_dtype!(picture.panel.dtype, T => values::<T>(picture.bytes));
        let (height, width) = match picture.panel.shape[..] {
            [.., height, width] => (height, width),
            _ => (1, values.len()),
        };
        let mut count = 0;
        for (segment, plane) in values.chunks_exact((height * width).max(1)).enumerate() {
            find::peaks(self, plane, width, &mut |peak| {
                count += 1;
                if count <= room {
                    let place = [peak.row, peak.column, peak.pixels].map(|n| n as u64);
                    let numbers =
                        [peak.row_mean, peak.column_mean, peak.max, peak.sum, peak.background, peak.noise];
                    let [row_mean, column_mean, max, sum, background, noise] = numbers.map(f64::to_bits);
                    let [row, column, pixels] = place;
                    let (panel, segment) = (u64::from(picture.panel.number), segment as u64);
                    rows.push([
                        event.event as u64,
                        event.time_ns,
                        panel,
                        segment,
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
        }
        count
    }
}

/// As `f32`, in which pixels of up to 16 bits are exact.
fn values<T: Element>(bytes: &[u8]) -> Vec<f32> {
    (0..bytes.len() / size_of::<T>()).map(|i| T::load::<1>(bytes, i)[0].to_f64() as f32).collect()
}

impl Reducer for Peaks {
    type Partial = FoundPeaks;

    fn partial(&self, _: &Layout) -> FoundPeaks {
        FoundPeaks::default()
    }

    fn map(&self, found: &mut FoundPeaks, event: &EventPictures<'_>) -> Result<(), ReduceError> {
        let mut count = 0;
        for picture in event.pictures() {
            count += self.find(event, &picture, MOST_OF_EVENT.saturating_sub(count), &mut found.rows);
        }
        let left_out = count.saturating_sub(MOST_OF_EVENT);
        found.events.push([event.event as u64, event.time_ns, count as u64, left_out as u64]);
        Ok(())
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
        let is_too_long = events.len() as u64 > from.events() || rows.len() > events.len() * MOST_OF_EVENT;
        if !rest.is_empty() || !more.is_empty() || is_too_long {
            let found = format!("{} events and {} peaks", events.len(), rows.len());
            return Err(format!("wanted the peaks of up to {} events, found {found}", from.events()).into());
        }
        Ok(FoundPeaks { rows: rows.to_vec(), events: events.to_vec() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_and_written() {
        for text in [
            "low=20,high=50,rank=3,ring=4..6,pixels=2..40,snr=5",
            "low=-1.5,high=0,rank=1,ring=0..2,pixels=1..,snr=0",
        ] {
            assert_eq!(text.parse::<Peaks>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "low=3",
            "high=x",
            "high=nan",
            "high=5,low=6",
            "high=5,rank=0",
            "high=5,rank=99",
            "high=5,ring=3..3",
            "high=5,ring=3..1e9",
            "high=5,pixels=3..2",
            "high=5,x=1",
            "high",
        ] {
            assert!(text.parse::<Peaks>().is_err(), "{text}");
        }
    }
}
