//! The loop over blocks of bytes, with AVX-512.

use super::ROWS;
use super::bytes::{Strips, Sums, Task};
use std::arch::x86_64::*;

/// How far ahead of the loads memory is asked for.
const AHEAD: usize = 256;
/// Bytes in a vector.
const LANES: usize = 64;

/// Takes in a block; adds to `columns`, and gives the other sums.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn add(task: &Task<LANES>, columns: Strips<LANES>) -> Sums {
    if columns.all.is_empty() { strips::<false>(task, columns) } else { strips::<true>(task, columns) }
}

/// With `APART` only bytes of at least `task.least` pass, else all do.
#[target_feature(enable = "avx512f,avx512bw")]
fn strips<const APART: bool>(task: &Task<LANES>, columns: Strips<LANES>) -> Sums {
    let zero = _mm512_setzero_si512();
    let (least, low) = (_mm512_set1_epi8(task.least as i8), _mm512_set1_epi16(0xff));
    let end = _mm512_set1_epi32(task.end);
    let (mut min, mut max, mut squares) = (_mm512_set1_epi8(-1), zero, zero);
    let mut rows = [[zero; 2]; ROWS];
    let whole = task.rows.first().map_or(0, |row| row.len());
    for strip in 0..whole {
        let (mut sum, mut moment, mut all) = ([zero; 2], [zero; 2], [zero; 2]);
        let mut strip_squares = zero;
        for (row, row_sums) in task.rows.iter().zip(&mut rows) {
            let v = load(&row[strip]);
            min = _mm512_min_epu8(min, v);
            max = _mm512_max_epu8(max, v);
            row_sums[0] = _mm512_add_epi64(row_sums[0], _mm512_sad_epu8(v, zero));
            let halves = [_mm512_and_si512(v, low), _mm512_srli_epi16::<8>(v)];
            for half in halves {
                strip_squares = _mm512_add_epi32(strip_squares, _mm512_madd_epi16(half, half));
            }
            let mut passing = halves;
            if APART {
                let v = passed(v, least);
                row_sums[1] = _mm512_add_epi64(row_sums[1], _mm512_sad_epu8(v, zero));
                passing = [_mm512_and_si512(v, low), _mm512_srli_epi16::<8>(v)];
            }
            for half in 0..2 {
                sum[half] = _mm512_add_epi16(sum[half], passing[half]);
                moment[half] = _mm512_add_epi16(moment[half], sum[half]);
                if APART {
                    all[half] = _mm512_add_epi16(all[half], halves[half]);
                }
            }
        }
        squares = _mm512_add_epi64(
            squares,
            _mm512_add_epi64(
                _mm512_srli_epi64::<32>(strip_squares),
                _mm512_srli_epi64::<32>(_mm512_slli_epi64::<32>(strip_squares)),
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
            moments[i] = _mm512_sub_epi32(_mm512_madd_epi16(sum[i], end), moment[i]);
        }
        add_lanes(&mut columns.moment[strip], moments);
    }
    let mut sums = Sums { min: 0, max: 0, squares: fold(squares), all: [0; ROWS], passing: [0; ROWS] };
    sums.min = smallest(min);
    sums.max = !smallest(_mm512_xor_si512(max, _mm512_set1_epi8(-1)));
    for (y, row) in rows.iter().enumerate().take(task.rows.len()) {
        sums.all[y] = fold(row[0]);
        sums.passing[y] = if APART { fold(row[1]) } else { sums.all[y] };
    }
    sums
}

/// The bytes that are at least `least`, zeros for the others.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn passed(v: __m512i, least: __m512i) -> __m512i {
    _mm512_maskz_mov_epi8(_mm512_cmpge_epu8_mask(v, least), v)
}

/// 16-bit lanes as 32-bit lanes: of each vector the even, then the odd ones.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn quarters([a, b]: [__m512i; 2]) -> [__m512i; 4] {
    let low = _mm512_set1_epi32(0xffff);
    [
        _mm512_and_si512(a, low),
        _mm512_srli_epi32::<16>(a),
        _mm512_and_si512(b, low),
        _mm512_srli_epi32::<16>(b),
    ]
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn load(from: &[u8; LANES]) -> __m512i {
    // Rows lie too far apart for the processor to see that the loads go on to the right.
    let ahead = from.as_ptr().wrapping_add(AHEAD);
    _mm_prefetch::<_MM_HINT_T0>(ahead.cast());
    // SAFETY: the array is as long as a vector.
    unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
}

/// Adds vectors to what is at `to`.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn add_lanes(to: &mut [i32; LANES], lanes: [__m512i; 4]) {
    for (to, lanes) in to.as_chunks_mut::<{ LANES / 4 }>().0.iter_mut().zip(lanes) {
        let to = to.as_mut_ptr().cast();
        // SAFETY: the array is as long as a vector.
        unsafe { _mm512_storeu_si512(to, _mm512_add_epi32(_mm512_loadu_si512(to), lanes)) };
    }
}

/// The sum of the 64-bit lanes.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn fold(v: __m512i) -> u64 {
    _mm512_reduce_add_epi64(v) as u64
}

/// The smallest byte.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn smallest(v: __m512i) -> u8 {
    let half = _mm256_min_epu8(_mm512_castsi512_si256(v), _mm512_extracti64x4_epi64::<1>(v));
    let quarter = _mm_min_epu8(_mm256_castsi256_si128(half), _mm256_extracti128_si256::<1>(half));
    let words = _mm_min_epu8(quarter, _mm_srli_epi16::<8>(quarter));
    // The upper halves of the words are 0 now.
    _mm_cvtsi128_si32(_mm_minpos_epu16(words)) as u8
}
