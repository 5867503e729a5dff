//! Waves along x and y.

use std::f64::consts::TAU;

use livetime_engine::NodeError;
use livetime_kernels::{Level, Pixel, add_sine};

use super::params::{SimDetectorParams, SineOperation};
use super::shape::{Shape, zeros};

/// The waves of both axes.
pub(super) struct Sine {
    shape: Shape,
    gain: f64,
    gains: [f64; 3],
    x: Axis,
    y: Axis,
}

/// Two waves along an axis, which run on from picture to picture.
struct Axis {
    waves: [Wave; 2],
    operation: SineOperation,
    gain: f64,
    /// Pixels passed so far.
    passed: u64,
    values: [Vec<f64>; 2],
    zeros: Vec<f64>,
}

struct Wave {
    amplitude: f64,
    /// Periods in the length of the axis.
    frequency: f64,
    phase_deg: f64,
}

impl Sine {
    pub(super) fn new(p: &SimDetectorParams, shape: Shape, gains: [f64; 3]) -> Result<Sine, NodeError> {
        let wave = |amplitude, frequency, phase_deg| Wave { amplitude, frequency, phase_deg };
        let x = [
            wave(p.x_sine1_amplitude, p.x_sine1_frequency, p.x_sine1_phase),
            wave(p.x_sine2_amplitude, p.x_sine2_frequency, p.x_sine2_phase),
        ];
        let y = [
            wave(p.y_sine1_amplitude, p.y_sine1_frequency, p.y_sine1_phase),
            wave(p.y_sine2_amplitude, p.y_sine2_frequency, p.y_sine2_phase),
        ];
        let x = Axis::new(x, p.x_sine_operation, p.gain_x, shape.width)?;
        let y = Axis::new(y, p.y_sine_operation, p.gain_y, shape.height)?;
        Ok(Sine { shape, gain: p.gain, gains, x, y })
    }

    /// Adds the next picture to `out`: in mono all waves, in colour x1 to red, y1 to green, the mean of x2
    /// and y2 to blue.
    pub(super) fn draw<T: Pixel>(&mut self, out: &mut [T]) -> Result<(), NodeError> {
        self.x.advance();
        self.y.advance();
        if !self.shape.color.is_rgb() {
            self.x.join();
            self.y.join();
            return self.add(out, 0, self.gain, &self.x.values[0], &self.y.values[0]);
        }
        let gains = self.gains.map(|gain| gain * self.gain);
        self.add(out, 0, gains[0], &self.x.values[0], &self.y.zeros)?;
        self.add(out, 1, gains[1], &self.x.zeros, &self.y.values[0])?;
        self.add(out, 2, gains[2] / 2.0, &self.x.values[1], &self.y.values[1])
    }

    fn add<T: Pixel>(
        &self,
        out: &mut [T],
        color: usize,
        gain: f64,
        x: &[f64],
        y: &[f64],
    ) -> Result<(), NodeError> {
        let canvas = self.shape.canvas(out, color)?;
        add_sine(Level::best(), canvas, gain, x, y).map_err(NodeError::new)
    }
}

impl Axis {
    fn new(waves: [Wave; 2], operation: SineOperation, gain: f64, len: usize) -> Result<Axis, NodeError> {
        let values = [zeros(len)?, zeros(len)?];
        Ok(Axis { waves, operation, gain, passed: 0, values, zeros: zeros(len)? })
    }

    /// Compiled once, not into the picture of each element type.
    #[inline(never)]
    fn advance(&mut self) {
        let (passed, len) = (self.passed, self.zeros.len());
        for (wave, values) in self.waves.iter().zip(&mut self.values) {
            for (i, value) in values.iter_mut().enumerate() {
                // Counted over all pictures, so that a wave goes on in the next one.
                let time = (passed + i as u64) as f64 * self.gain / len as f64;
                *value = wave.amplitude * (TAU * (time * wave.frequency + wave.phase_deg / 360.0)).sin();
            }
        }
        self.passed += len as u64;
    }

    /// Joins the second wave to the first.
    #[inline(never)]
    fn join(&mut self) {
        let [first, second] = &mut self.values;
        for (a, b) in first.iter_mut().zip(second) {
            *a = match self.operation {
                SineOperation::Add => *a + *b,
                SineOperation::Multiply => *a * *b,
            };
        }
    }
}
