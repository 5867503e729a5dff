//! The input and output of a loop over a block of `u16`.

use super::super::projections::Projections;
use super::block_sums::ROWS;
use crate::Plane;

/// Strips of the column sums; see [`Projections`]. A strip has its even columns first.
pub(super) struct Strips<'a, const N: usize> {
    /// Empty when no projections are wanted.
    pub(super) sum: &'a mut [[f64; N]],
    pub(super) moment: &'a mut [[f64; N]],
    /// Empty when no averages are wanted.
    pub(super) all: &'a mut [[f64; N]],
}

/// The input of a kernel.
pub(super) struct Task<'a, const N: usize> {
    /// The strips of each row, at most [`ROWS`] rows.
    pub(super) rows: &'a [&'a [[u16; N]]],
    /// Pixels of at least this pass.
    pub(super) least: u16,
    /// Number of the row after the last.
    pub(super) end: f64,
}

/// The output of a kernel.
pub(super) struct Sums {
    pub(super) min: u16,
    pub(super) max: u16,
    /// Σ(v − 2¹⁵)².
    pub(super) squares: u64,
    /// Per row: Σv of all.
    pub(super) all: [u64; ROWS],
    /// Per row: Σv of the passing pixels.
    pub(super) passing: [u64; ROWS],
}

impl Sums {
    pub(super) const NONE: Sums =
        Sums { min: u16::MAX, max: 0, squares: 0, all: [0; ROWS], passing: [0; ROWS] };

    /// Takes in the columns from `from` on.
    #[inline(always)]
    pub(super) fn add_tail(
        &mut self,
        block: Plane<u16>,
        y: usize,
        least: u16,
        from: usize,
        to: &mut Projections,
    ) {
        for (i, row) in block.rows().enumerate().take(ROWS) {
            for (x, &v) in row.iter().enumerate().skip(from) {
                self.min = self.min.min(v);
                self.max = self.max.max(v);
                self.squares += u64::from(v.abs_diff(1 << 15)).pow(2);
                self.all[i] += u64::from(v);
                if let Some(all) = to.all_columns.get_mut(x) {
                    *all += f64::from(v);
                }
                if v >= least && x < to.columns.len() {
                    self.passing[i] += u64::from(v);
                    to.columns[x] += f64::from(v);
                    to.moment[x] += (y + i) as f64 * f64::from(v);
                }
            }
        }
    }
}
