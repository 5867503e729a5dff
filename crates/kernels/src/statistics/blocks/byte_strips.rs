//! The loop over blocks of bytes, for any vector.

use super::ahead::load;
use super::block_sums::ROWS;
use super::byte_columns::{Strips, Sums, Task};
use crate::vector::{self, Avx2, Avx512, Vector};

/// Takes in a block; adds to `columns`, and gives the other sums.
#[target_feature(enable = "avx2,fma")]
pub(super) fn avx2(task: &Task<32>, columns: Strips<32>) -> Sums {
    add::<Avx2, 32>(task, columns)
}

/// As [`avx2`].
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn avx512(task: &Task<64>, columns: Strips<64>) -> Sums {
    add::<Avx512, 64>(task, columns)
}

#[inline(always)]
fn add<V: Vector, const N: usize>(task: &Task<N>, columns: Strips<N>) -> Sums {
    if columns.all.is_empty() {
        strips::<V, N, false>(task, columns)
    } else {
        strips::<V, N, true>(task, columns)
    }
}

/// With `APART` only bytes of at least `task.least` pass, else all do.
#[inline(always)]
fn strips<V: Vector, const N: usize, const APART: bool>(task: &Task<N>, columns: Strips<N>) -> Sums {
    let zero = V::zero();
    let least = V::splat8(task.least);
    let end = V::splat32(task.end as u32);
    let (mut min, mut max, mut squares) = (V::splat8(u8::MAX), zero, zero);
    let mut rows = [[zero; 2]; ROWS];
    let whole = task.rows.first().map_or(0, |row| row.len());
    for strip in 0..whole {
        let (mut sum, mut moment, mut all) = ([zero; 2], [zero; 2], [zero; 2]);
        // The squares of 16 rows fit 32 bits.
        let mut strip_squares = zero;
        for (row, row_sums) in task.rows.iter().zip(&mut rows) {
            let v: V = load(&row[strip]);
            min = min.min8(v);
            max = max.max8(v);
            row_sums[0] = row_sums[0].add64(v.sum8());
            let halves = [v.even8(), v.odd8()];
            for half in halves {
                strip_squares = strip_squares.add32(half.dot16(half));
            }
            let mut passing = halves;
            if APART {
                let v = v.at_least8(least);
                row_sums[1] = row_sums[1].add64(v.sum8());
                passing = [v.even8(), v.odd8()];
            }
            for half in 0..2 {
                sum[half] = sum[half].add16(passing[half]);
                moment[half] = moment[half].add16(sum[half]);
                if APART {
                    all[half] = all[half].add16(halves[half]);
                }
            }
        }
        squares = squares.add64(strip_squares.odd32().add64(strip_squares.even32()));
        add_integers(&mut columns.sum[strip], quarters(sum));
        if APART {
            add_integers(&mut columns.all[strip], quarters(all));
        }
        let (sum, moment) = (quarters(sum), quarters(moment));
        let mut moments = [zero; 4];
        for i in 0..4 {
            // Both factors are positive 16-bit numbers.
            moments[i] = sum[i].dot16(end).sub32(moment[i]);
        }
        add_integers(&mut columns.moment[strip], moments);
    }
    let mut sums = Sums { min: 0, max: 0, squares: squares.fold64(), all: [0; ROWS], passing: [0; ROWS] };
    sums.min = min.smallest8();
    // The largest byte is the smallest one with all bits turned over; only for the smallest is there an instruction.
    sums.max = !max.xor(V::splat8(u8::MAX)).smallest8();
    for (y, row) in rows.iter().enumerate().take(task.rows.len()) {
        sums.all[y] = row[0].fold64();
        sums.passing[y] = if APART { row[1].fold64() } else { sums.all[y] };
    }
    sums
}

/// Adds 32-bit lanes to the sums at `to`.
#[inline(always)]
fn add_integers<V: Vector>(to: &mut [i32], lanes: [V; 4]) {
    for (to, lanes) in to.chunks_exact_mut(size_of::<V>() / size_of::<i32>()).zip(lanes) {
        vector::store(vector::load::<V, i32>(to).add32(lanes), to);
    }
}

/// 16-bit lanes as 32-bit lanes: of each vector the even, then the odd ones.
#[inline(always)]
fn quarters<V: Vector>([a, b]: [V; 2]) -> [V; 4] {
    [a.even16(), a.odd16(), b.even16(), b.odd16()]
}
