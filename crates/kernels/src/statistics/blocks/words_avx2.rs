//! The loop over blocks of `u16`, with AVX2.

use super::ROWS;
use super::words::{Strips, Sums, Task};
use std::arch::x86_64::*;

/// How far ahead of the loads memory is asked for, in pixels.
const AHEAD: usize = 128;
/// Pixels in a vector.
const LANES: usize = 16;
/// Strips of which the sum of a row fits 32-bit lanes: 2·65535·2¹⁴ < 2³².
const MOST: usize = 1 << 14;

/// Takes in a block; adds to `columns`, and gives the other sums.
#[target_feature(enable = "avx2,fma")]
pub(super) fn add(task: &Task<LANES>, mut columns: Strips<LANES>) -> Sums {
    let mut sums = Sums::NONE;
    let whole = task.rows.first().map_or(0, |row| row.len());
    for from in (0..whole).step_by(MOST) {
        let to = whole.min(from + MOST);
        if task.least > 1 {
            strips::<true>(task, from..to, &mut columns, &mut sums);
        } else {
            strips::<false>(task, from..to, &mut columns, &mut sums);
        }
    }
    sums
}

/// With `APART` only pixels of at least `task.least` pass, else all do.
#[target_feature(enable = "avx2,fma")]
fn strips<const APART: bool>(
    task: &Task<LANES>,
    range: std::ops::Range<usize>,
    columns: &mut Strips<LANES>,
    sums: &mut Sums,
) {
    let zero = _mm256_setzero_si256();
    let (least, middle) = (_mm256_set1_epi16(task.least as i16), _mm256_set1_epi16(i16::MIN));
    let (mut min, mut max) = (_mm256_set1_epi16(-1), zero);
    let (mut squares, mut upper) = (zero, zero);
    let mut rows = [[zero; 2]; ROWS];
    for strip in range {
        let (mut sum, mut moment, mut all) = ([zero; 2], [zero; 2], [zero; 2]);
        for (row, row_sums) in task.rows.iter().zip(&mut rows) {
            let v = load(&row[strip]);
            min = _mm256_min_epu16(min, v);
            max = _mm256_max_epu16(max, v);
            // About the middle, two squares fit 32 bits.
            let distance = _mm256_xor_si256(v, middle);
            let square = _mm256_madd_epi16(distance, distance);
            squares = _mm256_add_epi64(squares, square);
            upper = _mm256_add_epi64(upper, _mm256_srli_epi64::<32>(square));
            let halves = halves(v);
            row_sums[0] = _mm256_add_epi32(row_sums[0], _mm256_add_epi32(halves[0], halves[1]));
            let mut passing = halves;
            if APART {
                passing = self::halves(passed(v, least));
                row_sums[1] = _mm256_add_epi32(row_sums[1], _mm256_add_epi32(passing[0], passing[1]));
            }
            for half in 0..2 {
                sum[half] = _mm256_add_epi32(sum[half], passing[half]);
                moment[half] = _mm256_add_epi32(moment[half], sum[half]);
                if APART {
                    all[half] = _mm256_add_epi32(all[half], halves[half]);
                }
            }
        }
        add_lanes(columns, strip, task.end, [sum, moment, if APART { all } else { sum }]);
    }
    sums.min = sums.min.min(words(min).into_iter().fold(u16::MAX, u16::min));
    sums.max = sums.max.max(words(max).into_iter().fold(0, u16::max));
    // `squares` has the upper halves at their place, wrapping round.
    let (squares, upper) = (fold64(squares), fold64(upper));
    sums.squares += squares.wrapping_sub(upper << 32).wrapping_add(upper);
    for (y, row) in rows.iter().enumerate().take(task.rows.len()) {
        let all = fold32(row[0]);
        sums.all[y] += all;
        sums.passing[y] += if APART { fold32(row[1]) } else { all };
    }
}

/// The pixels that are at least `least`, zeros for the others.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn passed(v: __m256i, least: __m256i) -> __m256i {
    _mm256_and_si256(_mm256_cmpeq_epi16(_mm256_max_epu16(v, least), v), v)
}

/// 16-bit lanes as 32-bit lanes: the even, then the odd ones.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn halves(v: __m256i) -> [__m256i; 2] {
    [_mm256_and_si256(v, _mm256_set1_epi32(0xffff)), _mm256_srli_epi32::<16>(v)]
}

#[target_feature(enable = "avx2,fma")]
#[inline]
fn load(from: &[u16; LANES]) -> __m256i {
    // Rows lie too far apart for the processor to see that the loads go on to the right.
    let ahead = from.as_ptr().wrapping_add(AHEAD);
    _mm_prefetch::<_MM_HINT_T0>(ahead.cast());
    // SAFETY: the array is as long as a vector.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

/// Adds S, `end`·S − T and the sum of all to the column sums that there are.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn add_lanes(columns: &mut Strips<LANES>, strip: usize, end: f64, [sum, moment, all]: [[__m256i; 2]; 3]) {
    let end = _mm256_set1_pd(end);
    if let (Some(sums), Some(moments)) = (columns.sum.get_mut(strip), columns.moment.get_mut(strip)) {
        let (sum, mut moment) = (doubles(sum), doubles(moment));
        for (moment, sum) in moment.iter_mut().zip(sum) {
            *moment = _mm256_fmsub_pd(end, sum, *moment);
        }
        add_doubles(sums, sum);
        add_doubles(moments, moment);
    }
    if let Some(sums) = columns.all.get_mut(strip) {
        add_doubles(sums, doubles(all));
    }
}

#[target_feature(enable = "avx2,fma")]
#[inline]
fn doubles([a, b]: [__m256i; 2]) -> [__m256d; 4] {
    let upper = [a, b].map(|v| _mm256_extracti128_si256::<1>(v));
    let lower = [a, b].map(|v| _mm256_castsi256_si128(v));
    [lower[0], upper[0], lower[1], upper[1]].map(|v| _mm256_cvtepi32_pd(v))
}

/// Adds vectors to what is at `to`.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn add_doubles(to: &mut [f64; LANES], lanes: [__m256d; 4]) {
    for (to, lanes) in to.as_chunks_mut::<{ LANES / 4 }>().0.iter_mut().zip(lanes) {
        let to = to.as_mut_ptr();
        // SAFETY: the array is as long as a vector.
        unsafe { _mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), lanes)) };
    }
}

/// The sum of the 32-bit lanes.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn fold32(v: __m256i) -> u64 {
    let lower = _mm256_srli_epi64::<32>(_mm256_slli_epi64::<32>(v));
    fold64(_mm256_add_epi64(_mm256_srli_epi64::<32>(v), lower))
}

/// The sum of the 64-bit lanes.
#[target_feature(enable = "avx2,fma")]
#[inline]
fn fold64(v: __m256i) -> u64 {
    let pair = _mm_add_epi64(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
    _mm_cvtsi128_si64(pair).wrapping_add(_mm_extract_epi64::<1>(pair)) as u64
}

#[target_feature(enable = "avx2,fma")]
#[inline]
fn words(v: __m256i) -> [u16; LANES] {
    let mut words = [0; LANES];
    // SAFETY: the array is as long as a vector.
    unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), v) };
    words
}
