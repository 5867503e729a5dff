//! Rows of bytes resampled with AVX2: a shuffle puts the taps of 16 samples beside their weights. LLVM makes single
//! loads of it, and with AVX-512 narrows 16 bits to 8 in more steps than one.

#[cfg(doc)]
use super::groups::WINDOW;
use super::groups::{GROUP, Groups, Pairs, blend_rows_portable};
use std::arch::x86_64::*;

/// Fills `to` from as many pairs of taps as there are lists of weights, with the fine parts of these if `FINE`. All places
/// are less than [`WINDOW`]; returns false, and does nothing, where `row` or a list is too short.
#[target_feature(enable = "avx2")]
pub(super) fn along_row<const PAIRS: usize, const FINE: bool>(
    row: &[u8],
    groups: &Groups,
    weights: [&[[Pairs; 2]]; PAIRS],
    to: &mut [[i16; GROUP]],
) -> bool {
    let (windows, places) = (&groups.windows[..], &groups.places[..]);
    let lengths = [windows.len(), places.len()].into_iter().chain(weights.map(<[_]>::len));
    if row.len() < groups.reach || lengths.min() < Some(to.len()) {
        return false;
    }
    let half = _mm256_set1_epi16(groups.half);
    for (g, to) in to.iter_mut().enumerate() {
        let mut sum = half;
        for (pair, weights) in weights.iter().enumerate() {
            // SAFETY: the lists have as many groups as `to`.
            let (windows, places, [coarse, fine]) =
                unsafe { (windows.get_unchecked(g), places.get_unchecked(g), weights.get_unchecked(g)) };
            let [low, high] = windows.map(|start| {
                let start = start as usize + 2 * pair * groups.samples;
                // SAFETY: `reach` is where the last window of the last pair ends, and `row` goes on to there.
                unsafe { _mm_loadu_si128(row.as_ptr().add(start).cast()) }
            });
            let taps = _mm256_shuffle_epi8(_mm256_set_m128i(high, low), load(places));
            sum = _mm256_add_epi16(sum, _mm256_maddubs_epi16(taps, load(coarse)));
            if FINE {
                let fine = _mm256_maddubs_epi16(taps, load(fine));
                sum = _mm256_add_epi16(sum, _mm256_srai_epi16::<7>(fine));
            }
        }
        // SAFETY: the array is as long as a vector.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), sum) };
    }
    true
}

/// Writes the weighted sums of rows that are at least as long as `to`.
#[target_feature(enable = "avx2")]
pub(super) fn blend_rows<const N: usize>(rows: [&[i16]; N], weights: [i16; N], digits: u32, to: &mut [u8]) {
    let (to, tail) = to.as_chunks_mut::<{ 2 * GROUP }>();
    let count = to.len();
    let blocks = rows.map(|row| &row.as_chunks::<{ 2 * GROUP }>().0[..count]);
    let (factors, shift) = (weights.map(|w| _mm256_set1_epi16(w)), _mm_cvtsi32_si128(digits as i32));
    for (i, to) in to.iter_mut().enumerate() {
        let mut sums = [_mm256_setzero_si256(); 2];
        for k in 0..N {
            let [low, high] = load_two(&blocks[k][i]);
            sums[0] = _mm256_add_epi16(sums[0], _mm256_mulhi_epi16(low, factors[k]));
            sums[1] = _mm256_add_epi16(sums[1], _mm256_mulhi_epi16(high, factors[k]));
        }
        let [low, high] = sums.map(|sum| _mm256_sra_epi16(sum, shift));
        // Packing goes by halves of vectors: the two in the middle change places.
        let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi16(low, high));
        // SAFETY: the array is as long as a vector.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), packed) };
    }
    blend_rows_portable(rows.map(|row| &row[count * 2 * GROUP..]), weights, digits, tail);
}

#[target_feature(enable = "avx2")]
#[inline]
fn load<T>(from: &[[T; 2]; GROUP]) -> __m256i {
    const { assert!(size_of::<T>() == 1) };
    // SAFETY: the array is as long as a vector.
    unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
fn load_two(from: &[i16; 2 * GROUP]) -> [__m256i; 2] {
    let start: *const __m256i = from.as_ptr().cast();
    // SAFETY: the array is as long as two vectors.
    unsafe { [_mm256_loadu_si256(start), _mm256_loadu_si256(start.add(1))] }
}
