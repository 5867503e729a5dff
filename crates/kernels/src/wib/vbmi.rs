//! Unpacking with the byte permutation of AVX-512 VBMI: 32 samples in three instructions.

use super::layout;
use std::arch::x86_64::*;

/// Whether this processor has it, beside the instructions of the level avx512.
pub(super) fn is_there() -> bool {
    is_x86_feature_detected!("avx512vbmi")
}

/// Where the two bytes of each of 32 samples lie in two pairs of chips.
const TWELVE: [u8; 64] = {
    let mut bytes = [0; 64];
    let mut i = 0;
    while i < 64 {
        let (pair, chip, channel, high) = (i / 32, i % 32 / 16, i % 16 / 2, i % 2);
        let byte = 24 * pair + 12 * (channel / 4) + 2 * ([0, 1, 3, 4][channel % 4] + high) + chip;
        bytes[i] = byte as u8;
        i += 1;
    }
    bytes
};

/// Unpacks whole WIB1 frames.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
pub(super) fn unpack_twelve(frames: &[u8], samples: &mut [i16]) {
    const BYTES: usize = 2 * layout::PAIR;
    let places = load(&TWELVE);
    // The lower 4 bits of samples 1, 3 … belong to the sample before.
    let down = _mm512_set1_epi32(0x0004_0000);
    let mask = _mm512_set1_epi16(0xFFF);
    layout::each_pairs::<BYTES, 32>(frames, samples, |bytes, samples| {
        // SAFETY: the mask lets the 48 bytes of `bytes` be read; 64 bytes are written to 32 samples. The instructions are
        // there, as this function runs only where they are.
        unsafe {
            let bytes = _mm512_maskz_loadu_epi8((1 << BYTES) - 1, bytes.as_ptr().cast());
            let values = _mm512_srlv_epi16(_mm512_permutexvar_epi8(places, bytes), down);
            _mm512_storeu_epi16(samples.as_mut_ptr(), _mm512_and_si512(values, mask));
        }
    });
}

/// Seven bytes, which hold four samples, to each eight.
const SEVEN: [u8; 64] = {
    let mut bytes = [0; 64];
    let mut i = 0;
    while i < 64 {
        // The eighth byte is masked off.
        bytes[i] = (i / 8 * 7 + i % 8) as u8;
        i += 1;
    }
    bytes
};

/// The bit at which each byte of the samples begins, within eight bytes.
const BITS: [u8; 64] = {
    let mut bits = [0; 64];
    let mut i = 0;
    while i < 64 {
        bits[i] = (i % 8 / 2 * 14 + i % 2 * 8) as u8;
        i += 1;
    }
    bits
};

/// Unpacks groups of 16 samples.
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vbmi")]
pub(super) fn unpack_fourteen(packed: &[u8], samples: &mut [i16]) {
    const BYTES: usize = 2 * layout::GROUP_BYTES;
    let (places, bits) = (load(&SEVEN), load(&BITS));
    let mask = _mm512_set1_epi16(0x3FFF);
    let (pairs, last) = packed.as_chunks::<BYTES>();
    let (thirty_two, rest) = samples.as_chunks_mut::<32>();
    for (bytes, samples) in pairs.iter().zip(thirty_two) {
        // SAFETY: the mask lets the 56 bytes of `bytes` be read; 64 bytes are written to 32 samples. The instructions are
        // there, as this function runs only where they are.
        unsafe {
            let bytes = _mm512_maskz_loadu_epi8((1 << BYTES) - 1, bytes.as_ptr().cast());
            let values = _mm512_multishift_epi64_epi8(bits, _mm512_permutexvar_epi8(places, bytes));
            _mm512_storeu_epi16(samples.as_mut_ptr(), _mm512_and_si512(values, mask));
        }
    }
    super::avx2::unpack_fourteen(last, rest);
}

#[target_feature(enable = "avx512f")]
fn load(bytes: &[u8; 64]) -> __m512i {
    // SAFETY: 64 bytes are read from 64 bytes.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}
