//! Lanes of AVX2.
#![allow(clippy::undocumented_unsafe_blocks, reason = "one reason for all, below")]
// SAFETY of every block here: `Avx2` is used only in functions that `per_level!` compiled for a level that has AVX2,
// and those run only where detection found it. Memory is reached through slices whose lengths are checked.

use super::{Lanes, Mask};
use std::arch::x86_64::*;

/// 256 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(__m256i);

/// All bits or none in each lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2Mask(__m256i);

/// Methods that are one instruction with two operands.
macro_rules! instructions {
    ($($name:ident = $intrinsic:ident;)*) => {$(
        #[inline(always)]
        fn $name(self, other: Self) -> Self {
            Self(unsafe { $intrinsic(self.0, other.0) })
        }
    )*};
}

impl Lanes for Avx2 {
    type Mask = Avx2Mask;
    const COUNT: usize = 16;

    instructions! {
        add = _mm256_add_epi16;
        sub = _mm256_sub_epi16;
        add_saturating = _mm256_adds_epi16;
        add_saturating_unsigned = _mm256_adds_epu16;
        min = _mm256_min_epi16;
        max = _mm256_max_epi16;
        mul_low = _mm256_mullo_epi16;
        mul_high = _mm256_mulhi_epi16;
        mul_rounded = _mm256_mulhrs_epi16;
    }

    #[inline(always)]
    fn splat(value: i16) -> Self {
        Avx2(unsafe { _mm256_set1_epi16(value) })
    }

    #[inline(always)]
    fn load(from: &[i16]) -> Self {
        let from = &from[..Self::COUNT];
        Avx2(unsafe { _mm256_loadu_si256(from.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [i16]) {
        let to = &mut to[..Self::COUNT];
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn abs(self) -> Self {
        Avx2(unsafe { _mm256_abs_epi16(self.0) })
    }

    #[inline(always)]
    fn shift_right(self, bits: u32) -> Self {
        Avx2(unsafe { _mm256_sra_epi16(self.0, _mm_cvtsi32_si128(bits as i32)) })
    }

    #[inline(always)]
    fn greater(self, other: Self) -> Avx2Mask {
        Avx2Mask(unsafe { _mm256_cmpgt_epi16(self.0, other.0) })
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Avx2Mask {
        Avx2Mask(unsafe { _mm256_cmpeq_epi16(self.0, other.0) })
    }

    #[inline(always)]
    fn select(self, mask: Avx2Mask, other: Self) -> Self {
        Avx2(unsafe { _mm256_blendv_epi8(other.0, self.0, mask.0) })
    }

    #[inline(always)]
    fn toward(self, a: Self, b: Self, one: Self) -> Self {
        self.add(Avx2(unsafe { _mm256_sign_epi16(one.0, a.sub(b).0) }))
    }

    #[inline(always)]
    fn toward_where(self, a: Self, b: Self, one: Self, mask: Avx2Mask) -> Self {
        let step = Avx2(unsafe { _mm256_sign_epi16(one.0, a.sub(b).0) });
        self.add(step.only(mask))
    }

    #[inline(always)]
    fn count(self, mask: Avx2Mask, _: Self) -> Self {
        self.sub(Avx2(mask.0))
    }

    #[inline(always)]
    fn less_unsigned(self, other: Self) -> Avx2Mask {
        let top = Avx2::splat(i16::MIN);
        unsafe {
            let (a, b) = (_mm256_xor_si256(self.0, top.0), _mm256_xor_si256(other.0, top.0));
            Avx2Mask(_mm256_cmpgt_epi16(b, a))
        }
    }

    #[inline(always)]
    fn only(self, mask: Avx2Mask) -> Self {
        Avx2(unsafe { _mm256_and_si256(self.0, mask.0) })
    }
}

impl Mask for Avx2Mask {
    const NONE: Self = Avx2Mask(unsafe { std::mem::zeroed() });

    instructions! {
        and = _mm256_and_si256;
        or = _mm256_or_si256;
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        Avx2Mask(unsafe { _mm256_andnot_si256(other.0, self.0) })
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        // Two equal bits per lane; every second one is packed together.
        unsafe { _pext_u32(_mm256_movemask_epi8(self.0) as u32, 0x5555_5555) }
    }

    #[inline(always)]
    fn any(self) -> bool {
        unsafe { _mm256_testz_si256(self.0, self.0) == 0 }
    }
}
