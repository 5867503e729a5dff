//! Sums over columns and rows: all that centroid, moments and profiles are made of.
//!
//! For 8 and 16-bit pixels the column sums run in lanes twice as wide as the pixel for as many rows
//! as cannot overflow, then move on to wider sums. Beside the sum `S += v` runs `T += S`. After `K`
//! rows from row `y0` on, `Σ y·v = (y0 + K)·S − T`: the mixed moment costs one addition per pixel
//! and no multiplication. All other types are added as `f64`, with `Σ x·v` of each row beside.

use super::aligned::Aligned;
use super::narrow_sums::{Lanes, Middle};

/// Sums over columns and rows, and the working memory for them.
#[derive(Debug, Default)]
pub struct Projections {
    /// Per column: Σv over the pixels that reach the threshold.
    pub(super) columns: Aligned<f64>,
    /// Per row: the same.
    pub(super) rows: Aligned<f64>,
    /// Per column Σ y·v, or per row Σ x·v.
    pub(super) moment: Aligned<f64>,
    /// Which of the two: per column from loops over blocks and where [`Project::MOMENT_OF_COLUMNS`].
    pub(super) moment_of_columns: bool,
    /// Per column: Σv over all pixels.
    pub(super) all_columns: Aligned<f64>,
    /// Per row: the same.
    pub(super) all_rows: Aligned<f64>,
    pub(super) lanes8: Lanes<u16>,
    pub(super) lanes16: Lanes<u32>,
    pub(super) middle: Middle,
}

/// How the projections of a pixel type are summed.
pub trait Project<T> {
    /// Whether [`Projections::moment`] has one value per column (Σ y·v) or per row (Σ x·v).
    const MOMENT_OF_COLUMNS: bool;

    /// Readies the working memory.
    fn start(sums: &mut Projections, width: usize, averaging: bool);

    /// Adds row `y` to the sums over all pixels.
    fn add_all(sums: &mut Projections, y: usize, row: &[T]);

    /// Adds the pixels of row `y` that are at least `least`, and gives their sum.
    fn add_passing(sums: &mut Projections, y: usize, row: &[T], least: T) -> f64;

    /// Moves everything to the `f64` sums.
    fn finish(sums: &mut Projections);
}
