//! The parameters of `roi_statistics`.

use livetime_engine::{ParamEnum, Params};
use livetime_kernels::statistics::Basic;

/// How many regions a node has.
pub const REGIONS: usize = 8;

/// A command to the time series.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Control {
    /// Erases all points and takes new ones.
    #[default]
    #[pv("Erase/Start")]
    EraseStart,
    /// Takes points behind those that there are.
    Start,
    /// Takes no more points.
    Stop,
    /// Shows the points so far.
    Read,
    /// Erases all points.
    Erase,
}

/// Parameters of `roi_statistics`.
#[derive(Params)]
pub struct RoiStatisticsParams {
    /// Sets the results of all regions to 0; off again at once.
    #[param(pv = "ResetAll", role = Once, form = Setpoint)]
    pub reset_all: bool,
    /// What is done with the time series; the latest of what was asked for.
    #[param(default = Control::Stop, pv = "TSControl", form = Setpoint)]
    pub ts_control: Control,
    /// Shows the points so far, whichever number is written.
    #[param(default = 3, pv = "TSRead", form = Setpoint)]
    pub ts_read: i64,
    /// Points of the time series; another number erases them.
    #[param(default = 2048, min = 1, max = 100_000, pv = "TSNumPoints", form = Setpoint)]
    pub ts_num_points: usize,
    /// While points come, the series are shown after this time; areaDetector's `TSRead` is processed as often.
    #[param(default = 1.0, min = 0.01, max = 3600.0, unit = "s")]
    pub read_period: f64,
    /// Number of the next point.
    #[param(readback, pv = "TSCurrentPoint", form = Plain)]
    pub ts_current_point: usize,
    /// Whether points are taken.
    #[param(readback, pv = "TSAcquiring", form = Plain, words = ["Done", "Acquiring"])]
    pub ts_acquiring: bool,
    /// The regions.
    #[param(group = "region")]
    pub regions: [Region; REGIONS],
}

/// One region. The requested region is kept; parts outside of a frame are left out for this frame.
#[derive(Params)]
pub struct Region {
    /// Whether the region is looked at.
    #[param(pv = "Use")]
    pub enable: bool,
    /// A name for people.
    #[param(pv = "Name")]
    pub name: String,
    /// Sets the results to 0; off again at once.
    #[param(pv = "Reset", role = Once, words = ["Done Reset", "Reset"])]
    pub reset: bool,
    /// Width of the border whose mean is the background of `net`; 0: no background.
    #[param(min = 0, unit = "px", pv = "BgdWidth")]
    pub bgd_width: i64,
    /// First column.
    #[param(min = 0, unit = "px", pv = "MinX")]
    pub min_x: i64,
    /// First row.
    #[param(min = 0, unit = "px", pv = "MinY")]
    pub min_y: i64,
    /// Columns.
    #[param(default = 1, min = 1, unit = "px", pv = "SizeX")]
    pub size_x: i64,
    /// Rows.
    #[param(default = 1, min = 1, unit = "px", pv = "SizeY")]
    pub size_y: i64,
    /// First column in the latest frame.
    #[param(readback, unit = "px", pv = "MinX")]
    pub used_min_x: usize,
    /// First row in the latest frame.
    #[param(readback, unit = "px", pv = "MinY")]
    pub used_min_y: usize,
    /// Columns in the latest frame.
    #[param(readback, default = 1, unit = "px", pv = "SizeX")]
    pub used_size_x: usize,
    /// Rows in the latest frame.
    #[param(readback, default = 1, unit = "px", pv = "SizeY")]
    pub used_size_y: usize,
    /// Columns of the latest frame.
    #[param(readback, unit = "px", pv = "MaxSizeX")]
    pub max_size_x: usize,
    /// Rows of the latest frame; 0 of a line.
    #[param(readback, unit = "px", pv = "MaxSizeY")]
    pub max_size_y: usize,
    /// Smallest pixel.
    #[param(readback, pv = "MinValue")]
    pub min_value: f64,
    /// Largest pixel.
    #[param(readback, pv = "MaxValue")]
    pub max_value: f64,
    /// Mean of all pixels.
    #[param(readback, pv = "MeanValue")]
    pub mean_value: f64,
    /// Sum of all pixels.
    #[param(readback, pv = "Total")]
    pub total: f64,
    /// Total less the mean of the border times the number of pixels.
    #[param(readback, pv = "Net")]
    pub net: f64,
    /// Smallest pixel over time.
    #[param(readback, pv = "TSMinValue", form = Plain)]
    pub ts_min_value: Vec<f64>,
    /// Largest pixel over time.
    #[param(readback, pv = "TSMaxValue", form = Plain)]
    pub ts_max_value: Vec<f64>,
    /// Mean over time.
    #[param(readback, pv = "TSMeanValue", form = Plain)]
    pub ts_mean_value: Vec<f64>,
    /// Total over time.
    #[param(readback, pv = "TSTotal", form = Plain)]
    pub ts_total: Vec<f64>,
    /// Net over time.
    #[param(readback, pv = "TSNet", form = Plain)]
    pub ts_net: Vec<f64>,
    /// When the event of each point happened, since 1990.
    #[param(readback, unit = "s", pv = "TSTimestamp", form = Plain)]
    pub ts_timestamp: Vec<f64>,
}

/// A part of one dimension: first element, and how many.
pub(super) type Part = (usize, usize);

impl Region {
    /// The readback of the set-point `name` shows it until the next frame says what became of it: clients wait for that
    /// after a write, and frames may come much later.
    pub(super) fn show_wish(&mut self, name: &str) {
        let (readback, wish) = match name {
            "min_x" => (&mut self.used_min_x, self.min_x),
            "min_y" => (&mut self.used_min_y, self.min_y),
            "size_x" => (&mut self.used_size_x, self.size_x),
            "size_y" => (&mut self.used_size_y, self.size_y),
            _ => return,
        };
        *readback = usize::try_from(wish).unwrap_or(0);
    }

    /// Where the region lies in a frame of `width` columns and `height` rows, neither 0; published.
    pub(super) fn place(&mut self, width: usize, height: usize, is_line: bool) -> (Part, Part) {
        let part = |min: i64, size: i64, most: usize| {
            let first = usize::try_from(min).unwrap_or(0).min(most - 1);
            (first, usize::try_from(size).unwrap_or(1).clamp(1, most - first))
        };
        let (x, y) = (part(self.min_x, self.size_x, width), part(self.min_y, self.size_y, height));
        (self.used_min_x, self.used_size_x) = x;
        (self.max_size_x, self.max_size_y) = (width, if is_line { 0 } else { height });
        if !is_line {
            (self.used_min_y, self.used_size_y) = y;
        }
        (x, y)
    }

    pub(super) fn publish(&mut self, found: &Basic) {
        (self.min_value, self.max_value, self.mean_value) = (found.min, found.max, found.mean);
        (self.total, self.net) = (found.total, found.net);
    }

    pub(super) fn reset(&mut self) {
        self.reset = false;
        self.publish(&Basic::default());
    }

    /// The results, in the order of [`Region::lists`], without the time.
    pub(super) fn results(&self) -> [f64; 5] {
        [self.min_value, self.max_value, self.mean_value, self.total, self.net]
    }

    pub(super) fn lists(&mut self) -> [&mut Vec<f64>; 6] {
        let values = [&mut self.ts_min_value, &mut self.ts_max_value, &mut self.ts_mean_value];
        let [min, max, mean] = values;
        [min, max, mean, &mut self.ts_total, &mut self.ts_net, &mut self.ts_timestamp]
    }
}
