//! Registers of AVX-512.
#![allow(clippy::undocumented_unsafe_blocks, reason = "one reason for all, below")]
// SAFETY of every block here: these functions are called only from functions that are compiled for a level that has
// AVX-512F and BW, and such a level exists only where detection found them. Memory is reached as the callers of the
// unsafe functions promise.

use super::Vector;
use std::arch::x86_64::*;

impl Vector for __m512i {
    instructions! {
        and = _mm512_and_si512;
        or = _mm512_or_si512;
        xor = _mm512_xor_si512;
        add8 = _mm512_add_epi8;
        add16 = _mm512_add_epi16;
        add32 = _mm512_add_epi32;
        add64 = _mm512_add_epi64;
        sub8 = _mm512_sub_epi8;
        sub16 = _mm512_sub_epi16;
        sub32 = _mm512_sub_epi32;
        min8 = _mm512_min_epu8;
        max8 = _mm512_max_epu8;
        min16 = _mm512_min_epu16;
        max16 = _mm512_max_epu16;
        dot16 = _mm512_madd_epi16;
    }

    shifts! {
        left16 = _mm512_sll_epi16;
        left32 = _mm512_sll_epi32;
        left64 = _mm512_sll_epi64;
        right16 = _mm512_srl_epi16;
        right32 = _mm512_srl_epi32;
        right64 = _mm512_srl_epi64;
    }

    #[inline(always)]
    fn zero() -> Self {
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    fn splat8(value: u8) -> Self {
        unsafe { _mm512_set1_epi8(value as i8) }
    }

    #[inline(always)]
    fn splat16(value: u16) -> Self {
        unsafe { _mm512_set1_epi16(value as i16) }
    }

    #[inline(always)]
    fn splat32(value: u32) -> Self {
        unsafe { _mm512_set1_epi32(value as i32) }
    }

    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        unsafe { _mm512_loadu_si512(from.cast()) }
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        unsafe { _mm512_storeu_si512(to.cast(), self) }
    }

    #[inline(always)]
    fn at_least8(self, least: Self) -> Self {
        unsafe { _mm512_maskz_mov_epi8(_mm512_cmpge_epu8_mask(self, least), self) }
    }

    #[inline(always)]
    fn at_least16(self, least: Self) -> Self {
        unsafe { _mm512_maskz_mov_epi16(_mm512_cmpge_epu16_mask(self, least), self) }
    }

    #[inline(always)]
    fn sum8(self) -> Self {
        unsafe { _mm512_sad_epu8(self, _mm512_setzero_si512()) }
    }

    #[inline(always)]
    fn fold64(self) -> u64 {
        unsafe { _mm512_reduce_add_epi64(self) as u64 }
    }

    #[inline(always)]
    fn smallest8(self) -> u8 {
        unsafe {
            let half = _mm256_min_epu8(_mm512_castsi512_si256(self), _mm512_extracti64x4_epi64::<1>(self));
            half.smallest8()
        }
    }

    #[inline(always)]
    fn zip16(self, other: Self) -> [Self; 2] {
        unsafe { [_mm512_unpacklo_epi16(self, other), _mm512_unpackhi_epi16(self, other)] }
    }

    #[inline(always)]
    fn in_order32([lower, upper]: [Self; 2]) -> [Self; 2] {
        unsafe {
            let first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
            let second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
            [_mm512_permutex2var_epi64(lower, first, upper), _mm512_permutex2var_epi64(lower, second, upper)]
        }
    }

    #[inline(always)]
    fn in_order64([lower, upper]: [[Self; 2]; 2]) -> [Self; 4] {
        unsafe {
            // Eight neighbours are the same 128 bits of all four.
            let a = _mm512_unpacklo_epi64(lower[0], lower[1]);
            let b = _mm512_unpackhi_epi64(lower[0], lower[1]);
            let c = _mm512_unpacklo_epi64(upper[0], upper[1]);
            let d = _mm512_unpackhi_epi64(upper[0], upper[1]);
            let (ab, cd) = (_mm512_shuffle_i64x2::<0x44>(a, b), _mm512_shuffle_i64x2::<0x44>(c, d));
            let (ab_upper, cd_upper) =
                (_mm512_shuffle_i64x2::<0xee>(a, b), _mm512_shuffle_i64x2::<0xee>(c, d));
            [
                _mm512_shuffle_i64x2::<0x88>(ab, cd),
                _mm512_shuffle_i64x2::<0xdd>(ab, cd),
                _mm512_shuffle_i64x2::<0x88>(ab_upper, cd_upper),
                _mm512_shuffle_i64x2::<0xdd>(ab_upper, cd_upper),
            ]
        }
    }

    #[inline(always)]
    unsafe fn add_to(self, to: *mut f64) {
        unsafe {
            for (half, to) in doubles(self).into_iter().zip([to, to.add(8)]) {
                _mm512_storeu_pd(to, _mm512_add_pd(_mm512_loadu_pd(to), half));
            }
        }
    }

    #[inline(always)]
    unsafe fn add_product_to(self, factor: f64, less: Self, to: *mut f64) {
        unsafe {
            let (factor, halves) = (_mm512_set1_pd(factor), doubles(self).into_iter().zip(doubles(less)));
            for ((half, less), to) in halves.zip([to, to.add(8)]) {
                let product = _mm512_fmsub_pd(factor, half, less);
                _mm512_storeu_pd(to, _mm512_add_pd(_mm512_loadu_pd(to), product));
            }
        }
    }
}

/// 32-bit lanes with a sign as numbers: the lower and the upper half of the register.
#[inline(always)]
fn doubles(v: __m512i) -> [__m512d; 2] {
    unsafe {
        [_mm512_cvtepi32_pd(_mm512_castsi512_si256(v)), _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64::<1>(v))]
    }
}
