//! Lanes of AVX2.
#![allow(clippy::undocumented_unsafe_blocks, reason = "one reason for all, below")]
// SAFETY of every block here: `Avx2` is used only in functions that `per_level!` compiled for a level that has AVX2,
// and those run only where detection found it. Memory is reached through slices whose lengths are checked.

use super::Lanes;
use std::arch::x86_64::*;
use std::ops::{BitAnd, BitOr, Not};

/// 256 bits. A mask has all bits of a lane, or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(__m256i);

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
    type Mask = Avx2;
    const COUNT: usize = 16;
    const NONE: Avx2 = Avx2(unsafe { std::mem::zeroed() });

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
    fn greater(self, other: Self) -> Avx2 {
        Avx2(unsafe { _mm256_cmpgt_epi16(self.0, other.0) })
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Avx2 {
        Avx2(unsafe { _mm256_cmpeq_epi16(self.0, other.0) })
    }

    #[inline(always)]
    fn select(self, mask: Avx2, other: Self) -> Self {
        Avx2(unsafe { _mm256_blendv_epi8(other.0, self.0, mask.0) })
    }

    #[inline(always)]
    fn toward(self, a: Self, b: Self, one: Self) -> Self {
        // One with the sign of the difference, and 0 for equal lanes.
        self.add(Avx2(unsafe { _mm256_sign_epi16(one.0, a.sub(b).0) }))
    }

    #[inline(always)]
    fn toward_where(self, a: Self, b: Self, one: Self, mask: Avx2) -> Self {
        let step = Avx2(unsafe { _mm256_sign_epi16(one.0, a.sub(b).0) });
        self.add(step.only(mask))
    }

    #[inline(always)]
    fn count(self, mask: Avx2, _: Self) -> Self {
        // A yes is −1.
        self.sub(mask)
    }

    #[inline(always)]
    fn less_unsigned(self, other: Self) -> Avx2 {
        // AVX2 compares only numbers with sign: turning over the highest bits moves both into their range.
        let top = Avx2::splat(i16::MIN);
        unsafe {
            let (a, b) = (_mm256_xor_si256(self.0, top.0), _mm256_xor_si256(other.0, top.0));
            Avx2(_mm256_cmpgt_epi16(b, a))
        }
    }

    #[inline(always)]
    fn only(self, mask: Avx2) -> Self {
        Avx2(unsafe { _mm256_and_si256(self.0, mask.0) })
    }

    #[inline(always)]
    fn bits(mask: Avx2) -> u32 {
        // Two equal bits per lane; the even ones are packed together.
        unsafe { _pext_u32(_mm256_movemask_epi8(mask.0) as u32, 0x5555_5555) }
    }

    #[inline(always)]
    fn any(mask: Avx2) -> bool {
        unsafe { _mm256_testz_si256(mask.0, mask.0) == 0 }
    }
}

impl BitAnd for Avx2 {
    type Output = Avx2;

    #[inline(always)]
    fn bitand(self, other: Avx2) -> Avx2 {
        Avx2(unsafe { _mm256_and_si256(self.0, other.0) })
    }
}

impl BitOr for Avx2 {
    type Output = Avx2;

    #[inline(always)]
    fn bitor(self, other: Avx2) -> Avx2 {
        Avx2(unsafe { _mm256_or_si256(self.0, other.0) })
    }
}

impl Not for Avx2 {
    type Output = Avx2;

    #[inline(always)]
    fn not(self) -> Avx2 {
        Avx2(unsafe { _mm256_xor_si256(self.0, _mm256_set1_epi8(-1)) })
    }
}
