//! Blocks of `f32`.

use super::super::projections::Projections;
use super::super::sums::PivotSums;
use super::{Blocks, Columns, Found, ROWS};
use crate::level::LevelKind;
use crate::{Level, Plane};

/// The loops over blocks of `f32`.
pub struct Singles;

/// Pixels in a strip.
const LANES: usize = 16;

/// Strips of the column sums; see [`Projections`].
pub(super) struct Strips<'a> {
    /// Empty when no projections are wanted.
    pub(super) sum: &'a mut [[f64; LANES]],
    pub(super) moment: &'a mut [[f64; LANES]],
    /// Empty when no averages are wanted.
    pub(super) all: &'a mut [[f64; LANES]],
}

/// What a kernel takes.
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

/// What a kernel finds.
pub(super) struct Sums {
    pub(super) min: f32,
    pub(super) max: f32,
    pub(super) squares: f64,
    /// Per row: Σv of all.
    pub(super) all: [f64; ROWS],
    /// Per row: Σv of what passes.
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
    fn add_tail(&mut self, block: Plane<f32>, task: &Task, from: usize, to: &mut Projections) {
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

impl Blocks<f32> for Singles {
    fn exist(level: Level) -> bool {
        !matches!(level.kind(), LevelKind::Portable | LevelKind::Avx2)
    }

    fn start(_: Level, _: &mut Columns, _: usize, _: Option<f32>) {}

    #[inline(always)]
    fn add(
        level: Level,
        y: usize,
        block: Plane<f32>,
        least: Option<f32>,
        sums: &mut PivotSums,
        _: &mut Columns,
        to: &mut Projections,
    ) -> Found<f32> {
        let count = block.height().min(ROWS);
        let rows: [&[[f32; LANES]]; ROWS] =
            std::array::from_fn(|y| if y < count { block.row(y).as_chunks().0 } else { &[] });
        let pivot = if count > 0 { sums.pivot(block.row(0)) } else { 0.0 };
        let task = Task { rows: &rows[..count], least: least.unwrap_or(f32::NAN), pivot, y };
        let [sum, moment, all] =
            [&mut to.columns, &mut to.moment, &mut to.all_columns].map(|sums| sums.as_chunks_mut().0);
        let columns = Strips { sum, moment, all };
        let mut found = match level.kind() {
            // SAFETY: a `Level` of this kind is only made where detection found the features.
            #[cfg(target_arch = "x86_64")]
            LevelKind::Avx512 => unsafe { super::singles_avx512::add(&task, columns) },
            _ => Sums::NONE,
        };
        found.add_tail(block, &task, block.width() / LANES * LANES, to);
        sums.add_about_pivot(block.len(), found.all.iter().sum(), found.squares);
        Found { min: found.min, max: found.max, all: found.all, passing: found.passing }
    }

    fn finish(_: &mut Columns, _: &mut Projections) {}
}
