//! Transforms that exchange rows and columns, tile by tile.
//!
//! Neighbours in the output lie far apart in the input. A tile is a square whose rows fill one
//! cache line in both images, so that every line is read once and written once, whole.

use super::lanes::Lanes;
use super::tile::{OneByOne, Tile};
use crate::Plane;

/// A transform taken apart: the columns and the rows of the input are put in reverse order, then
/// rows become columns.
#[derive(Clone, Copy)]
pub(super) struct Flips {
    pub(super) transposed: bool,
    pub(super) columns: bool,
    pub(super) rows: bool,
}

per_level! {
    /// Only the sizes of sample and pixel count, so bytes are moved, whatever the type.
    #[inline(never)]
    pub(super) fn run(input: Plane<'_, u8>, flips: Flips, sample: usize, samples: usize, output: &mut [u8]) = body;
}

#[inline(always)]
fn body(input: Plane<'_, u8>, flips: Flips, sample: usize, samples: usize, output: &mut [u8]) {
    let pixel = sample * samples;
    let size = Size { width: input.width() / pixel, height: input.height() };
    match (samples, sample) {
        (1, 1) => turn::<1, 64>(size, input, flips, output, Lanes::<8>),
        (1, 2) => turn::<2, 32>(size, input, flips, output, Lanes::<4>),
        (1, 4) => turn::<4, 16>(size, input, flips, output, OneByOne),
        (1, 8) => turn::<8, 8>(size, input, flips, output, OneByOne),
        (3, 1) => turn::<3, 16>(size, input, flips, output, OneByOne),
        (3, 2) => turn::<6, 16>(size, input, flips, output, OneByOne),
        (3, 4) => turn::<12, 16>(size, input, flips, output, OneByOne),
        (3, 8) => turn::<24, 16>(size, input, flips, output, OneByOne),
        _ => turn_groups(size, input, flips, pixel, output),
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

/// Pixels of `P` bytes, tiles of `N` by `N`.
#[inline(always)]
fn turn<const P: usize, const N: usize>(
    size: Size,
    input: Plane<'_, u8>,
    flips: Flips,
    output: &mut [u8],
    tile: impl Tile<[u8; P], N>,
) {
    let row = |y| input.row(y).as_chunks::<P>().0;
    let output = output.as_chunks_mut::<P>().0;
    let (inner_width, inner_height) = (size.width / N * N, size.height / N * N);
    let (blank, mut columns) = ([[0; P]; N], [[[0; P]; N]; N]);
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
    // Pixels beside and below the whole tiles.
    for x in 0..size.width {
        let first = if x < inner_width { inner_height } else { 0 };
        for y in first..size.height {
            let (to_x, from_y) = size.flipped(flips, x, y);
            output[to_x * size.height + y] = row(from_y)[x];
        }
    }
}

/// Pixels of any number of bytes, one by one.
#[inline(always)]
fn turn_groups(size: Size, input: Plane<'_, u8>, flips: Flips, pixel: usize, output: &mut [u8]) {
    for y in 0..size.height {
        for (x, bytes) in input.row(y).chunks_exact(pixel).enumerate() {
            let (x, y) = size.flipped(flips, x, y);
            output[(x * size.height + y) * pixel..][..pixel].copy_from_slice(bytes);
        }
    }
}
