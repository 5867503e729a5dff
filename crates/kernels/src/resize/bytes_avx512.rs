//! Rows of sums blended with AVX-512: half the instructions of AVX2.

use super::groups::blend_rows_portable;
use std::arch::x86_64::*;

/// Bytes in a vector.
const LANES: usize = 64;

/// Writes the weighted sums of rows that are at least as long as `to`.
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn blend_rows<const N: usize>(rows: [&[i16]; N], weights: [i16; N], digits: u32, to: &mut [u8]) {
    let (to, tail) = to.as_chunks_mut::<LANES>();
    let count = to.len();
    let blocks = rows.map(|row| &row.as_chunks::<LANES>().0[..count]);
    let (factors, shift) = (weights.map(|w| _mm512_set1_epi16(w)), _mm_cvtsi32_si128(digits as i32));
    // Packing goes by quarters of vectors: the quarters of the first sum come before the quarters of the second.
    let order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    for (i, to) in to.iter_mut().enumerate() {
        let mut sums = [_mm512_setzero_si512(); 2];
        for k in 0..N {
            let [low, high] = load_two(&blocks[k][i]);
            sums[0] = _mm512_add_epi16(sums[0], _mm512_mulhi_epi16(low, factors[k]));
            sums[1] = _mm512_add_epi16(sums[1], _mm512_mulhi_epi16(high, factors[k]));
        }
        let [low, high] = sums.map(|sum| _mm512_sra_epi16(sum, shift));
        let packed = _mm512_permutexvar_epi64(order, _mm512_packus_epi16(low, high));
        // SAFETY: the array is as long as a vector.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), packed) };
    }
    blend_rows_portable(rows.map(|row| &row[count * LANES..]), weights, digits, tail);
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load_two(from: &[i16; LANES]) -> [__m512i; 2] {
    let start: *const __m512i = from.as_ptr().cast();
    // SAFETY: the array is as long as two vectors.
    unsafe { [_mm512_loadu_si512(start), _mm512_loadu_si512(start.add(1))] }
}
