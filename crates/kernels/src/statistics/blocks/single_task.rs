//! The input and output of a loop over a block of `f32`.

use super::super::projections::Projections;
use super::block_sums::ROWS;
use crate::Plane;

/// Pixels in a strip.
pub(super) const LANES: usize = 16;

/// Strips of the column sums; see [`Projections`].
pub(super) struct Strips<'a> {
    /// Empty when no projections are wanted.
    pub(super) sum: &'a mut [[f64; LANES]],
    pub(super) moment: &'a mut [[f64; LANES]],
    /// Empty when no averages are wanted.
    pub(super) all: &'a mut [[f64; LANES]],
}

/// The input of a kernel.
pub(super) struct Task<'a> {
    /// The strips of each row, at most [`ROWS`] rows.
    pub(super) rows: &'a [&'a [[f32; LANES]]],
    /// Pixels of at least this pass; none when it is NaN.
    pub(super) least: f32,
    /// Squares are of the distance to this.
    pub(super) pivot: f64,
    /// Number of the first row.
    pub(super) y: usize,
}

/// The output of a kernel.
pub(super) struct Sums {
    pub(super) min: f32,
    pub(super) max: f32,
    pub(super) squares: f64,
    /// Per row: Σv of all.
    pub(super) all: [f64; ROWS],
    /// Per row: Σv of the passing pixels.
    pub(super) passing: [f64; ROWS],
}

impl Sums {
    pub(super) const NONE: Sums = Sums {
        min: f32::INFINITY,
        max: f32::NEG_INFINITY,
        squares: 0.0,
        all: [0.0; ROWS],
        passing: [0.0; ROWS],
    };

    /// Takes in the columns from `from` on.
    #[inline(always)]
    pub(super) fn add_tail(&mut self, block: Plane<f32>, task: &Task, from: usize, to: &mut Projections) {
        for (i, row) in block.rows().enumerate().take(ROWS) {
            let y = (task.y + i) as f64;
            for (x, &v) in row.iter().enumerate().skip(from) {
                self.min = if v < self.min { v } else { self.min };
                self.max = if v > self.max { v } else { self.max };
                let (passing, v) = (v >= task.least, f64::from(v));
                self.squares += (v - task.pivot) * (v - task.pivot);
                self.all[i] += v;
                if let Some(all) = to.all_columns.get_mut(x) {
                    *all += v;
                }
                if passing && x < to.columns.len() {
                    self.passing[i] += v;
                    to.columns[x] += v;
                    to.moment[x] += y * v;
                }
            }
        }
    }
}
