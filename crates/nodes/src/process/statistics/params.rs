//! The parameters of `statistics`.

use livetime_engine::Params;
use livetime_kernels::statistics::{Cursor, HistogramRange, Quirks, Wanted};

/// Parameters of `statistics`. Readbacks of a group that is switched off keep their latest values. A result may be written
/// over, which lasts until the next frame.
#[derive(Params)]
pub struct StatisticsParams {
    /// Whether extremes and sums are made.
    #[param(default = true, pv = "ComputeStatistics")]
    pub compute_statistics: bool,
    /// Whether centroid and shape are made; not for RGB and stacks.
    #[param(pv = "ComputeCentroid")]
    pub compute_centroid: bool,
    /// Whether profiles are made; not for RGB and stacks.
    #[param(pv = "ComputeProfiles")]
    pub compute_profiles: bool,
    /// Whether the histogram is made.
    #[param(pv = "ComputeHistogram")]
    pub compute_histogram: bool,
    /// Width of the border whose mean is the background of `net`; 0: no background.
    #[param(default = 1, min = 0, unit = "px", pv = "BgdWidth")]
    pub bgd_width: i64,
    /// Pixels of at least this value make the centroid and the threshold profiles.
    #[param(default = 1.0, pv = "CentroidThreshold")]
    pub centroid_threshold: f64,
    /// Column of the cursor, from 0; outside of the image it stands for the nearest one.
    #[param(min = 0, unit = "px", pv = "CursorX")]
    pub cursor_x: i64,
    /// Row of the cursor, from 0; outside of the image it stands for the nearest one.
    #[param(min = 0, unit = "px", pv = "CursorY")]
    pub cursor_y: i64,
    /// Number of bins of the histogram.
    #[param(default = 256, min = 1, max = 16_777_216, pv = "HistSize")]
    pub hist_size: i64,
    /// Centre of the first bin.
    #[param(default = 0.0, pv = "HistMin")]
    pub hist_min: f64,
    /// Centre of the last bin; taken as `hist_min` + 1 when not above `hist_min`.
    #[param(default = 255.0, pv = "HistMax")]
    pub hist_max: f64,
    /// Sets the results of extremes, sums, centroid and shape to 0; off again at once.
    #[param(pv = "Reset", role = Once, words = ["Done Reset", "Reset"])]
    pub reset: bool,
    /// Whether corner pixels count twice in the background, as in areaDetector. Not for RGB and stacks.
    pub corners_twice: bool,
    /// Whether the eccentricity has areaDetector's sign: minus where the definition has plus.
    pub eccentricity_minus: bool,
    /// Whether `histogram_x` holds areaDetector's values, which are not the centres of the bins.
    pub axis_of_edges: bool,
    /// Smallest pixel; NaN when there is none but NaN.
    #[param(readback, pv = "MinValue", form = Result)]
    pub min_value: f64,
    /// Column of the first smallest pixel.
    #[param(readback, unit = "px", pv = "MinX", form = Result)]
    pub min_x: f64,
    /// Row of the first smallest pixel.
    #[param(readback, unit = "px", pv = "MinY", form = Result)]
    pub min_y: f64,
    /// Largest pixel; NaN when there is none but NaN.
    #[param(readback, pv = "MaxValue", form = Result)]
    pub max_value: f64,
    /// Column of the first largest pixel.
    #[param(readback, unit = "px", pv = "MaxX", form = Result)]
    pub max_x: f64,
    /// Row of the first largest pixel.
    #[param(readback, unit = "px", pv = "MaxY", form = Result)]
    pub max_y: f64,
    /// Mean of all elements.
    #[param(readback, pv = "MeanValue", form = Result)]
    pub mean_value: f64,
    /// Standard deviation of all elements (of the population).
    #[param(readback, pv = "Sigma", form = Result, setpoint = "SigmaValue")]
    pub sigma: f64,
    /// Sum of all elements.
    #[param(readback, pv = "Total", form = Result)]
    pub total: f64,
    /// Total less the mean of the border times the number of elements.
    #[param(readback, pv = "Net", form = Result)]
    pub net: f64,
    /// Sum of the pixels that reach the threshold.
    #[param(readback, pv = "CentroidTotal", form = Result)]
    pub centroid_total: f64,
    /// Mean column, from 0.
    #[param(readback, unit = "px", pv = "CentroidX", form = Result)]
    pub centroid_x: f64,
    /// Mean row, from 0.
    #[param(readback, unit = "px", pv = "CentroidY", form = Result)]
    pub centroid_y: f64,
    /// Standard deviation along a row.
    #[param(readback, unit = "px", pv = "SigmaX", form = Result)]
    pub sigma_x: f64,
    /// Standard deviation along a column.
    #[param(readback, unit = "px", pv = "SigmaY", form = Result)]
    pub sigma_y: f64,
    /// Correlation coefficient of column and row, -1 to 1.
    #[param(readback, pv = "SigmaXY", form = Result)]
    pub sigma_xy: f64,
    /// Skewness along a row.
    #[param(readback, pv = "SkewX", form = Result)]
    pub skew_x: f64,
    /// Skewness along a column.
    #[param(readback, pv = "SkewY", form = Result)]
    pub skew_y: f64,
    /// Kurtosis along a row less 3.
    #[param(readback, pv = "KurtosisX", form = Result)]
    pub kurtosis_x: f64,
    /// Kurtosis along a column less 3.
    #[param(readback, pv = "KurtosisY", form = Result)]
    pub kurtosis_y: f64,
    /// 0 for a round spot, 1 for a line.
    #[param(readback, pv = "Eccentricity", form = Result)]
    pub eccentricity: f64,
    /// Angle of the long axis from the row direction.
    #[param(readback, unit = "deg", pv = "Orientation", form = Result)]
    pub orientation: f64,
    /// Length of the profiles along x.
    #[param(readback, unit = "px", pv = "ProfileSizeX")]
    pub profile_size_x: usize,
    /// Length of the profiles along y.
    #[param(readback, unit = "px", pv = "ProfileSizeY")]
    pub profile_size_y: usize,
    /// Mean of each column.
    #[param(readback, pv = "ProfileAverageX")]
    pub profile_average_x: Vec<f64>,
    /// Mean of each row.
    #[param(readback, pv = "ProfileAverageY")]
    pub profile_average_y: Vec<f64>,
    /// Mean of each column, with pixels below the threshold taken as 0.
    #[param(readback, pv = "ProfileThresholdX")]
    pub profile_threshold_x: Vec<f64>,
    /// Mean of each row, with pixels below the threshold taken as 0.
    #[param(readback, pv = "ProfileThresholdY")]
    pub profile_threshold_y: Vec<f64>,
    /// The row nearest to the centroid.
    #[param(readback, pv = "ProfileCentroidX")]
    pub profile_centroid_x: Vec<f64>,
    /// The column nearest to the centroid.
    #[param(readback, pv = "ProfileCentroidY")]
    pub profile_centroid_y: Vec<f64>,
    /// The row at the cursor.
    #[param(readback, pv = "ProfileCursorX")]
    pub profile_cursor_x: Vec<f64>,
    /// The column at the cursor.
    #[param(readback, pv = "ProfileCursorY")]
    pub profile_cursor_y: Vec<f64>,
    /// The pixel at the cursor. Made with the profiles.
    #[param(readback, pv = "CursorVal", form = Plain)]
    pub cursor_val: f64,
    /// Pixels in each bin.
    #[param(readback, pv = "Histogram")]
    pub histogram: Vec<f64>,
    /// The pixel value at the centre of each bin.
    #[param(readback, pv = "HistogramX")]
    pub histogram_x: Vec<f64>,
    /// Pixels below `hist_min`.
    #[param(readback, pv = "HistBelow", form = Result)]
    pub hist_below: u64,
    /// Pixels above `hist_max`.
    #[param(readback, pv = "HistAbove", form = Result)]
    pub hist_above: u64,
    /// Pixels that are NaN, which are in no bin and neither below nor above.
    #[param(readback)]
    pub hist_nan: u64,
    /// -sum of c * ln(c) over the bins, divided by the number of pixels.
    #[param(readback, pv = "HistEntropy", form = Result)]
    pub hist_entropy: f64,
}

impl StatisticsParams {
    /// The results that the kernel computes for arrays with `dimensions` dimensions; an array with at most two has one
    /// colour.
    pub(super) fn wanted(&self, dimensions: usize) -> Wanted {
        let is_plane = dimensions <= 2;
        let place = |v: i64| usize::try_from(v).unwrap_or(0);
        let cursor = Cursor { x: place(self.cursor_x), y: place(self.cursor_y) };
        let range =
            HistogramRange { min: self.hist_min, max: self.hist_max, bins: place(self.hist_size).max(1) };
        Wanted {
            basic: self.compute_statistics,
            // The border of several planes or colours is looked at by itself.
            background_width: if is_plane { place(self.bgd_width) } else { 0 },
            is_line: dimensions < 2,
            centroid: self.compute_centroid && is_plane,
            threshold: self.centroid_threshold,
            profiles: (self.compute_profiles && is_plane).then_some(cursor),
            histogram: self.compute_histogram.then_some(range),
            quirks: Quirks {
                corners_twice: self.corners_twice,
                eccentricity_minus: self.eccentricity_minus,
                axis_of_edges: self.axis_of_edges,
            },
        }
    }
}
