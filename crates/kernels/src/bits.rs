//! One bit of each of 64 bytes as a word, and eight such words as bytes again; the bits of a word that a mask selects.

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;

/// How a level takes bits out of bytes.
pub(crate) trait Bits {
    /// The highest bit of each of 64 bytes; the first byte gives the lowest bit.
    fn highest(bytes: &[u8; 64]) -> u64;

    /// The bits of `word` that `mask` selects, side by side from bit 0 on.
    fn extract(word: u64, mask: u64) -> u64;

    /// The inverse of [`Bits::extract`]: the lowest bits of `word`, in order, where `mask` has ones, and 0 elsewhere.
    fn deposit(word: u64, mask: u64) -> u64;

    /// The lowest bits of 64 bytes, then the next ones …
    #[inline(always)]
    fn turn(bytes: &[u8; 64]) -> [u64; 8] {
        let (mut bytes, mut words) = (*bytes, [0; 8]);
        // From the highest bit down, because a shift to the left brings the next lower one to the top.
        for word in words.iter_mut().rev() {
            *word = Self::highest(&bytes);
            bytes = bytes.map(|byte| byte << 1);
        }
        words
    }

    /// The inverse of [`Bits::turn`].
    #[inline(always)]
    fn turn_back(mut words: [u64; 8]) -> [u8; 64] {
        // Both exchanges are their own inverse; so the order of `Portable::turn` is turned round.
        turn_bytes(&mut words);
        turn_bits(&mut words);
        let mut bytes = [0; 64];
        for (to, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
            *to = word.to_le_bytes();
        }
        bytes
    }
}

/// For every processor, eight bytes at a time.
pub(crate) struct Portable;

impl Bits for Portable {
    #[inline(always)]
    fn highest(bytes: &[u8; 64]) -> u64 {
        let mut all = 0;
        for (i, word) in words_of(bytes).into_iter().enumerate() {
            // The product gathers the lowest bits of all eight bytes in its highest byte.
            let bits = (word >> 7 & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            all |= bits << (8 * i);
        }
        all
    }

    #[inline(always)]
    fn extract(word: u64, mut mask: u64) -> u64 {
        let (mut found, mut at) = (0, 0);
        while mask != 0 {
            // `mask & -mask` is the lowest one that is left of the mask.
            found |= u64::from(word & mask & mask.wrapping_neg() != 0) << at;
            mask &= mask - 1;
            at += 1;
        }
        found
    }

    #[inline(always)]
    fn deposit(mut word: u64, mut mask: u64) -> u64 {
        let mut found = 0;
        while mask != 0 {
            found |= mask & mask.wrapping_neg() & (word & 1).wrapping_neg();
            mask &= mask - 1;
            word >>= 1;
        }
        found
    }

    #[inline(always)]
    fn turn(bytes: &[u8; 64]) -> [u64; 8] {
        let mut words = words_of(bytes);
        turn_bits(&mut words);
        turn_bytes(&mut words);
        words
    }
}

/// One instruction each, of BMI2, which both levels have.
#[cfg(target_arch = "x86_64")]
macro_rules! select_bits {
    () => {
        #[inline(always)]
        fn extract(word: u64, mask: u64) -> u64 {
            // SAFETY: used only in functions that `per_level!` compiled for a level with BMI2.
            unsafe { _pext_u64(word, mask) }
        }

        #[inline(always)]
        fn deposit(word: u64, mask: u64) -> u64 {
            // SAFETY: as above.
            unsafe { _pdep_u64(word, mask) }
        }
    };
}

/// One instruction for 32 bytes.
#[cfg(target_arch = "x86_64")]
pub(crate) struct Avx2;

#[cfg(target_arch = "x86_64")]
impl Bits for Avx2 {
    #[inline(always)]
    fn highest(bytes: &[u8; 64]) -> u64 {
        let half = |from: usize| {
            let from = bytes[from..from + 32].as_ptr();
            // SAFETY: 32 bytes are read from an array of 32; `Avx2` is used only in functions that
            // `per_level!` compiled for the level avx2, which run only on processors with AVX2.
            unsafe { _mm256_movemask_epi8(_mm256_loadu_si256(from.cast())) as u32 }
        };
        u64::from(half(0)) | u64::from(half(32)) << 32
    }

    select_bits!();
}

/// Masks are the words.
#[cfg(target_arch = "x86_64")]
pub(crate) struct Avx512;

#[cfg(target_arch = "x86_64")]
impl Bits for Avx512 {
    #[inline(always)]
    fn highest(bytes: &[u8; 64]) -> u64 {
        // SAFETY: 64 bytes are read from an array of 64; `Avx512` is used only in functions that `per_level!`
        // compiled for the level avx512, which run only on processors with AVX512BW.
        unsafe { _mm512_movepi8_mask(_mm512_loadu_si512(bytes.as_ptr().cast())) }
    }

    select_bits!();

    #[inline(always)]
    fn turn_back(words: [u64; 8]) -> [u8; 64] {
        let mut bytes = [0u8; 64];
        // SAFETY: 64 bytes are written to as many; the instructions are there as above.
        unsafe {
            // Four chains, that no bit waits for all before it.
            let mut found = [_mm512_setzero_si512(); 4];
            for (bit, word) in words.into_iter().enumerate() {
                // Each bit is added once to a byte in which it is 0, so nothing is carried.
                let chain = &mut found[bit % 4];
                *chain = _mm512_mask_add_epi8(*chain, word, *chain, _mm512_set1_epi8((1u8 << bit) as i8));
            }
            let [a, b, c, d] = found;
            let all = _mm512_or_si512(_mm512_or_si512(a, b), _mm512_or_si512(c, d));
            _mm512_storeu_si512(bytes.as_mut_ptr().cast(), all);
        }
        bytes
    }
}

#[inline(always)]
fn words_of(bytes: &[u8; 64]) -> [u64; 8] {
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
}

/// In every word: bit `i` of byte `b` changes places with bit `b` of byte `i` (Warren, Hacker's Delight, 7-3).
#[inline(always)]
fn turn_bits(words: &mut [u64; 8]) {
    for word in words {
        for (shift, mask) in [(7, 0x00AA_00AA_00AA_00AA), (14, 0x0000_CCCC_0000_CCCC), (28, 0xF0F0_F0F0)] {
            let swap = (*word ^ (*word >> shift)) & mask;
            *word ^= swap ^ (swap << shift);
        }
    }
}

/// Byte `i` of word `j` changes places with byte `j` of word `i`.
#[inline(always)]
fn turn_bytes(words: &mut [u64; 8]) {
    exchange::<4>(words, 0x0000_0000_FFFF_FFFF);
    exchange::<2>(words, 0x0000_FFFF_0000_FFFF);
    exchange::<1>(words, 0x00FF_00FF_00FF_00FF);
}

/// High parts of words change places with the low parts of the words `DISTANCE` further on.
#[inline(always)]
fn exchange<const DISTANCE: usize>(words: &mut [u64; 8], low: u64) {
    for pair in 0..4 {
        let i = pair / DISTANCE * 2 * DISTANCE + pair % DISTANCE;
        let (a, b) = (words[i], words[i + DISTANCE]);
        let swap = ((a >> (8 * DISTANCE)) ^ b) & low;
        words[i] = a ^ (swap << (8 * DISTANCE));
        words[i + DISTANCE] = b ^ swap;
    }
}
