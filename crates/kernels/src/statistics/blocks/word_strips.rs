//! The loop over blocks of `u16`, for any vector.

use super::ahead::load;
use super::block_sums::ROWS;
use super::word_task::{Strips, Sums, Task};
use crate::vector::{self, Avx2, Avx512, Vector, to_array};

/// Most strips whose sum of a row fits 32-bit lanes: 2·65535·2¹⁴ < 2³².
const MOST: usize = 1 << 14;

/// Takes in a block; adds to `columns`, and gives the other sums.
#[target_feature(enable = "avx2,fma")]
pub(super) fn avx2(task: &Task<16>, columns: Strips<16>) -> Sums {
    add::<Avx2, 16>(task, columns)
}

/// As [`avx2`].
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn avx512(task: &Task<32>, columns: Strips<32>) -> Sums {
    add::<Avx512, 32>(task, columns)
}

#[inline(always)]
fn add<V: Vector, const N: usize>(task: &Task<N>, mut columns: Strips<N>) -> Sums {
    let mut sums = Sums::NONE;
    let whole = task.rows.first().map_or(0, |row| row.len());
    for from in (0..whole).step_by(MOST) {
        let to = whole.min(from + MOST);
        if task.least > 1 {
            strips::<V, N, true>(task, from..to, &mut columns, &mut sums);
        } else {
            strips::<V, N, false>(task, from..to, &mut columns, &mut sums);
        }
    }
    sums
}

/// With `APART` only pixels of at least `task.least` pass, else all do.
#[inline(always)]
fn strips<V: Vector, const N: usize, const APART: bool>(
    task: &Task<N>,
    range: std::ops::Range<usize>,
    columns: &mut Strips<N>,
    sums: &mut Sums,
) {
    let zero = V::zero();
    let (least, middle) = (V::splat16(task.least), V::splat16(1 << 15));
    let (mut min, mut max) = (V::splat16(u16::MAX), zero);
    let (mut squares, mut upper) = (zero, zero);
    let mut rows = [[zero; 2]; ROWS];
    for strip in range {
        let (mut sum, mut moment, mut all) = ([zero; 2], [zero; 2], [zero; 2]);
        for (row, row_sums) in task.rows.iter().zip(&mut rows) {
            let v: V = load(&row[strip]);
            min = min.min16(v);
            max = max.max16(v);
            // About the middle, two squares fit 32 bits.
            let distance = v.xor(middle);
            let square = distance.dot16(distance);
            squares = squares.add64(square);
            upper = upper.add64(square.odd32());
            let halves = [v.even16(), v.odd16()];
            row_sums[0] = row_sums[0].add32(halves[0].add32(halves[1]));
            let mut passing = halves;
            if APART {
                let v = v.at_least16(least);
                passing = [v.even16(), v.odd16()];
                row_sums[1] = row_sums[1].add32(passing[0].add32(passing[1]));
            }
            for half in 0..2 {
                sum[half] = sum[half].add32(passing[half]);
                moment[half] = moment[half].add32(sum[half]);
                if APART {
                    all[half] = all[half].add32(halves[half]);
                }
            }
        }
        add_lanes(columns, strip, task.end, [sum, moment, if APART { all } else { sum }]);
    }
    sums.min = sums.min.min(to_array::<V, u16, 1, N>([min]).into_iter().fold(u16::MAX, u16::min));
    sums.max = sums.max.max(to_array::<V, u16, 1, N>([max]).into_iter().fold(0, u16::max));
    // `squares` has the upper halves at their place, wrapping round.
    let (squares, upper) = (squares.fold64(), upper.fold64());
    sums.squares += squares.wrapping_sub(upper << 32).wrapping_add(upper);
    for (y, row) in rows.iter().enumerate().take(task.rows.len()) {
        let all = row[0].fold32();
        sums.all[y] += all;
        sums.passing[y] += if APART { row[1].fold32() } else { all };
    }
}

/// Adds S, `end`·S − T and the sum of all to the column sums that there are.
#[inline(always)]
fn add_lanes<V: Vector, const N: usize>(
    columns: &mut Strips<N>,
    strip: usize,
    end: f64,
    [sum, moment, all]: [[V; 2]; 3],
) {
    if let (Some(sums), Some(moments)) = (columns.sum.get_mut(strip), columns.moment.get_mut(strip)) {
        let halves = sums.chunks_exact_mut(N / 2).zip(moments.chunks_exact_mut(N / 2));
        for ((sum, moment), (sums, moments)) in sum.into_iter().zip(moment).zip(halves) {
            vector::add_to(sum, sums);
            vector::add_product_to(sum, end, moment, moments);
        }
    }
    if let Some(sums) = columns.all.get_mut(strip) {
        for (all, sums) in all.into_iter().zip(sums.chunks_exact_mut(N / 2)) {
            vector::add_to(all, sums);
        }
    }
}
