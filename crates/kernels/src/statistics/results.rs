//! The results for a caller.

/// The statistics that were asked for; the others are `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Extremes and sums.
    pub basic: Option<Basic>,
    /// Position and shape of the pixels that reach the threshold.
    pub centroid: Option<Centroid>,
    /// The pixel at the cursor, 0 when the cursor is outside; there when profiles were wanted.
    pub cursor_value: Option<f64>,
    /// The histogram's counts outside its bins, and its entropy.
    pub histogram: Option<Histogram>,
}

/// Extremes and sums over all pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Basic {
    /// Smallest pixel; NaN when there is none but NaN.
    pub min: f64,
    /// Largest pixel; NaN when there is none but NaN.
    pub max: f64,
    /// Column of the first smallest pixel, row by row.
    pub min_x: usize,
    /// Row of the first smallest pixel.
    pub min_y: usize,
    /// Column of the first largest pixel, row by row.
    pub max_x: usize,
    /// Row of the first largest pixel.
    pub max_y: usize,
    /// Total divided by the number of pixels.
    pub mean: f64,
    /// Standard deviation of the population (divided by the number of pixels, not one less).
    pub sigma: f64,
    /// Sum of all pixels.
    pub total: f64,
    /// Total less the mean of the border times the number of pixels. An image of one row is a line
    /// with two ends: its border is those ends.
    pub net: f64,
}

/// Position and shape of the pixels that reach the threshold, each weighted with its value.
///
/// All is 0 when the sum of those pixels is not positive.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Centroid {
    /// Sum of the pixels that reach the threshold.
    pub total: f64,
    /// Mean column, from 0.
    pub x: f64,
    /// Mean row, from 0.
    pub y: f64,
    /// Standard deviation along a row, pixels.
    pub sigma_x: f64,
    /// Standard deviation along a column, pixels.
    pub sigma_y: f64,
    /// Correlation coefficient of column and row, -1 to 1; 0 when a width is 0.
    pub sigma_xy: f64,
    /// Skewness along a row; 0 when the width is 0.
    pub skew_x: f64,
    /// Skewness along a column; 0 when the width is 0.
    pub skew_y: f64,
    /// Kurtosis along a row less 3 (0 for a Gaussian); 0 when the width is 0.
    pub kurtosis_x: f64,
    /// Kurtosis along a column less 3 (0 for a Gaussian); 0 when the width is 0.
    pub kurtosis_y: f64,
    /// 0 for a round spot, 1 for a line.
    pub eccentricity: f64,
    /// Angle of the long axis from the row direction, degrees, -90 to 90, positive towards higher
    /// columns and rows.
    pub orientation: f64,
}

/// The part of a histogram that is not bins; those are in [`Scratch::counts`](super::Scratch::counts).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Histogram {
    /// Number of pixels below the range.
    pub below: u64,
    /// Number of pixels above the range.
    pub above: u64,
    /// Number of NaN pixels, which are in no bin and neither below nor above.
    pub nan: u64,
    /// −Σ c·ln c / N over the bins that are not empty, N being the number of pixels in the image.
    pub entropy: f64,
}

/// The eight profiles: `_x` has one value per column, `_y` one per row. Empty when not wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Profiles<'a> {
    /// Mean of each column.
    pub average_x: &'a [f64],
    /// Mean of each row.
    pub average_y: &'a [f64],
    /// As the average, with pixels below the threshold taken as 0.
    pub threshold_x: &'a [f64],
    /// As the average, with pixels below the threshold taken as 0.
    pub threshold_y: &'a [f64],
    /// The row of the image nearest to the centroid.
    pub centroid_x: &'a [f64],
    /// The column of the image nearest to the centroid.
    pub centroid_y: &'a [f64],
    /// The row of the image at the cursor; 0 when the cursor is outside.
    pub cursor_x: &'a [f64],
    /// The column of the image at the cursor; 0 when the cursor is outside.
    pub cursor_y: &'a [f64],
}
