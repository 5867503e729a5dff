//! Pulses: the truth, and their shape.

use std::f64::consts::{E, TAU};

/// Where a pulse comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Origin {
    /// A test pulse.
    Test,
    /// A decay of ³⁹Ar.
    Argon,
    /// A cosmic track.
    Track,
}

/// A pulse that was put into the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TruePulse {
    /// Link.
    pub link: u16,
    /// Channel in the frame.
    pub channel: u16,
    /// Middle, ticks from the begin of the loop.
    pub centre: f64,
    /// Highest value, counts.
    pub peak: f32,
    /// Standard deviation of the Gaussian, ticks.
    pub width: f32,
    /// The derivative of the Gaussian, down then up; else the Gaussian.
    pub bipolar: bool,
    /// Where it comes from.
    pub origin: Origin,
}

/// A pulse is drawn this many standard deviations to either side.
const REACH: f64 = 4.5;

impl TruePulse {
    /// When it is highest, ticks from the begin of the loop; of a bipolar pulse near its end this may be later.
    pub fn time_peak(&self) -> f64 {
        self.centre + if self.bipolar { f64::from(self.width) } else { 0.0 }
    }

    /// Sum of its positive side, counts · ticks.
    pub fn charge(&self) -> f64 {
        let height = f64::from(self.peak) * f64::from(self.width);
        // The integral of the shape over its positive side.
        height * if self.bipolar { E.sqrt() } else { TAU.sqrt() }
    }

    /// Its value at a tick, counts.
    pub fn at(&self, tick: f64) -> f32 {
        let x = (tick - self.centre) / f64::from(self.width);
        let shape = match self.bipolar {
            false => (-0.5 * x * x).exp(),
            // 1 at x = 1, where it is highest.
            true => x * (0.5 - 0.5 * x * x).exp(),
        };
        self.peak * shape as f32
    }

    /// First tick at which it is drawn.
    pub(super) fn begin(&self) -> f64 {
        (self.centre - REACH * f64::from(self.width)).ceil()
    }

    /// End of the ticks at which it is drawn.
    pub(super) fn end(&self) -> f64 {
        (self.centre + REACH * f64::from(self.width)).floor() + 1.0
    }
}
