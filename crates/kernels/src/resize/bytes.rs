//! Resizing 8-bit pixels in fixed point, with at most four taps along each dimension.
//!
//! Along a row: sums in 1/64 of a step of the output, from weights of 13 bits, each a coarse part of 6 bits and a fine
//! part of the 7 bits behind, so that products of bytes fill 16 bits (`vpmaddubsw`). Between rows: the high halves of
//! products with weights of 15 bits (`vpmulhw`), in 1/32; cubic weights of edges exceed 1, and then it is 14 bits and
//! 1/16. Half a step and the mean of what is cut off are added to the sums along rows. What is cut off is at most 1/64
//! per pair of taps along the row and 1/32 or 1/16 per row; with the rounding of the result and of the weights it lies
//! within 0.8 of the exact value.

use super::Output;
use super::rows::Rows;
use super::taps::{MOST, Taps};
#[cfg(target_arch = "x86_64")]
use super::{bytes_avx2, bytes_avx512};
use crate::level::LevelKind;
use crate::{Level, Plane};

/// Samples of the output that are made together.
pub(super) const GROUP: usize = 16;
/// Bytes of the input that half a group may be taken from.
pub(super) const WINDOW: usize = 16;

/// Digits of 1/64 and of the weights.
const COARSE: u32 = 6;
const FINE: u32 = 7;
/// Weights of two taps.
pub(super) type Pairs = [[i8; 2]; GROUP];

/// What makes a row, [`GROUP`] samples at a time. A list for each purpose: together they must fit into the L1 cache.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// Where the first tap of each sample lies in the row.
    starts: Vec<[u32; GROUP]>,
    /// Where the window of each half begins.
    pub(super) windows: Vec<[u32; 2]>,
    /// Which bytes of the window are the first two taps of each sample.
    pub(super) places: Vec<[[u8; 2]; GROUP]>,
    /// Coarse and fine parts of the weights of the first two taps, and of the last two where there are four.
    pub(super) weights: Vec<Vec<[Pairs; 2]>>,
    /// Bytes from one tap to the next.
    pub(super) samples: usize,
    /// Added to every sum: half a step, and the mean of what is cut off.
    pub(super) half: i16,
    /// Whether the taps of every half of a group lie within a window.
    narrow: bool,
    /// Whether any weight has a fine part; there is none with factors of 2, 4, 8.
    fine: bool,
    /// Where the last window ends.
    pub(super) reach: usize,
}

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

/// The weights in parts of `one`, so that those of each element add up to it.
fn quantised(taps: &Taps<f64>, one: i32) -> Taps<i32> {
    let mut parts = taps.map(|w| (w * f64::from(one)).round() as i32);
    parts.each_mut(|weights| {
        let missing = one - weights.iter().sum::<i32>();
        if let Some(largest) = weights.iter_mut().max() {
            *largest += missing;
        }
    });
    parts
}

impl Groups {
    fn new(columns: &Taps<f64>, samples: usize, half: i16) -> Groups {
        let pairs = columns.most().div_ceil(2);
        let columns = quantised(columns, 1 << (COARSE + FINE));
        let mut groups = Groups { samples, half, weights: vec![Vec::new(); pairs], ..Groups::default() };
        for start in (0..columns.len() * samples).step_by(GROUP) {
            groups.push(&columns, start);
        }
        let places = groups.places.as_flattened().as_flattened();
        let parts = groups.weights.iter().flatten();
        groups.fine = parts.into_iter().any(|[_, fine]| fine.as_flattened().iter().any(|w| *w != 0));
        let last = groups.windows.as_flattened().iter().copied().max().unwrap_or(0) as usize;
        groups.reach = last + 2 * pairs.saturating_sub(1) * samples + WINDOW;
        groups.narrow = places.iter().all(|place| usize::from(*place) < WINDOW);
        groups
    }

    /// The group of samples from `start` on; those behind the end of the row are as the last one.
    fn push(&mut self, columns: &Taps<i32>, start: usize) {
        let last = columns.len() * self.samples - 1;
        let mut starts = [0; GROUP];
        let mut weights = [[[[0; 2]; GROUP]; 2]; MOST / 2];
        for i in 0..GROUP {
            let sample = (start + i).min(last);
            let (first, taps) = columns.of(sample / self.samples);
            starts[i] = (first * self.samples + sample % self.samples) as u32;
            for (tap, weight) in taps.iter().enumerate() {
                let coarse = (weight + (1 << (FINE - 1))) >> FINE;
                weights[tap / 2][0][i][tap % 2] = coarse as i8;
                weights[tap / 2][1][i][tap % 2] = (weight - (coarse << FINE)) as i8;
            }
        }
        let window = |half: &[u32]| half.iter().copied().min().unwrap_or(0);
        let windows = [window(&starts[..GROUP / 2]), window(&starts[GROUP / 2..])];
        self.places.push(std::array::from_fn(|i| {
            let place = (starts[i] - windows[i / (GROUP / 2)]) as usize;
            [place, place + self.samples].map(|p| p.min(usize::from(u8::MAX)) as u8)
        }));
        self.starts.push(starts);
        self.windows.push(windows);
        for (list, weights) in self.weights.iter_mut().zip(weights) {
            list.push(weights);
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

fn along_row_portable(row: &[u8], groups: &Groups, to: &mut [[i16; GROUP]]) {
    for (g, to) in to.iter_mut().enumerate() {
        *to = [groups.half; GROUP];
        for (pair, weights) in groups.weights.iter().enumerate() {
            let row = &row[2 * pair * groups.samples..];
            let (starts, [coarse, fine]) = (&groups.starts[g], &weights[g]);
            for i in 0..GROUP {
                let place = starts[i] as usize;
                let taps = [row[place], row[place + groups.samples]].map(i16::from);
                let product = |w: [i8; 2]| taps[0] * i16::from(w[0]) + taps[1] * i16::from(w[1]);
                to[i] += product(coarse[i]) + (product(fine[i]) >> FINE);
            }
        }
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

pub(super) fn blend_rows_portable<const N: usize>(
    rows: [&[i16]; N],
    weights: [i16; N],
    digits: u32,
    to: &mut [u8],
) {
    let mut blocks = rows.map(|row| row[..to.len()].chunks(2 * GROUP));
    for to in to.chunks_mut(2 * GROUP) {
        let mut sums = [0; 2 * GROUP];
        for (blocks, weight) in blocks.iter_mut().zip(weights) {
            for (sum, v) in sums.iter_mut().zip(blocks.next().unwrap_or_default()) {
                *sum += ((i32::from(*v) * i32::from(weight)) >> 16) as i16;
            }
        }
        for (to, sum) in to.iter_mut().zip(sums) {
            *to = (sum >> digits).clamp(0, 255) as u8;
        }
    }
}
