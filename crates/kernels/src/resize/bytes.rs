//! Resizing 8-bit pixels in fixed point, with at most four taps along each dimension.
//!
//! Along a row: sums in 1/64 of a step of the output, from weights of 13 bits, each split into a coarse part of 6 bits
//! and a fine part of 7 bits, so that products of bytes fill 16 bits (`vpmaddubsw`). Between rows: the high halves of
//! products with weights of 15 bits (`vpmulhw`), in 1/32; cubic weights of edges exceed 1, and then it is 14 bits and
//! 1/16. Half a step and the mean of the bits that are cut off are added to the sums along rows. The cut is at most
//! 1/64 per pair of taps along the row and 1/32 or 1/16 per row; with the rounding of the result and of the weights the
//! result lies within 0.8 of the exact value.

use super::groups::{COARSE, GROUP, Groups, WINDOW, along_row_portable, blend_rows_portable, quantised};
use super::output::Output;
use super::rows::Rows;
use super::taps::{MOST, Taps};
#[cfg(target_arch = "x86_64")]
use super::{bytes_avx2, bytes_avx512};
use crate::level::LevelKind;
use crate::{Level, Plane};

/// Tables and rows.
#[derive(Clone, Debug, Default)]
pub(super) struct ByteScratch {
    groups: Groups,
    rows: Taps<i16>,
    /// Digits of the sums of several rows.
    digits: u32,
    made: Rows<i16>,
    /// A row of the input and zeros behind it.
    padded: Vec<u8>,
}

impl ByteScratch {
    pub(super) fn prepare(&mut self, columns: &Taps<f64>, rows: &Taps<f64>, samples: usize) {
        let largest = rows.iter().flat_map(|(_, weights)| weights).fold(0.0, |a: f64, b| a.max(*b));
        self.digits = if largest > 1.0 { COARSE - 2 } else { COARSE - 1 };
        // A weight of 1 has no room only where it is the largest; then 1/32768 is missing.
        let narrow = |w: &i32| (*w).min(i32::from(i16::MAX)) as i16;
        self.rows = quantised(rows, 1 << (16 + self.digits - COARSE)).map(narrow);
        let half = (1 << (COARSE - 1)) + (rows.most() << (COARSE - 1 - self.digits)) as i16;
        self.groups = Groups::new(columns, samples, half);
    }

    pub(super) fn run(&mut self, level: Level, input: Plane<'_, u8>, output: &mut Output<'_, u8>) {
        let width = input.width();
        self.padded.clear();
        // The windows of the last samples reach behind the row.
        self.padded.resize(width + MOST * self.groups.samples + WINDOW, 0);
        self.made.clear(self.groups.windows.len() * GROUP);
        for (y, (first, weights)) in self.rows.iter().enumerate() {
            for row in first..first + weights.len() {
                self.made.hold(row, |made| {
                    self.padded[..width].copy_from_slice(input.row(row));
                    along_row(level, &self.padded, &self.groups, made.as_chunks_mut().0);
                });
            }
            blend(level, self.made.from(first), weights, self.digits, output.row(y));
        }
    }
}

fn along_row(level: Level, row: &[u8], groups: &Groups, to: &mut [[i16; GROUP]]) {
    let done = match level.kind() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a `Level` of these kinds is only made where detection found the features.
        LevelKind::Avx2 | LevelKind::Avx512 if groups.narrow => unsafe {
            match (&groups.weights[..], groups.fine) {
                ([near], false) => bytes_avx2::along_row::<1, false>(row, groups, [near], to),
                ([near], true) => bytes_avx2::along_row::<1, true>(row, groups, [near], to),
                ([near, far], false) => bytes_avx2::along_row::<2, false>(row, groups, [near, far], to),
                ([near, far], true) => bytes_avx2::along_row::<2, true>(row, groups, [near, far], to),
                _ => false,
            }
        },
        _ => false,
    };
    if !done {
        along_row_portable(row, groups, to);
    }
}

fn blend(level: Level, rows: [&[i16]; MOST], weights: &[i16], digits: u32, to: &mut [u8]) {
    match *weights {
        [_] => rounded(level, rows[0], to),
        [a, b] => blend_rows(level, [rows[0], rows[1]], [a, b], digits, to),
        [a, b, c] => blend_rows(level, [rows[0], rows[1], rows[2]], [a, b, c], digits, to),
        [a, b, c, d] => blend_rows(level, rows, [a, b, c, d], digits, to),
        _ => {}
    }
}

per_level! {
    /// One row alone.
    fn rounded(row: &[i16], to: &mut [u8]) = rounded_body;
}

#[inline(always)]
fn rounded_body(row: &[i16], to: &mut [u8]) {
    for (to, v) in to.iter_mut().zip(row) {
        *to = (v >> COARSE).clamp(0, 255) as u8;
    }
}

fn blend_rows<const N: usize>(
    level: Level,
    rows: [&[i16]; N],
    weights: [i16; N],
    digits: u32,
    to: &mut [u8],
) {
    match level.kind() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a `Level` of this kind is only made where detection found the features.
        LevelKind::Avx2 => unsafe { bytes_avx2::blend_rows(rows, weights, digits, to) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        LevelKind::Avx512 => unsafe { bytes_avx512::blend_rows(rows, weights, digits, to) },
        LevelKind::Portable => blend_rows_portable(rows, weights, digits, to),
    }
}
