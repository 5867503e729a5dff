//! Which statistics of pixels are wanted.

/// Statistics of each pixel over all events.
///
/// - `mean`, `std`: `f64`, in the units of the pixels. `std` is √(Σ(v − mean)²/n), as numpy's default.
/// - `min`, `max`: of the pixels' type. NaN is passed over; a pixel without a number is NaN.
/// - `sum`: `i64` for integers of up to 32 bits, else `f64`.
/// - `projection-x`, `projection-y`: `f64`, mean of `mean` over the rows (a value for each column) and over the columns (a
///   value for each row) of each panel; of arrays with two axes or more.
///
/// Integers of up to 32 bits are summed exactly, everything else as `f64` about the pixel's first value. A panel that is missing in
/// some events has a smaller n; a pixel without an event is NaN, its `min` and `max` are 0.
///
/// Arrays with one axis, as waveforms, may have another length in each event: a short one contributes to the first elements, and the
/// results are as long as the longest. For these there are also
///
/// - `n`: `u64`, how many events have each element;
/// - `all-count`, and as wanted `all-mean`, `all-std`, `all-min`, `all-max`, `all-sum`: of all elements of all events together.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PixelStatistics {
    /// `mean` is wanted.
    pub mean: bool,
    /// `std` is wanted.
    pub std: bool,
    /// `min` is wanted.
    pub min: bool,
    /// `max` is wanted.
    pub max: bool,
    /// `sum` is wanted.
    pub sum: bool,
    /// `projection-x` and `projection-y` are wanted.
    pub projection: bool,
}

impl PixelStatistics {
    /// All of them.
    pub fn all() -> PixelStatistics {
        PixelStatistics { mean: true, std: true, min: true, max: true, sum: true, projection: true }
    }

    /// Whether any is wanted.
    pub fn is_any(&self) -> bool {
        *self != PixelStatistics::default()
    }

    /// The wanted statistics, by name.
    pub(super) fn names(&self) -> [(bool, &'static str); 6] {
        let mut copy = *self;
        copy.names_mut().map(|(is_wanted, name)| (*is_wanted, name))
    }

    /// The names with their switches, to be changed.
    pub(super) fn names_mut(&mut self) -> [(&mut bool, &'static str); 6] {
        [
            (&mut self.mean, "mean"),
            (&mut self.std, "std"),
            (&mut self.min, "min"),
            (&mut self.max, "max"),
            (&mut self.sum, "sum"),
            (&mut self.projection, "projection"),
        ]
    }

    pub(super) fn needs_sums(&self) -> bool {
        self.mean || self.std || self.sum || self.projection
    }

    pub(super) fn needs_extremes(&self) -> bool {
        self.min || self.max
    }
}
