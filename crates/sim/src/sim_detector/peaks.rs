//! The grid of peaks.

use livetime_engine::NodeError;
use livetime_kernels::{Level, Pixel, Plane, add_stamp, peak_size, peak_stamp};

use super::background::Dice;
use super::params::SimDetectorParams;
use super::shape::{Shape, zeros};

/// One peak, and where it is put.
pub(super) struct Peaks<T> {
    shape: Shape,
    gains: [f64; 3],
    stamp: Vec<T>,
    stamp_size: (usize, usize),
    start: (i32, i32),
    step: (i32, i32),
    number: (u32, u32),
    variation: f64,
}

impl<T: Pixel> Peaks<T> {
    pub(super) fn new(p: &SimDetectorParams, shape: Shape, gains: [f64; 3]) -> Result<Self, NodeError> {
        let (width, height) =
            (peak_size(p.peak_width_x, shape.width), peak_size(p.peak_width_y, shape.height));
        let mut stamp = zeros(width * height)?;
        peak_stamp(p.gain, p.peak_width_x as f64, p.peak_width_y as f64, width, &mut stamp)
            .map_err(NodeError::new)?;
        Ok(Peaks {
            shape,
            gains,
            stamp,
            stamp_size: (width, height),
            start: (p.peak_start_x, p.peak_start_y),
            step: (p.peak_step_x, p.peak_step_y),
            number: (p.peak_num_x, p.peak_num_y),
            variation: p.peak_variation,
        })
    }

    /// True when every picture is the same.
    pub(super) fn is_still(&self) -> bool {
        self.variation == 0.0
    }

    /// Adds the peaks to `out`; each has a height of its own in each picture, the same in all colours.
    pub(super) fn draw(&self, dice: &mut Dice, out: &mut [T]) -> Result<(), NodeError> {
        // Signed: a peak may begin above the picture or left of it.
        let at = |start: i32, step: i32, i: u32| start as isize + i as isize * step as isize;
        for row in 0..self.number.1 {
            for column in 0..self.number.0 {
                let height = match self.is_still() {
                    true => 1.0,
                    // The variation is the whole width: half of it to either side.
                    false => 1.0 + self.variation / 100.0 * (dice.unit() - 0.5),
                };
                let x = at(self.start.0, self.step.0, column);
                self.draw_one(x, at(self.start.1, self.step.1, row), height, out)?;
            }
        }
        Ok(())
    }

    fn draw_one(&self, x: isize, y: isize, height: f64, out: &mut [T]) -> Result<(), NodeError> {
        let (width, rows) = self.stamp_size;
        let stamp = Plane::packed(&self.stamp, width, rows).map_err(NodeError::new)?;
        for color in 0..self.shape.colors() {
            let mut canvas = self.shape.canvas(out, color)?;
            add_stamp(Level::best(), &mut canvas, stamp, x, y, height * self.gains[color]);
        }
        Ok(())
    }
}
