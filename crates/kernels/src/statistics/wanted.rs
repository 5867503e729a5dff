//! The statistics that a caller may ask for.

/// Which statistics to compute, and how. The default asks for nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wanted {
    /// Minimum, maximum, mean, sigma, total and net.
    pub basic: bool,
    /// Width in pixels of the border whose mean is the background of
    /// [`Basic::net`](super::Basic::net); 0: no background.
    pub background_width: usize,
    /// The array has one dimension: it has ends, but no row above and below, whatever the quirks are.
    pub is_line: bool,
    /// Centroid, widths, skewness, kurtosis, eccentricity and orientation.
    pub centroid: bool,
    /// Pixels of at least this value make the centroid and the threshold profiles. With NaN no
    /// pixel does.
    pub threshold: f64,
    /// All eight profiles, and the cursor they are taken at.
    pub profiles: Option<Cursor>,
    /// The histogram.
    pub histogram: Option<HistogramRange>,
    /// Which known faults of `NDPluginStats` to repeat.
    pub quirks: Quirks,
}

/// A pixel of the image: column and row, from 0. Outside of the image it stands for the nearest column and row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Column.
    pub x: usize,
    /// Row.
    pub y: usize,
}

/// The range and number of bins of a histogram.
///
/// A pixel `v` with `min ≤ v ≤ max` falls into bin `⌊(v − min)·(bins − 1)/(max − min) + ½⌋`: the
/// first bin is centred at `min`, the last at `max`, and both are half as wide as the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HistogramRange {
    /// Centre of the first bin; taken as 0 when not finite.
    pub min: f64,
    /// Centre of the last bin; taken as `min + 1` when not finite or not above `min`.
    pub max: f64,
    /// Number of bins, limited to 1 to [`HistogramRange::MOST_BINS`].
    pub bins: usize,
}

impl HistogramRange {
    /// The largest number of bins; more are cut to this.
    pub const MOST_BINS: usize = 1 << 24;

    /// The range with the limits above applied.
    pub(super) fn limited(self) -> HistogramRange {
        let min = if self.min.is_finite() { self.min } else { 0.0 };
        // At large numbers `min + 1` is `min` again.
        let above = (min + 1.0).max(min.next_up()).min(f64::MAX);
        let max = if self.max.is_finite() && self.max > min { self.max } else { above };
        HistogramRange { min, max, bins: self.bins.clamp(1, HistogramRange::MOST_BINS) }
    }
}

/// Known faults of `NDPluginStats` that can be repeated for comparison. The default repeats none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quirks {
    /// The background is the mean over four border slabs that overlap in the corners, so corner pixels count twice; an image of one
    /// row is all of its upper and of its lower slab. Otherwise each border pixel counts once, and a single row has two ends.
    pub corners_twice: bool,
    /// The eccentricity subtracts 4μ11² where the definition adds it.
    pub eccentricity_minus: bool,
    /// The histogram axis is `min + i·(max − min)/bins`. Otherwise it holds the centres of the bins.
    pub axis_of_edges: bool,
}

impl Quirks {
    /// All of them: the numbers that `NDPluginStats` gives.
    pub const AREA_DETECTOR: Quirks =
        Quirks { corners_twice: true, eccentricity_minus: true, axis_of_edges: true };
}
