//! The parameters of `fft`.

use livetime_engine::{NodeError, ParamEnum, Params};

use super::transform::{Sizes, Transform};
use crate::series::copy;

/// Which way is transformed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Direction {
    /// Samples over time become a spectrum.
    #[default]
    #[pv("Time to freq.")]
    TimeToFreq,
    /// Not offered; areaDetector has the choice and does nothing with it.
    #[pv("Freq. to time")]
    FreqToTime,
}

/// The meaning of a picture's rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Rows {
    /// One picture, with a spectrum of two dimensions.
    #[default]
    Together,
    /// Signals, each with a spectrum of its own.
    Each,
}

/// Parameters of `fft`.
#[derive(Params)]
pub struct FftParams {
    /// Time from one sample to the next.
    #[param(default = 1.0, min = 1e-12, unit = "s", pv = "FFTTimePerPoint", link)]
    pub time_per_point: f64,
    /// Which way is transformed; only `time_to_freq` is offered.
    #[param(pv = "FFTDirection")]
    pub direction: Direction,
    /// Whether the frequency 0 is set to 0.
    #[param(pv = "FFTSuppressDC", words = ["Disable", "Enable"])]
    pub suppress_dc: bool,
    /// Most spectra that are averaged; another number begins a new average.
    #[param(default = 1, min = 1, pv = "FFTNumAverage")]
    pub num_average: usize,
    /// The next frame begins a new average; off again then.
    #[param(pv = "FFTResetAverage", role = Once, form = Setpoint, words = ["Done", "Reset"])]
    pub reset_average: bool,
    /// A name for people.
    #[param(pv = "Name")]
    pub name: String,
    /// Whether sizes are filled up to powers of two, as areaDetector does.
    #[param(default = true)]
    pub power_of_two: bool,
    /// What the rows of a picture are.
    pub rows: Rows,
    /// Spectra in the average.
    #[param(readback, pv = "FFTNumAveraged", form = Plain)]
    pub num_averaged: usize,
    /// Times of the samples of a row.
    #[param(readback, unit = "s", pv = "FFTTimeAxis", form = Plain)]
    pub time_axis: Vec<f64>,
    /// Frequencies of a row.
    #[param(readback, unit = "Hz", pv = "FFTFreqAxis", form = Plain)]
    pub freq_axis: Vec<f64>,
    /// Samples of the first row, with the zeros behind them.
    #[param(readback, pv = "FFTTimeSeries", form = Plain)]
    pub time_series: Vec<f64>,
    /// Real part of the first row's transform, not divided.
    #[param(readback, pv = "FFTReal", form = Plain)]
    pub real: Vec<f64>,
    /// Imaginary part of it.
    #[param(readback, pv = "FFTImaginary", form = Plain)]
    pub imaginary: Vec<f64>,
    /// First row of the output.
    #[param(readback, pv = "FFTAbsValue", form = Plain)]
    pub abs_value: Vec<f64>,
}

impl FftParams {
    pub(super) fn check(&self) -> Result<(), NodeError> {
        match self.direction {
            Direction::TimeToFreq => Ok(()),
            Direction::FreqToTime => {
                Err(NodeError::new("wanted `time_to_freq`, the only direction there is"))
            }
        }
    }

    pub(super) fn publish(&mut self, transform: &Transform, sizes: Sizes, average: &[f64]) {
        let (samples, frequencies) = (sizes.columns, sizes.output().1);
        let axis = |to: &mut Vec<f64>, count: usize, step: f64| {
            to.clear();
            to.extend((0..count).map(|i| i as f64 * step));
        };
        axis(&mut self.time_axis, samples, self.time_per_point);
        axis(&mut self.freq_axis, frequencies, 1.0 / (samples as f64 * self.time_per_point));
        copy(&mut self.time_series, &[transform.first_row()]);
        copy(&mut self.real, &[transform.real()]);
        copy(&mut self.imaginary, &[transform.imaginary()]);
        copy(&mut self.abs_value, &[&average[..frequencies.min(average.len())]]);
    }
}
