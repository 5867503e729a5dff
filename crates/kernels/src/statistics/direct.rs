//! Projections of 32-bit, 64-bit and floating-point pixels: everything added as `f64`.

use super::lanes::{fold, zip};
use super::projections::{Project, Projections};
use crate::Pixel;

/// Adds pixels as `f64`.
pub struct Direct;

/// Independent partial sums, so that the additions of neighbours need not wait for each other.
const LANES: usize = 16;

impl<T: Pixel> Project<T> for Direct {
    const MOMENT_OF_COLUMNS: bool = false;

    fn start(_: &mut Projections, _: usize, _: bool) {}

    #[inline(always)]
    fn add_all(sums: &mut Projections, _: usize, row: &[T]) {
        for (sum, &v) in sums.all_columns.iter_mut().zip(row) {
            *sum += v.to_f64();
        }
    }

    #[inline(always)]
    fn add_passing(sums: &mut Projections, y: usize, row: &[T], least: T) -> f64 {
        let (sum, moment) = project(row, &mut sums.columns, least);
        sums.moment[y] = moment;
        sum
    }

    fn finish(_: &mut Projections) {}
}

/// Adds the passing pixels to `columns`, and gives their Σv and Σ x·v.
///
/// Beside the sum `S += v` of each lane runs `T += S`. After `K` chunks `Σ k·v = K·S − T` over the
/// numbers `k` of the chunks: an addition where the plain way multiplies, adds and counts.
#[inline(always)]
fn project<T: Pixel>(row: &[T], columns: &mut [f64], least: T) -> (f64, f64) {
    let (mut sum, mut running) = ([0.0; LANES], [0.0; LANES]);
    let (chunks, tail) = row.as_chunks::<LANES>();
    let (column_chunks, column_tail) = columns.as_chunks_mut::<LANES>();
    for (chunk, column) in chunks.iter().zip(column_chunks) {
        let v = zip(chunk, &[0.0; LANES], |v, _| passing(v, least));
        *column = zip(&v, column, |v, column| column + v);
        sum = zip(&v, &sum, |v, sum| sum + v);
        running = zip(&sum, &running, |sum, running| running + sum);
    }
    let mut moment = [0.0; LANES];
    for lane in 0..LANES {
        let chunks = chunks.len() as f64 * sum[lane] - running[lane];
        moment[lane] = LANES as f64 * chunks + lane as f64 * sum[lane];
    }
    let (mut sum, mut moment) = (fold(sum, |a, b| a + b), fold(moment, |a, b| a + b));
    for (x, (&v, column)) in (chunks.len() * LANES..).zip(tail.iter().zip(column_tail)) {
        let v = passing(v, least);
        *column += v;
        sum += v;
        moment += x as f64 * v;
    }
    (sum, moment)
}

#[inline(always)]
fn passing<T: Pixel>(v: T, least: T) -> f64 {
    if v >= least { v.to_f64() } else { 0.0 }
}
