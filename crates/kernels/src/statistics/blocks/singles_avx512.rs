//! The loop over blocks of `f32`, with AVX-512.

use super::block_sums::ROWS;
use super::single_task::{Strips, Sums, Task};
use std::arch::x86_64::*;

/// Pixels in a vector.
const LANES: usize = 16;
/// Rows side by side: as many as a near cache holds when their distance is a power of two.
const GROUP: usize = 8;
/// How far ahead of the loads memory is asked for, in pixels.
const AHEAD: usize = 64;

/// Takes in a block; adds to `columns`, and gives the other sums.
#[target_feature(enable = "avx512f,avx512dq")]
pub(super) fn add(task: &Task, mut columns: Strips) -> Sums {
    let mut sums = Sums::NONE;
    for first in (0..task.rows.len()).step_by(GROUP) {
        match (columns.sum.is_empty(), columns.all.is_empty()) {
            (true, _) => group::<false, false>(task, first, &mut columns, &mut sums),
            (false, true) => group::<true, false>(task, first, &mut columns, &mut sums),
            (false, false) => group::<true, true>(task, first, &mut columns, &mut sums),
        }
    }
    sums
}

/// Takes in up to [`GROUP`] rows from `first` on: the sums of passing pixels if `PASSING`, and the column sums of all
/// if `ALL`.
#[target_feature(enable = "avx512f,avx512dq")]
fn group<const PASSING: bool, const ALL: bool>(
    task: &Task,
    first: usize,
    columns: &mut Strips,
    sums: &mut Sums,
) {
    let zero = _mm512_setzero_pd();
    let (least, pivot) = (_mm512_set1_ps(task.least), _mm512_set1_pd(task.pivot));
    let (mut min, mut max) = (_mm512_set1_ps(sums.min), _mm512_set1_ps(sums.max));
    let mut squares = [zero; 2];
    let mut row_sums = [[zero; 2]; GROUP];
    let rows = &task.rows[first..];
    let whole = rows.first().map_or(0, |row| row.len());
    for strip in 0..whole {
        let (mut sum, mut moment, mut all) = ([zero; 2], [zero; 2], [zero; 2]);
        let mut y = _mm512_set1_pd((task.y + first) as f64);
        for (row, row_sum) in rows.iter().zip(&mut row_sums) {
            let v = load(&row[strip]);
            // NaN gives the second operand.
            min = _mm512_min_ps(v, min);
            max = _mm512_max_ps(v, max);
            let passing = _mm512_cmp_ps_mask::<_CMP_GE_OQ>(v, least);
            let passing = [passing as u8, (passing >> 8) as u8];
            for (half, v) in halves(v).into_iter().enumerate() {
                let distance = _mm512_sub_pd(v, pivot);
                squares[half] = _mm512_fmadd_pd(distance, distance, squares[half]);
                row_sum[0] = _mm512_add_pd(row_sum[0], v);
                if ALL {
                    all[half] = _mm512_add_pd(all[half], v);
                }
                if PASSING {
                    let k = passing[half];
                    row_sum[1] = _mm512_mask_add_pd(row_sum[1], k, row_sum[1], v);
                    sum[half] = _mm512_mask_add_pd(sum[half], k, sum[half], v);
                    moment[half] = _mm512_mask3_fmadd_pd(v, y, moment[half], k);
                }
            }
            y = _mm512_add_pd(y, _mm512_set1_pd(1.0));
        }
        if PASSING {
            add_lanes(&mut columns.sum[strip], sum);
            add_lanes(&mut columns.moment[strip], moment);
        }
        if ALL {
            add_lanes(&mut columns.all[strip], all);
        }
    }
    sums.min = _mm512_reduce_min_ps(min);
    sums.max = _mm512_reduce_max_ps(max);
    sums.squares += _mm512_reduce_add_pd(_mm512_add_pd(squares[0], squares[1]));
    for (y, row) in (first..ROWS.min(task.rows.len())).zip(row_sums) {
        sums.all[y] += _mm512_reduce_add_pd(row[0]);
        sums.passing[y] += _mm512_reduce_add_pd(row[1]);
    }
}

#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn halves(v: __m512) -> [__m512d; 2] {
    [_mm512_cvtps_pd(_mm512_castps512_ps256(v)), _mm512_cvtps_pd(_mm512_extractf32x8_ps::<1>(v))]
}

#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn load(from: &[f32; LANES]) -> __m512 {
    // Rows lie too far apart for the processor to see that the loads go on to the right.
    let ahead = from.as_ptr().wrapping_add(AHEAD);
    _mm_prefetch::<_MM_HINT_T0>(ahead.cast());
    // SAFETY: the array is as long as a vector.
    unsafe { _mm512_loadu_ps(from.as_ptr()) }
}

/// Adds vectors to the sums at `to`.
#[target_feature(enable = "avx512f,avx512dq")]
#[inline]
fn add_lanes(to: &mut [f64; LANES], lanes: [__m512d; 2]) {
    for (to, lanes) in to.as_chunks_mut::<{ LANES / 2 }>().0.iter_mut().zip(lanes) {
        let to = to.as_mut_ptr();
        // SAFETY: the array is as long as a vector.
        unsafe { _mm512_storeu_pd(to, _mm512_add_pd(_mm512_loadu_pd(to), lanes)) };
    }
}
