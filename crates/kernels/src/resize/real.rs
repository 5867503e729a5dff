//! Resizing in floating point, for every method but nearest and every type of pixel.
//!
//! Only sums and products, each in a fixed order and rounded by itself, so that all levels agree bit for bit.

use super::output::Output;
use super::rows::Rows;
use super::taps::{MOST, Taps};
use crate::{Level, Pixel, Plane, Real};

/// Samples that are blended, rounded and converted at a time, so that the steps meet in the L1 cache.
const BLOCK: usize = 1024;

/// Tables and rows of one type.
#[derive(Clone, Debug, Default)]
pub(super) struct RealScratch<A> {
    columns: Taps<A>,
    rows: Taps<A>,
    made: Rows<A>,
    wide: Vec<A>,
    line: Vec<A>,
}

/// A type that is summed in.
pub(super) trait Sum: Real + Default {
    /// From here on floats have no digits behind the point.
    const WHOLE: Self;
}

impl Sum for f32 {
    const WHOLE: f32 = (1u32 << 23) as f32;
}

impl Sum for f64 {
    const WHOLE: f64 = (1u64 << 52) as f64;
}

impl<A: Sum> RealScratch<A> {
    pub(super) fn prepare(&mut self, columns: &Taps<f64>, rows: &Taps<f64>) {
        self.columns = columns.map(|w| A::from_f64(*w));
        self.rows = rows.map(|w| A::from_f64(*w));
    }

    /// `covered` means area with sums over many pixels.
    pub(super) fn run_either<T: Pixel>(
        &mut self,
        level: Level,
        input: Plane<'_, T>,
        samples: usize,
        covered: bool,
        output: &mut Output<'_, T>,
    ) {
        match covered {
            true => self.run_covered(level, input, samples, output),
            false => self.run(level, input, samples, output),
        }
    }

    /// Along rows first, then along columns, with at most [`MOST`] taps along columns.
    fn run<T: Pixel>(
        &mut self,
        level: Level,
        input: Plane<'_, T>,
        samples: usize,
        output: &mut Output<'_, T>,
    ) {
        self.wide.resize(input.width(), A::default());
        self.line.resize(BLOCK, A::default());
        self.made.clear(output.width);
        for (y, (first, weights)) in self.rows.iter().enumerate() {
            for row in first..first + weights.len() {
                self.made.hold(row, |made| {
                    T::cast_slice(level, input.row(row), &mut self.wide);
                    along_row(level, &self.wide, &self.columns, samples, made);
                });
            }
            let rows = self.made.from(first);
            for (block, to) in output.row(y).chunks_mut(BLOCK).enumerate() {
                let line = &mut self.line[..to.len()];
                blend(level, rows.map(|row| &row[block * BLOCK..][..to.len()]), weights, line);
                finish(level, line, A::from_f64(1.0), to);
            }
        }
    }

    /// Along columns first, then along rows: the first step reads the input once or twice, and leaves short rows for
    /// the second.
    fn run_covered<T: Pixel>(
        &mut self,
        level: Level,
        input: Plane<'_, T>,
        samples: usize,
        output: &mut Output<'_, T>,
    ) {
        self.wide.resize(2 * input.width(), A::default());
        self.line.resize(output.width, A::default());
        let divisor = A::from_f64(self.columns.divisor * self.rows.divisor);
        let (wide, sums) = self.wide.split_at_mut(input.width());
        for (y, (first, weights)) in self.rows.iter().enumerate() {
            sums.fill(A::default());
            for (k, weight) in weights.iter().enumerate() {
                T::cast_slice(level, input.row(first + k), wide);
                add_row(level, wide, *weight, sums);
            }
            along_row(level, sums, &self.columns, samples, &mut self.line);
            finish(level, &mut self.line, divisor, output.row(y));
        }
    }
}

/// Sums become pixels.
fn finish<T: Pixel, A: Sum>(level: Level, line: &mut [A], divisor: A, to: &mut [T]) {
    if divisor != A::from_f64(1.0) {
        divide(level, line, divisor);
    }
    if !T::FLOAT {
        round(level, line);
    }
    A::cast_slice(level, line, to);
}

per_level! {
    fn along_row<A: Sum>(from: &[A], taps: &Taps<A>, samples: usize, to: &mut [A]) = along_row_body;
}

#[inline(always)]
fn along_row_body<A: Sum>(from: &[A], taps: &Taps<A>, samples: usize, to: &mut [A]) {
    match samples {
        1 => along_pixels::<1, A>(from, taps, to),
        3 => along_pixels::<3, A>(from, taps, to),
        _ => {
            for (to, (first, weights)) in to.chunks_exact_mut(samples).zip(taps.iter()) {
                to.fill(A::default());
                for (pixel, weight) in from[first * samples..].chunks_exact(samples).zip(weights) {
                    for (to, v) in to.iter_mut().zip(pixel) {
                        *to = *to + *v * *weight;
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn along_pixels<const SAMPLES: usize, A: Sum>(from: &[A], taps: &Taps<A>, to: &mut [A]) {
    let (from, to) = (from.as_chunks::<SAMPLES>().0, to.as_chunks_mut::<SAMPLES>().0);
    for (to, (first, weights)) in to.iter_mut().zip(taps.iter()) {
        let from = &from[first..][..weights.len()];
        *to = match *weights {
            // The usual numbers, known to the compiler.
            [a, b] => sum_pixels(from, &[a, b]),
            [a, b, c, d] => sum_pixels(from, &[a, b, c, d]),
            _ => sum_pixels(from, weights),
        };
    }
}

#[inline(always)]
fn sum_pixels<const SAMPLES: usize, A: Sum>(pixels: &[[A; SAMPLES]], weights: &[A]) -> [A; SAMPLES] {
    let mut sums = [A::default(); SAMPLES];
    for (pixel, weight) in pixels.iter().zip(weights) {
        for (sum, v) in sums.iter_mut().zip(pixel) {
            *sum = *sum + *v * *weight;
        }
    }
    sums
}

per_level! {
    fn blend<A: Sum>(rows: [&[A]; MOST], weights: &[A], to: &mut [A]) = blend_body;
}

#[inline(always)]
fn blend_body<A: Sum>(rows: [&[A]; MOST], weights: &[A], to: &mut [A]) {
    match *weights {
        [_] => to.copy_from_slice(&rows[0][..to.len()]),
        [a, b] => blend_rows([rows[0], rows[1]], [a, b], to),
        [a, b, c] => blend_rows([rows[0], rows[1], rows[2]], [a, b, c], to),
        [a, b, c, d] => blend_rows(rows, [a, b, c, d], to),
        _ => {}
    }
}

#[inline(always)]
fn blend_rows<const N: usize, A: Sum>(rows: [&[A]; N], weights: [A; N], to: &mut [A]) {
    let rows = rows.map(|row| &row[..to.len()]);
    for (i, to) in to.iter_mut().enumerate() {
        let mut sum = rows[0][i] * weights[0];
        for k in 1..N {
            sum = sum + rows[k][i] * weights[k];
        }
        *to = sum;
    }
}

per_level! {
    fn add_row<A: Sum>(row: &[A], weight: A, sums: &mut [A]) = add_row_body;
}

#[inline(always)]
fn add_row_body<A: Sum>(row: &[A], weight: A, sums: &mut [A]) {
    for (sum, v) in sums.iter_mut().zip(row) {
        *sum = *sum + *v * weight;
    }
}

per_level! {
    fn divide<A: Sum>(line: &mut [A], divisor: A) = divide_body;
}

#[inline(always)]
fn divide_body<A: Sum>(line: &mut [A], divisor: A) {
    for v in line {
        *v = *v / divisor;
    }
}

per_level! {
    fn round<A: Sum>(line: &mut [A]) = round_body;
}

/// To the nearest whole number, of two as near to the even one: adding a number without digits behind the point
/// leaves none. Becomes vector code on every level, which the standard library's function does not.
#[inline(always)]
fn round_body<A: Sum>(line: &mut [A]) {
    let zero = A::default();
    for v in line {
        let whole = if *v < zero { zero - A::WHOLE } else { A::WHOLE };
        let rounded = (*v + whole) - whole;
        // From `WHOLE` on there is nothing behind the point, and the sum would lose digits.
        *v = if *v < A::WHOLE && *v > zero - A::WHOLE { rounded } else { *v };
    }
}
