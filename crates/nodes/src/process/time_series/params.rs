//! The parameters of `time_series`.

use livetime_engine::{ParamEnum, Params};

/// Most signals of one node.
pub const MOST_SIGNALS: usize = 32;

/// The behaviour when all points are filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum AcquireMode {
    /// The acquisition ends.
    #[default]
    #[pv("Fixed length")]
    FixedLength,
    /// New points replace the oldest.
    #[pv("Circ. buffer")]
    CircularBuffer,
}

/// Parameters of `time_series`.
#[derive(Params)]
pub struct TimeSeriesParams {
    /// Whether points are taken; switching on begins anew.
    #[param(pv = "TSAcquire", role = Work, form = Setpoint, words = ["Done", "Acquire"])]
    pub acquire: bool,
    /// Shows the series and sends them now; off again at once.
    #[param(pv = "TSRead", role = Once, form = Setpoint, words = ["Done", "Read"])]
    pub read: bool,
    /// While points come, the series are shown and sent after this time; areaDetector's `TSRead` is processed as often.
    #[param(default = 1.0, min = 0.01, max = 3600.0, unit = "s")]
    pub read_period: f64,
    /// Number of points; another one begins anew.
    #[param(default = 2048, min = 1, max = 16_777_216, pv = "TSNumPoints", form = Setpoint)]
    pub num_points: usize,
    /// Time from one sample to the next; 0 when it is not known.
    #[param(min = 0.0, unit = "s", pv = "TSTimePerPoint", link)]
    pub time_per_point: f64,
    /// Time whose samples make one point, their mean; of samples whose time is not known each is a point.
    #[param(default = 0.1, min = 0.0, unit = "s", pv = "TSAveragingTime")]
    pub averaging_time: f64,
    /// What happens when all points are filled; another choice begins anew.
    #[param(pv = "TSAcquireMode")]
    pub acquire_mode: AcquireMode,
    /// Whether points are taken.
    #[param(readback, pv = "TSAcquiring", form = Plain, words = ["Done", "Acquiring"])]
    pub acquiring: bool,
    /// Number of the next point.
    #[param(readback, pv = "TSCurrentPoint", form = Plain)]
    pub current_point: usize,
    /// The averaging time, rounded to whole samples.
    #[param(readback, default = 0.1, unit = "s", pv = "TSAveragingTime")]
    pub averaging_time_used: f64,
    /// Samples that make one point.
    #[param(readback, default = 1, pv = "TSNumAverage", form = Plain)]
    pub num_average: usize,
    /// Time since the acquisition began.
    #[param(readback, unit = "s", pv = "TSElapsedTime", form = Plain)]
    pub elapsed_time: f64,
    /// When the event of each point happened, since 1990.
    #[param(readback, unit = "s", pv = "TSTimestamp", form = Plain)]
    pub timestamp: Vec<f64>,
    /// Time of each point since the first one, or, in a circular buffer, until the newest.
    #[param(readback, unit = "s", pv = "TSTimeAxis", form = Plain)]
    pub time_axis: Vec<f64>,
    /// The signals, in the order of the input.
    #[param(group = "signal")]
    pub signals: [Signal; MOST_SIGNALS],
}

/// One signal.
#[derive(Params)]
pub struct Signal {
    /// A name for people.
    #[param(pv = "Name")]
    pub name: String,
    /// Its points, oldest first.
    #[param(readback, pv = "TimeSeries", form = Plain)]
    pub time_series: Vec<f64>,
}

impl TimeSeriesParams {
    /// Derives the other readbacks from the times.
    pub(super) fn apply_times(&mut self) {
        let samples = (self.averaging_time / self.time_per_point).round();
        let is_known = self.time_per_point > 0.0;
        self.num_average = if is_known { (samples as usize).max(1) } else { 1 };
        let rounded = self.time_per_point * self.num_average as f64;
        self.averaging_time_used = if is_known { rounded } else { self.averaging_time };
        self.make_axis();
    }

    /// The time axis.
    pub(super) fn make_axis(&mut self) {
        let (points, step) = (self.num_points, self.averaging_time_used);
        let first = match self.acquire_mode {
            AcquireMode::FixedLength => 0.0,
            AcquireMode::CircularBuffer => points as f64 - 1.0,
        };
        self.time_axis.clear();
        self.time_axis.extend((0..points).map(|i| (i as f64 - first) * step));
    }
}
