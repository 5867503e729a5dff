//! Transforms that exchange rows and columns, tile by tile.
//!
//! Neighbours in the output lie far apart in the input. A tile is a square whose rows fill one
//! cache line in both images, so that every line is read once and written once, whole.

use super::Flips;
use super::lanes::Lanes;
use crate::{Pixel, Plane};

per_level! {
    pub(super) fn run<T: Pixel>(input: Plane<'_, T>, flips: Flips, samples: usize, output: &mut [T]) = body;
}

#[inline(always)]
fn body<T: Pixel>(input: Plane<'_, T>, flips: Flips, samples: usize, output: &mut [T]) {
    let (height, width) = (input.height(), input.width() / samples);
    let pixels = Size { width, height };
    let row = |y| input.row(y);
    let colours = |y| input.row(y).as_chunks::<3>().0;
    match (samples, size_of::<T>()) {
        (1, 1) => turn::<T, 64>(pixels, row, flips, output, Lanes::<8>),
        (1, 2) => turn::<T, 32>(pixels, row, flips, output, Lanes::<4>),
        (1, 4) => turn::<T, 16>(pixels, row, flips, output, OneByOne),
        (1, _) => turn::<T, 8>(pixels, row, flips, output, OneByOne),
        (3, _) => turn::<[T; 3], 16>(pixels, colours, flips, output.as_chunks_mut::<3>().0, OneByOne),
        _ => turn_groups(pixels, input, flips, samples, output),
    }
}

#[derive(Clone, Copy)]
struct Size {
    width: usize,
    height: usize,
}

impl Size {
    /// The pixel that takes the place of (x, y) when the flips are made, and the other way round.
    #[inline(always)]
    fn flipped(self, flips: Flips, x: usize, y: usize) -> (usize, usize) {
        let x = if flips.columns { self.width - 1 - x } else { x };
        let y = if flips.rows { self.height - 1 - y } else { y };
        (x, y)
    }
}

/// How the columns of a tile are made out of its rows. A trait and not a closure, because only
/// methods can be told to become part of the loop, and so to be compiled for its level.
pub(super) trait Tile<P, const N: usize> {
    fn transpose(&self, rows: [&[P; N]; N], columns: &mut [[P; N]; N]);
}

/// `row(y)` is row `y` of the input.
#[inline(always)]
fn turn<'a, P: Copy + Default + 'a, const N: usize>(
    size: Size,
    row: impl Fn(usize) -> &'a [P],
    flips: Flips,
    output: &mut [P],
    tile: impl Tile<P, N>,
) {
    let (inner_width, inner_height) = (size.width / N * N, size.height / N * N);
    let (blank, mut columns) = ([P::default(); N], [[P::default(); N]; N]);
    for x in (0..inner_width).step_by(N) {
        for y in (0..inner_height).step_by(N) {
            let mut rows = [&blank; N];
            for (i, tile_row) in rows.iter_mut().enumerate() {
                let (_, y) = size.flipped(flips, 0, y + i);
                if let Some(part) = row(y)[x..].first_chunk() {
                    *tile_row = part;
                }
            }
            tile.transpose(rows, &mut columns);
            for (i, column) in columns.iter().enumerate() {
                let (x, _) = size.flipped(flips, x + i, 0);
                output[x * size.height + y..][..N].copy_from_slice(column);
            }
        }
    }
    for x in 0..size.width {
        let first = if x < inner_width { inner_height } else { 0 };
        for y in first..size.height {
            let (to_x, from_y) = size.flipped(flips, x, y);
            output[to_x * size.height + y] = row(from_y)[x];
        }
    }
}

struct OneByOne;

impl<P: Copy, const N: usize> Tile<P, N> for OneByOne {
    #[inline(always)]
    fn transpose(&self, rows: [&[P; N]; N], columns: &mut [[P; N]; N]) {
        for (y, row) in rows.into_iter().enumerate() {
            for x in 0..N {
                columns[x][y] = row[x];
            }
        }
    }
}

/// Pixels of any number of samples, one by one.
#[inline(always)]
fn turn_groups<T: Pixel>(size: Size, input: Plane<'_, T>, flips: Flips, samples: usize, output: &mut [T]) {
    for y in 0..size.height {
        for (x, pixel) in input.row(y).chunks_exact(samples).enumerate() {
            let (x, y) = size.flipped(flips, x, y);
            output[(x * size.height + y) * samples..][..samples].copy_from_slice(pixel);
        }
    }
}
