//! The loop over blocks of bytes, with AVX2.

use super::ROWS;
use super::bytes::{Strips, Sums, Task};
use std::arch::x86_64::*;

/// How far ahead of the loads memory is asked for.
const AHEAD: usize = 256;
/// Bytes in a vector.
const LANES: usize = 32;

/// Takes in a block; adds to `columns`, and gives the other sums.
#[target_feature(enable = "avx2")]
pub(super) fn add(task: &Task<LANES>, columns: Strips<LANES>) -> Sums {
    if columns.all.is_empty() { strips::<false>(task, columns) } else { strips::<true>(task, columns) }
}

/// With `APART` only bytes of at least `task.least` pass, else all do.
#[target_feature(enable = "avx2")]
fn strips<const APART: bool>(task: &Task<LANES>, columns: Strips<LANES>) -> Sums {
    let zero = _mm256_setzero_si256();
    let (least, low) = (_mm256_set1_epi8(task.least as i8), _mm256_set1_epi16(0xff));
    let end = _mm256_set1_epi32(task.end);
    let (mut min, mut max, mut squares) = (_mm256_set1_epi8(-1), zero, zero);
    let mut rows = [[zero; 2]; ROWS];
    let whole = task.rows.first().map_or(0, |row| row.len());
    for strip in 0..whole {
        let (mut sum, mut moment, mut all) = ([zero; 2], [zero; 2], [zero; 2]);
        let mut strip_squares = zero;
        for (row, row_sums) in task.rows.iter().zip(&mut rows) {
            let v = load(&row[strip]);
            min = _mm256_min_epu8(min, v);
            max = _mm256_max_epu8(max, v);
            row_sums[0] = _mm256_add_epi64(row_sums[0], _mm256_sad_epu8(v, zero));
            let halves = [_mm256_and_si256(v, low), _mm256_srli_epi16::<8>(v)];
            for half in halves {
                strip_squares = _mm256_add_epi32(strip_squares, _mm256_madd_epi16(half, half));
            }
            let mut passing = halves;
            if APART {
                let v = passed(v, least);
                row_sums[1] = _mm256_add_epi64(row_sums[1], _mm256_sad_epu8(v, zero));
                passing = [_mm256_and_si256(v, low), _mm256_srli_epi16::<8>(v)];
            }
            for half in 0..2 {
                sum[half] = _mm256_add_epi16(sum[half], passing[half]);
                moment[half] = _mm256_add_epi16(moment[half], sum[half]);
                if APART {
                    all[half] = _mm256_add_epi16(all[half], halves[half]);
                }
            }
        }
        squares = _mm256_add_epi64(
            squares,
            _mm256_add_epi64(
                _mm256_srli_epi64::<32>(strip_squares),
                _mm256_srli_epi64::<32>(_mm256_slli_epi64::<32>(strip_squares)),
            ),
        );
        add_lanes(&mut columns.sum[strip], quarters(sum));
        if APART {
            add_lanes(&mut columns.all[strip], quarters(all));
        }
        let (sum, moment) = (quarters(sum), quarters(moment));
        let mut moments = [zero; 4];
        for i in 0..4 {
            // Both factors are positive 16-bit numbers.
            moments[i] = _mm256_sub_epi32(_mm256_madd_epi16(sum[i], end), moment[i]);
        }
        add_lanes(&mut columns.moment[strip], moments);
    }
    let mut sums = Sums { min: 0, max: 0, squares: fold(squares), all: [0; ROWS], passing: [0; ROWS] };
    sums.min = smallest(min);
    sums.max = !smallest(_mm256_xor_si256(max, _mm256_set1_epi8(-1)));
    for (y, row) in rows.iter().enumerate().take(task.rows.len()) {
        sums.all[y] = fold(row[0]);
        sums.passing[y] = if APART { fold(row[1]) } else { sums.all[y] };
    }
    sums
}

/// The bytes that are at least `least`, zeros for the others.
#[target_feature(enable = "avx2")]
#[inline]
fn passed(v: __m256i, least: __m256i) -> __m256i {
    _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(v, least), v), v)
}

/// 16-bit lanes as 32-bit lanes: of each vector the even, then the odd ones.
#[target_feature(enable = "avx2")]
#[inline]
fn quarters([a, b]: [__m256i; 2]) -> [__m256i; 4] {
    let low = _mm256_set1_epi32(0xffff);
    [
        _mm256_and_si256(a, low),
        _mm256_srli_epi32::<16>(a),
        _mm256_and_si256(b, low),
        _mm256_srli_epi32::<16>(b),
    ]
}

#[target_feature(enable = "avx2")]
#[inline]
fn load(from: &[u8; LANES]) -> __m256i {
    // Rows lie too far apart for the processor to see that the loads go on to the right.
    let ahead = from.as_ptr().wrapping_add(AHEAD);
    _mm_prefetch::<_MM_HINT_T0>(ahead.cast());
    // SAFETY: the array is as long as a vector.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

/// Adds vectors to what is at `to`.
#[target_feature(enable = "avx2")]
#[inline]
fn add_lanes(to: &mut [i32; LANES], lanes: [__m256i; 4]) {
    for (to, lanes) in to.as_chunks_mut::<{ LANES / 4 }>().0.iter_mut().zip(lanes) {
        let to = to.as_mut_ptr().cast();
        // SAFETY: the array is as long as a vector.
        unsafe { _mm256_storeu_si256(to, _mm256_add_epi32(_mm256_loadu_si256(to), lanes)) };
    }
}

/// The sum of the 64-bit lanes.
#[target_feature(enable = "avx2")]
#[inline]
fn fold(v: __m256i) -> u64 {
    let pair = _mm_add_epi64(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
    (_mm_cvtsi128_si64(pair) + _mm_extract_epi64::<1>(pair)) as u64
}

/// The smallest byte.
#[target_feature(enable = "avx2")]
#[inline]
fn smallest(v: __m256i) -> u8 {
    let quarter = _mm_min_epu8(_mm256_castsi256_si128(v), _mm256_extracti128_si256::<1>(v));
    let words = _mm_min_epu8(quarter, _mm_srli_epi16::<8>(quarter));
    // The upper halves of the words are 0 now.
    _mm_cvtsi128_si32(_mm_minpos_epu16(words)) as u8
}
