//! Column sums of bytes, and the input and output of a loop over a block of bytes.

use super::super::aligned::Aligned;
use super::super::projections::Projections;
use super::block_sums::{BlockSums, ROWS};
use crate::Plane;

/// Column sums over the rows from `start` to `end`, in strips of `lanes` columns.
///
/// The kernels add bytes in 16-bit lanes, and those in 32-bit lanes, without shuffling: first the even ones, then the
/// odd ones. So a strip has its columns 0, 4, 8 … first, then 2, 6, 10 …, then 1, 5, 9 …, then 3, 7, 11 ….
#[derive(Debug, Default)]
pub(super) struct ByteColumns {
    /// Σv of the passing pixels.
    sum: Aligned<i32>,
    /// Σ (y − start)·v of the passing pixels.
    moment: Aligned<i32>,
    /// Σv of all, unless all pass.
    all: Aligned<i32>,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) lanes: usize,
    /// False when no value can pass.
    pub(super) passing: bool,
}

/// Strips of the column sums.
pub(super) struct Strips<'a, const N: usize> {
    pub(super) sum: &'a mut [[i32; N]],
    pub(super) moment: &'a mut [[i32; N]],
    /// Empty when all pixels pass.
    pub(super) all: &'a mut [[i32; N]],
}

/// The input of a kernel.
pub(super) struct Task<'a, const N: usize> {
    /// The strips of each row, at most [`ROWS`] rows.
    pub(super) rows: &'a [&'a [[u8; N]]],
    /// Bytes of at least this pass.
    pub(super) least: u8,
    /// The factor of S in Σ y·v: rows from `start` to the end of the block, at most `MOST_ROWS`.
    pub(super) end: i32,
}

/// The output of a kernel.
#[derive(Clone, Copy)]
pub(super) struct Sums {
    pub(super) min: u8,
    pub(super) max: u8,
    pub(super) squares: u64,
    /// Per row: Σv of all.
    pub(super) all: [u64; ROWS],
    /// Per row: Σv of the passing pixels.
    pub(super) passing: [u64; ROWS],
}

type Kernel<const N: usize> = unsafe fn(&Task<N>, Strips<N>) -> Sums;

impl Sums {
    fn join(&mut self, other: &Sums) {
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.squares += other.squares;
        for row in 0..ROWS {
            self.all[row] += other.all[row];
            self.passing[row] += other.passing[row];
        }
    }

    pub(super) fn found(&self) -> BlockSums<u8> {
        let [all, passing] = [self.all, self.passing].map(|sums| sums.map(|sum| sum as f64));
        BlockSums { min: self.min, max: self.max, all, passing }
    }
}

impl ByteColumns {
    pub(super) fn clear(&mut self, len: usize, apart: bool, start: usize) {
        self.sum.zeros(len);
        self.moment.zeros(len);
        self.all.zeros(if apart { len } else { 0 });
        (self.start, self.end) = (start, start);
    }

    fn strips<const N: usize>(&mut self, from: usize) -> Strips<'_, N> {
        let ByteColumns { sum, moment, all, .. } = self;
        let [sum, moment, all] = [sum, moment, all].map(|sums| sums.as_chunks_mut().0);
        // `all` may be empty.
        let from_all = from.min(all.len());
        Strips { sum: &mut sum[from..], moment: &mut moment[from..], all: &mut all[from_all..] }
    }

    /// Takes in a block.
    ///
    /// # Safety
    /// The processor must have the instructions of `kernel`.
    pub(super) unsafe fn add<const N: usize>(
        &mut self,
        kernel: Kernel<N>,
        block: Plane<u8>,
        least: u8,
    ) -> Sums {
        let end = (self.end - self.start) as i32;
        let count = block.height().min(ROWS);
        let rows: [&[[u8; N]]; ROWS] =
            std::array::from_fn(|y| if y < count { block.row(y).as_chunks().0 } else { &[] });
        // SAFETY: the caller's promise.
        let mut sums = unsafe { kernel(&Task { rows: &rows[..count], least, end }, self.strips(0)) };
        let whole = block.width() / N;
        if whole * N == block.width() {
            return sums;
        }
        let tail = Tail::new(block, whole * N);
        let rows: [&[[u8; N]]; ROWS] = std::array::from_fn(|y| tail.rows[y].as_slice());
        // SAFETY: the caller's promise.
        let rest = unsafe { kernel(&Task { rows: &rows[..count], least, end }, self.strips(whole)) };
        // The zeros of the fill would be the smallest.
        sums.join(&Sums { min: tail.min, ..rest });
        sums
    }

    /// Moves the sums to `to`.
    pub(super) fn empty(&mut self, to: &mut Projections) {
        let (lanes, y) = (self.lanes.max(4), self.start as f64);
        for strip in 0..self.sum.len() / lanes {
            for i in 0..lanes {
                // See the order of the columns in a strip.
                let (x, from) = (strip * lanes + i, strip * lanes + [0, 2, 1, 3][i % 4] * lanes / 4 + i / 4);
                if self.passing && x < to.columns.len() {
                    to.columns[x] += f64::from(self.sum[from]);
                    to.moment[x] += y * f64::from(self.sum[from]) + f64::from(self.moment[from]);
                }
                if x < to.all_columns.len() {
                    let all = if self.all.is_empty() { &self.sum } else { &self.all };
                    to.all_columns[x] += f64::from(all[from]);
                }
            }
        }
        self.clear(self.sum.len(), !self.all.is_empty(), self.end);
    }
}

/// The columns beyond the last whole strip, filled up with zeros.
struct Tail<const N: usize> {
    rows: [[[u8; N]; 1]; ROWS],
    /// Smallest byte, fill left out.
    min: u8,
}

impl<const N: usize> Tail<N> {
    fn new(block: Plane<u8>, from: usize) -> Tail<N> {
        let mut tail = Tail { rows: [[[0; N]]; ROWS], min: u8::MAX };
        for (row, [to]) in block.rows().zip(&mut tail.rows) {
            let row = &row[from..];
            to[..row.len()].copy_from_slice(row);
            tail.min = row.iter().fold(tail.min, |min, &v| min.min(v));
        }
        tail
    }
}
