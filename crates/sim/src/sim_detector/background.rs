//! Offset, noise, and the random numbers that make frames differ.

use livetime_engine::NodeError;
use livetime_kernels::{Level, Noise, Pixel, noise};

use super::params::SimDetectorParams;
use super::shape::zeros;

/// Random numbers from a seed.
pub(super) struct Dice(Noise);

impl Dice {
    pub(super) fn new(seed: u64) -> Dice {
        Dice(Noise::new(seed))
    }

    /// Uniform in `[0, 1)`.
    pub(super) fn unit(&mut self) -> f64 {
        let mut number = [0.0];
        noise(Level::best(), &mut self.0, 1.0, 0.0, &mut number);
        number[0]
    }

    /// Any number below `n`; 0 for 0.
    pub(super) fn below(&mut self, n: usize) -> usize {
        // A unit just below 1 may round up to `n`.
        ((self.unit() * n as f64) as usize).min(n.saturating_sub(1))
    }
}

/// A picture of offset and noise that is made once and then read from another place each time, a cheap way
/// to make frames differ; `None` without offset and noise.
pub(super) fn background<T: Pixel>(
    params: &SimDetectorParams,
    len: usize,
    dice: &mut Dice,
) -> Result<Option<Vec<T>>, NodeError> {
    // Integers lose an offset below 1 anyway.
    if params.noise == 0.0 && params.offset.abs() < 1.0 && (!T::FLOAT || params.offset == 0.0) {
        return Ok(None);
    }
    let mut picture = zeros(len)?;
    // As in areaDetector, an offset of whole numbers has no fraction.
    let offset = if T::FLOAT { params.offset } else { params.offset.trunc() };
    noise(Level::best(), &mut dice.0, params.noise, offset, &mut picture);
    Ok(Some(picture))
}
