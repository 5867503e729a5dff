//! Registers of AVX2.
#![allow(clippy::undocumented_unsafe_blocks, reason = "one reason for all, below")]
// SAFETY of every block here: these functions are called only from functions that are compiled for a level that has
// AVX2 and FMA, and such a level exists only where detection found them. Memory is reached as the callers of the unsafe
// functions promise.

use super::Vector;
use std::arch::x86_64::*;

impl Vector for __m256i {
    instructions! {
        and = _mm256_and_si256;
        or = _mm256_or_si256;
        xor = _mm256_xor_si256;
        add8 = _mm256_add_epi8;
        add16 = _mm256_add_epi16;
        add32 = _mm256_add_epi32;
        add64 = _mm256_add_epi64;
        sub8 = _mm256_sub_epi8;
        sub16 = _mm256_sub_epi16;
        sub32 = _mm256_sub_epi32;
        min8 = _mm256_min_epu8;
        max8 = _mm256_max_epu8;
        min16 = _mm256_min_epu16;
        max16 = _mm256_max_epu16;
        dot16 = _mm256_madd_epi16;
    }

    shifts! {
        left16 = _mm256_sll_epi16;
        left32 = _mm256_sll_epi32;
        left64 = _mm256_sll_epi64;
        right16 = _mm256_srl_epi16;
        right32 = _mm256_srl_epi32;
        right64 = _mm256_srl_epi64;
    }

    #[inline(always)]
    fn zero() -> Self {
        unsafe { _mm256_setzero_si256() }
    }

    #[inline(always)]
    fn splat8(value: u8) -> Self {
        unsafe { _mm256_set1_epi8(value as i8) }
    }

    #[inline(always)]
    fn splat16(value: u16) -> Self {
        unsafe { _mm256_set1_epi16(value as i16) }
    }

    #[inline(always)]
    fn splat32(value: u32) -> Self {
        unsafe { _mm256_set1_epi32(value as i32) }
    }

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        unsafe { _mm256_loadu_si256(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        unsafe { _mm256_storeu_si256(to.cast(), self) }
    }

    #[inline(always)]
    fn at_least8(self, least: Self) -> Self {
        // AVX2 compares only numbers with sign: a lane is at least `least` where it is the larger one.
        unsafe { _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(self, least), self), self) }
    }

    #[inline(always)]
    fn at_least16(self, least: Self) -> Self {
        // As above.
        unsafe { _mm256_and_si256(_mm256_cmpeq_epi16(_mm256_max_epu16(self, least), self), self) }
    }

    #[inline(always)]
    fn sum8(self) -> Self {
        unsafe { _mm256_sad_epu8(self, _mm256_setzero_si256()) }
    }

    #[inline(always)]
    fn fold64(self) -> u64 {
        unsafe {
            let pair = _mm_add_epi64(_mm256_castsi256_si128(self), _mm256_extracti128_si256::<1>(self));
            _mm_cvtsi128_si64(pair).wrapping_add(_mm_extract_epi64::<1>(pair)) as u64
        }
    }

    #[inline(always)]
    fn smallest8(self) -> u8 {
        unsafe {
            let quarter = _mm_min_epu8(_mm256_castsi256_si128(self), _mm256_extracti128_si256::<1>(self));
            let words = _mm_min_epu8(quarter, _mm_srli_epi16::<8>(quarter));
            // The upper halves of the words are 0 now.
            _mm_cvtsi128_si32(_mm_minpos_epu16(words)) as u8
        }
    }

    #[inline(always)]
    fn zip16(self, other: Self) -> [Self; 2] {
        unsafe { [_mm256_unpacklo_epi16(self, other), _mm256_unpackhi_epi16(self, other)] }
    }

    #[inline(always)]
    fn in_order32([lower, upper]: [Self; 2]) -> [Self; 2] {
        unsafe {
            [_mm256_permute2x128_si256::<0x20>(lower, upper), _mm256_permute2x128_si256::<0x31>(lower, upper)]
        }
    }

    #[inline(always)]
    fn in_order64([lower, upper]: [[Self; 2]; 2]) -> [Self; 4] {
        unsafe {
            // Four neighbours are the same 128 bits of two.
            let a = _mm256_unpacklo_epi64(lower[0], lower[1]);
            let b = _mm256_unpackhi_epi64(lower[0], lower[1]);
            let c = _mm256_unpacklo_epi64(upper[0], upper[1]);
            let d = _mm256_unpackhi_epi64(upper[0], upper[1]);
            [
                _mm256_permute2x128_si256::<0x20>(a, b),
                _mm256_permute2x128_si256::<0x20>(c, d),
                _mm256_permute2x128_si256::<0x31>(a, b),
                _mm256_permute2x128_si256::<0x31>(c, d),
            ]
        }
    }

    #[inline(always)]
    unsafe fn add_to(self, to: *mut f64) {
        unsafe {
            for (half, to) in doubles(self).into_iter().zip([to, to.add(4)]) {
                _mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), half));
            }
        }
    }

    #[inline(always)]
    unsafe fn add_product_to(self, factor: f64, less: Self, to: *mut f64) {
        unsafe {
            let (factor, halves) = (_mm256_set1_pd(factor), doubles(self).into_iter().zip(doubles(less)));
            for ((half, less), to) in halves.zip([to, to.add(4)]) {
                let product = _mm256_fmsub_pd(factor, half, less);
                _mm256_storeu_pd(to, _mm256_add_pd(_mm256_loadu_pd(to), product));
            }
        }
    }
}

/// 32-bit lanes with a sign as numbers: the lower and the upper half of the register.
#[inline(always)]
fn doubles(v: __m256i) -> [__m256d; 2] {
    unsafe {
        [_mm256_cvtepi32_pd(_mm256_castsi256_si128(v)), _mm256_cvtepi32_pd(_mm256_extracti128_si256::<1>(v))]
    }
}
