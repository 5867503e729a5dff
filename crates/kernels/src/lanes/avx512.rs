//! Lanes of AVX-512.
#![allow(clippy::undocumented_unsafe_blocks, reason = "one reason for all, below")]
// SAFETY of every block here: `Avx512` is used only in functions that `per_level!` compiled for the level avx512, and
// those run only where detection found AVX512BW. Memory is reached through slices whose lengths are checked.

use super::Lanes;
use std::arch::x86_64::*;

/// 512 bits. A mask is one bit for each lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(__m512i);

/// Methods that are one instruction with two operands.
macro_rules! instructions {
    ($($name:ident = $intrinsic:ident;)*) => {$(
        #[inline(always)]
        fn $name(self, other: Self) -> Self {
            Self(unsafe { $intrinsic(self.0, other.0) })
        }
    )*};
}

impl Lanes for Avx512 {
    type Mask = __mmask32;
    const COUNT: usize = 32;
    const NONE: __mmask32 = 0;

    instructions! {
        add = _mm512_add_epi16;
        sub = _mm512_sub_epi16;
        add_saturating = _mm512_adds_epi16;
        add_saturating_unsigned = _mm512_adds_epu16;
        min = _mm512_min_epi16;
        max = _mm512_max_epi16;
        mul_low = _mm512_mullo_epi16;
        mul_high = _mm512_mulhi_epi16;
        mul_rounded = _mm512_mulhrs_epi16;
    }

    #[inline(always)]
    fn splat(value: i16) -> Self {
        Avx512(unsafe { _mm512_set1_epi16(value) })
    }

    #[inline(always)]
    fn load(from: &[i16]) -> Self {
        let from = &from[..Self::COUNT];
        Avx512(unsafe { _mm512_loadu_epi16(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [i16]) {
        let to = &mut to[..Self::COUNT];
        unsafe { _mm512_storeu_epi16(to.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Avx512(unsafe { _mm512_abs_epi16(self.0) })
    }

    #[inline(always)]
    fn shift_right(self, bits: u32) -> Self {
        Avx512(unsafe { _mm512_sra_epi16(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }

    #[inline(always)]
    fn greater(self, other: Self) -> __mmask32 {
        unsafe { _mm512_cmpgt_epi16_mask(self.0, other.0) }
    }

    #[inline(always)]
    fn equal(self, other: Self) -> __mmask32 {
        unsafe { _mm512_cmpeq_epi16_mask(self.0, other.0) }
    }

    #[inline(always)]
    fn select(self, mask: __mmask32, other: Self) -> Self {
        Avx512(unsafe { _mm512_mask_blend_epi16(mask, other.0, self.0) })
    }

    #[inline(always)]
    fn toward(self, a: Self, b: Self, one: Self) -> Self {
        let up = self.count(a.greater(b), one);
        Avx512(unsafe { _mm512_mask_sub_epi16(up.0, b.greater(a), up.0, one.0) })
    }

    #[inline(always)]
    fn toward_where(self, a: Self, b: Self, one: Self, mask: __mmask32) -> Self {
        let up = self.count(mask & a.greater(b), one);
        Avx512(unsafe { _mm512_mask_sub_epi16(up.0, mask & b.greater(a), up.0, one.0) })
    }

    #[inline(always)]
    fn count(self, mask: __mmask32, one: Self) -> Self {
        Avx512(unsafe { _mm512_mask_add_epi16(self.0, mask, self.0, one.0) })
    }

    #[inline(always)]
    fn less_unsigned(self, other: Self) -> __mmask32 {
        unsafe { _mm512_cmplt_epu16_mask(self.0, other.0) }
    }

    #[inline(always)]
    fn only(self, mask: __mmask32) -> Self {
        Avx512(unsafe { _mm512_maskz_mov_epi16(mask, self.0) })
    }

    #[inline(always)]
    fn bits(mask: __mmask32) -> u32 {
        mask
    }

    #[inline(always)]
    fn any(mask: __mmask32) -> bool {
        mask != 0
    }
}
