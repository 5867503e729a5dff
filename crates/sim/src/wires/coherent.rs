//! Noise that the channels of a front-end board have in common.

use std::f64::consts::TAU;

use super::SimulationSetup;
use super::random::Stream;

/// Channels of a front-end board.
pub(super) const BOARD: usize = 128;
/// Frequencies that sound together.
const LINES: usize = 8;

/// The common noise of one board, tick after tick: sines of 10 to 50 kHz.
pub(super) struct Coherent {
    lines: [Line; LINES],
}

/// A sine, as a number in the complex plane that is turned by an angle each tick.
#[derive(Clone, Copy)]
struct Line {
    value: (f64, f64),
    turn: (f64, f64),
}

impl Coherent {
    pub(super) fn new(setup: &SimulationSetup, board: u64) -> Coherent {
        let numbers = Stream::Coherent.numbers(setup.seed, board);
        // A sine has half of its squared amplitude as variance, and the lines add up.
        let amplitude = f64::from(setup.coherent_rms) * (2.0 / LINES as f64).sqrt();
        let line = |i: usize| {
            let (sin, cos) = (TAU * numbers.uniform(2 * i)).sin_cos();
            let hz = 10e3 + 40e3 * numbers.uniform(2 * i + 1);
            let (turn_sin, turn_cos) = (TAU * hz * setup.tick_seconds()).sin_cos();
            Line { value: (amplitude * cos, amplitude * sin), turn: (turn_cos, turn_sin) }
        };
        Coherent { lines: std::array::from_fn(line) }
    }

    /// The value at the next tick, counts.
    pub(super) fn next(&mut self) -> f32 {
        let mut sum = 0.0;
        for Line { value: (re, im), turn: (cos, sin) } in &mut self.lines {
            sum += *im;
            // A product of complex numbers turns the sine on without computing one.
            (*re, *im) = (*re * *cos - *im * *sin, *re * *sin + *im * *cos);
        }
        sum as f32
    }
}
