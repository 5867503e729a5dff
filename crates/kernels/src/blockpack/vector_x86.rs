//! Vectors of AVX2 and AVX-512.
#![allow(clippy::undocumented_unsafe_blocks, reason = "one reason for all, below")]
// SAFETY of every block here: `Avx2` and `Avx512` are used only in functions that `per_level!` compiled for a level that has their
// instructions, and those run only where detection found it. Memory is reached through arrays that are as long as a vector.

use std::arch::x86_64::*;

use super::vector::Vector;
use super::{ROW, Word};

/// 256 bits.
#[derive(Clone, Copy)]
pub(super) struct Avx2(__m256i);

/// 512 bits.
#[derive(Clone, Copy)]
pub(super) struct Avx512(__m512i);

/// One instruction with two operands, whatever the words.
macro_rules! bitwise {
    ($($name:ident = $intrinsic:ident;)*) => {$(
        #[inline(always)]
        fn $name(self, other: Self) -> Self {
            Self(unsafe { $intrinsic(self.0, other.0) })
        }
    )*};
}

/// One instruction with two operands for each size of words.
macro_rules! by_word {
    ($($name:ident = $bytes:ident, $words:ident, $double_words:ident;)*) => {$(
        #[inline(always)]
        fn $name<T: Word>(self, other: Self) -> Self {
            Self(unsafe {
                match T::BITS {
                    8 => $bytes(self.0, other.0),
                    16 => $words(self.0, other.0),
                    _ => $double_words(self.0, other.0),
                }
            })
        }
    )*};
}

/// Shifts. The number of bits is known when this is compiled, and becomes part of the instruction. No instruction shifts
/// bytes: there, what comes from their neighbours is taken away.
macro_rules! shifts {
    ($($name:ident = $words:ident, $double_words:ident, bytes $shift:tt;)*) => {$(
        #[inline(always)]
        fn $name<T: Word>(self, bits: u32) -> Self {
            let count = unsafe { _mm_cvtsi32_si128(bits as i32) };
            match T::BITS {
                8 => Self(unsafe { $words(self.0, count) }).and(Self::splat(0xffu8 $shift bits)),
                16 => Self(unsafe { $words(self.0, count) }),
                _ => Self(unsafe { $double_words(self.0, count) }),
            }
        }
    )*};
}

impl Vector for Avx2 {
    const BYTES: usize = 32;

    #[inline(always)]
    fn load(row: &[u8; ROW], part: usize) -> Self {
        let from: &[u8; 32] = &row.as_chunks().0[part];
        Avx2(unsafe { _mm256_loadu_si256(from.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, row: &mut [u8; ROW], part: usize) {
        let to: &mut [u8; 32] = &mut row.as_chunks_mut().0[part];
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn splat<T: Word>(value: T) -> Self {
        let value = value.unsigned() as i32;
        Avx2(unsafe {
            match T::BITS {
                8 => _mm256_set1_epi8(value as i8),
                16 => _mm256_set1_epi16(value as i16),
                _ => _mm256_set1_epi32(value),
            }
        })
    }

    bitwise! {
        and = _mm256_and_si256;
        or = _mm256_or_si256;
        xor = _mm256_xor_si256;
    }

    by_word! {
        plus = _mm256_add_epi8, _mm256_add_epi16, _mm256_add_epi32;
        minus = _mm256_sub_epi8, _mm256_sub_epi16, _mm256_sub_epi32;
    }

    shifts! {
        left = _mm256_sll_epi16, _mm256_sll_epi32, bytes <<;
        right = _mm256_srl_epi16, _mm256_srl_epi32, bytes >>;
    }
}

impl Vector for Avx512 {
    const BYTES: usize = 64;

    #[inline(always)]
    fn load(row: &[u8; ROW], _: usize) -> Self {
        Avx512(unsafe { _mm512_loadu_si512(row.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, row: &mut [u8; ROW], _: usize) {
        unsafe { _mm512_storeu_si512(row.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn splat<T: Word>(value: T) -> Self {
        let value = value.unsigned() as i32;
        Avx512(unsafe {
            match T::BITS {
                8 => _mm512_set1_epi8(value as i8),
                16 => _mm512_set1_epi16(value as i16),
                _ => _mm512_set1_epi32(value),
            }
        })
    }

    bitwise! {
        and = _mm512_and_si512;
        or = _mm512_or_si512;
        xor = _mm512_xor_si512;
    }

    by_word! {
        plus = _mm512_add_epi8, _mm512_add_epi16, _mm512_add_epi32;
        minus = _mm512_sub_epi8, _mm512_sub_epi16, _mm512_sub_epi32;
    }

    shifts! {
        left = _mm512_sll_epi16, _mm512_sll_epi32, bytes <<;
        right = _mm512_srl_epi16, _mm512_srl_epi32, bytes >>;
    }
}
