//! How often each value occurs.

use std::ops::Range;

use livetime_frame::{DType, with_dtype};
use livetime_kernels::accumulate::Element;

use crate::{Column, EventPictures, Layout, Loader, Named, ReduceError, Reducer, Saver};

/// Number of different values of 16 bits; each has a bin of its own.
const VALUES: usize = 1 << 16;
/// The default number of bins.
const BINS: usize = 1000;
/// Most counted pixels of a part, more than any real part has. The sum of many such parts stays below the overflow of a
/// `u64`.
const MOST_COUNTED: u64 = 1 << 50;

/// A histogram of the values of all pixels of all events.
///
/// - `histogram`: a table of the bins `from` (inclusive) to `to` (exclusive; the last bin has its end), `f64`, with the `count` of
///   pixels, `u64`. Bins before the first and behind the last count are left out.
/// - `histogram-below`, `histogram-above`, `histogram-nan`: pixels that are in no bin, if there are any.
///
/// Pixels of 8 and 16 bits have a bin for each value, unless bins are wanted.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Histogram {
    /// How many bins; 1000 without this.
    pub bins: Option<usize>,
    /// Lowest and highest value; without this the extremes of the first event that has values.
    pub range: Option<(f64, f64)>,
}

/// Counts, and how values become places.
pub struct Bins {
    plan: Plan,
    counts: Vec<u64>,
    below: u64,
    above: u64,
    nan: u64,
}

#[derive(Clone, Copy)]
enum Plan {
    /// A bin for each value; the number is the value of the first bin.
    Each(i32),
    /// Bins of equal width.
    Even { low: f64, high: f64 },
}

impl Histogram {
    fn plan(&self, layout: &Layout) -> (Plan, usize) {
        let is_short = layout.panels.iter().all(|p| p.dtype.bytes() <= 2);
        // Chosen bins or a chosen range need bins of equal width, also for short values.
        if is_short && *self == Histogram::default() {
            let is_signed = layout.panels.iter().any(|p| matches!(p.dtype, DType::I8 | DType::I16));
            // One table for all: signed and unsigned panels of a detector do not occur together.
            return (Plan::Each(if is_signed { i32::from(i16::MIN) } else { 0 }), VALUES);
        }
        // The first pictures give the range: a second pass over all events would double the time.
        let (low, high) = self.range.unwrap_or(layout.first_values);
        let (low, high) = match low < high {
            true => (low, high),
            // A range without width would divide by zero; one more makes a bin for the only value.
            false if low.is_finite() => (low, low + 1.0),
            // No picture had a finite value.
            false => (0.0, 1.0),
        };
        // At least one bin, so that a value has a place.
        (Plan::Even { low, high }, self.bins.unwrap_or(BINS).max(1))
    }
}

impl Reducer for Histogram {
    type Partial = Bins;

    fn partial(&self, layout: &Layout) -> Bins {
        let (plan, bins) = self.plan(layout);
        Bins { plan, counts: vec![0; bins], below: 0, above: 0, nan: 0 }
    }

    fn map(&self, bins: &mut Bins, event: &EventPictures<'_>) -> Result<(), ReduceError> {
        for picture in event.pictures() {
            with_dtype!(picture.panel.dtype, T => bins.add::<T>(picture.bytes));
        }
        Ok(())
    }

    fn merge(&self, bins: &mut Bins, next: &mut Bins) -> Result<(), ReduceError> {
        bins.counts.iter_mut().zip(&mut next.counts).for_each(|(sum, n)| *sum += std::mem::take(n));
        bins.below += std::mem::take(&mut next.below);
        bins.above += std::mem::take(&mut next.above);
        bins.nan += std::mem::take(&mut next.nan);
        Ok(())
    }

    fn memory(&self, layout: &Layout) -> u64 {
        self.plan(layout).1 as u64 * size_of::<u64>() as u64
    }

    fn finish(&self, _: &Layout, bins: Bins) -> Result<Vec<Named>, ReduceError> {
        // Bins without a count at both ends are left out: a value of 16 bits has 65,536 bins.
        let Range { start: first, end } = bins.used();
        let columns = vec![
            Column::new("from", (first..end).map(|i| bins.edge(i)).collect::<Vec<f64>>()),
            Column::new("to", (first..end).map(|i| bins.edge(i + 1)).collect::<Vec<f64>>()),
            Column::new("count", bins.counts[first..end].to_vec()),
        ];
        let mut results = vec![Named::table("histogram", columns)];
        let others =
            [("histogram-below", bins.below), ("histogram-above", bins.above), ("histogram-nan", bins.nan)];
        // A result that is 0 in nearly all runs would only lengthen the list.
        results.extend(others.iter().filter(|(_, n)| *n > 0).map(|(name, n)| Named::number(name, *n as f64)));
        Ok(results)
    }

    fn takes_any_order(&self, _: &Layout) -> bool {
        // Counts are whole numbers, so their order does not matter.
        true
    }

    fn describe(&self) -> String {
        let mut text = "histogram".to_owned();
        self.bins.iter().for_each(|bins| text += &format!(" bins={bins}"));
        self.range.iter().for_each(|(low, high)| text += &format!(" range={low}..{high}"));
        text
    }

    /// The counts from the first to the last that is not zero.
    fn save(&self, bins: &Bins, out: &mut Saver) -> Result<(), ReduceError> {
        // Only the used bins are saved, because most of a table of 65,536 is empty.
        let used = bins.used();
        out.number(used.start as u64);
        out.list(&bins.counts[used]);
        [bins.below, bins.above, bins.nan].into_iter().for_each(|count| out.number(count));
        Ok(())
    }

    fn load(&self, layout: &Layout, from: &mut Loader<'_>) -> Result<Bins, ReduceError> {
        let mut bins = self.partial(layout);
        // A partial result may come from elsewhere, so the place is checked before it is used.
        let start = from.size_at_most(bins.counts.len())?;
        let counts = from.list::<u64>()?;
        let known =
            bins.counts.get_mut(start..).and_then(|counts_there| counts_there.get_mut(..counts.len()));
        let known = known.ok_or("wanted no more counts than bins, found more")?;
        known.copy_from_slice(&counts);
        if counts.iter().any(|count| *count > MOST_COUNTED) {
            return Err(format!("wanted counts up to {MOST_COUNTED}, found a larger one").into());
        }
        for count in [&mut bins.below, &mut bins.above, &mut bins.nan] {
            *count = from.at_most(MOST_COUNTED)?;
        }
        Ok(bins)
    }
}

/// Pixels that are loaded at once, so that the compiler makes vectors of the conversion.
const GROUP: usize = 64;

impl Bins {
    /// From the first to the last bin with a count.
    fn used(&self) -> Range<usize> {
        let first = self.counts.iter().position(|n| *n > 0).unwrap_or(0);
        first..self.counts.iter().rposition(|n| *n > 0).map_or(first, |last| last + 1)
    }

    fn edge(&self, bin: usize) -> f64 {
        match self.plan {
            Plan::Each(first) => f64::from(first) + bin as f64,
            Plan::Even { low, high } => low + (high - low) * (bin as f64 / self.counts.len() as f64),
        }
    }

    fn add<T: Element>(&mut self, bytes: &[u8]) {
        let pixels = bytes.len() / size_of::<T>();
        for start in (0..pixels / GROUP * GROUP).step_by(GROUP) {
            T::load::<GROUP>(bytes, start).into_iter().for_each(|value| self.count(value));
        }
        // The last pixels fill no group.
        for i in pixels / GROUP * GROUP..pixels {
            T::load::<1>(bytes, i).into_iter().for_each(|value| self.count(value));
        }
    }

    #[inline]
    fn count<T: Element>(&mut self, value: T) {
        match self.plan {
            Plan::Each(first) => {
                // A negative difference becomes a place beyond all bins, and the value is not counted.
                let bin = value.cast::<i32>().wrapping_sub(first);
                if let Some(count) = self.counts.get_mut(bin as usize) {
                    *count += 1;
                }
            }
            Plan::Even { low, high } => self.count_even(value.to_f64(), low, high),
        }
    }

    fn count_even(&mut self, value: f64, low: f64, high: f64) {
        let bins = self.counts.len();
        match value {
            v if v.is_nan() => self.nan += 1,
            v if v < low => self.below += 1,
            v if v > high => self.above += 1,
            v => {
                let bin = ((v - low) / (high - low) * bins as f64) as usize;
                // The highest value of the range belongs to the last bin, and rounding may reach beyond it,
                // too.
                self.counts[bin.min(bins - 1)] += 1;
            }
        }
    }
}
