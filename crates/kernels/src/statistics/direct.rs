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

/// Adds what passes to `columns`, and gives Σv and Σ x·v of it.
#[inline(always)]
fn project<T: Pixel>(row: &[T], columns: &mut [f64], least: T) -> (f64, f64) {
    let (mut sum, mut moment) = ([0.0; LANES], [0.0; LANES]);
    let mut x: [f64; LANES] = std::array::from_fn(|lane| lane as f64);
    let (chunks, tail) = row.as_chunks::<LANES>();
    let (column_chunks, column_tail) = columns.as_chunks_mut::<LANES>();
    for (chunk, column) in chunks.iter().zip(column_chunks) {
        let v = zip(chunk, &[0.0; LANES], |v, _| passing(v, least));
        *column = zip(&v, column, |v, column| column + v);
        sum = zip(&v, &sum, |v, sum| sum + v);
        moment = zip(&zip(&v, &x, |v, x| v * x), &moment, |v, moment| moment + v);
        x = x.map(|x| x + LANES as f64);
    }
    let (mut sum, mut moment) = (fold(sum, |a, b| a + b), fold(moment, |a, b| a + b));
    for ((&v, column), x) in tail.iter().zip(column_tail).zip(x) {
        let v = passing(v, least);
        *column += v;
        sum += v;
        moment += x * v;
    }
    (sum, moment)
}

#[inline(always)]
fn passing<T: Pixel>(v: T, least: T) -> f64 {
    if v >= least { v.to_f64() } else { 0.0 }
}
