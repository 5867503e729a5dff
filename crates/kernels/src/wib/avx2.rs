//! Unpacking with byte shuffles, which the compiler does not find by itself. The level avx512 uses it too where the
//! permutation of bytes is missing: its shuffles would need as many instructions, all on one port.

use super::layout;
use std::arch::x86_64::*;

/// Puts a sample's two bytes into each 16-bit lane: the even bytes of a pair of chips in the lower half, the odd ones
/// in the upper half. `from` is the first of the 16 loaded bytes, out of 24.
const fn bytes_of_twelve(from: usize, to: usize) -> [i8; 32] {
    let mut shuffle = [-1; 32];
    let mut i = 0;
    while i < 32 {
        let (chip, channel, high) = (i / 16, i % 16 / 2, i % 2);
        let byte = 12 * (channel / 4) + 2 * ([0, 1, 3, 4][channel % 4] + high) + chip;
        if byte >= from && byte < to {
            shuffle[i] = (byte - from) as i8;
        }
        i += 1;
    }
    shuffle
}

/// Shuffle of the first 16 bytes, and of the last 16 as far as they are not in the first.
const TWELVE: [[i8; 32]; 2] = [bytes_of_twelve(0, 16), bytes_of_twelve(8, 24)];

/// Unpacks whole WIB1 frames.
#[target_feature(enable = "avx2")]
pub(super) fn unpack_twelve(frames: &[u8], samples: &mut [i16]) {
    let first = load(&TWELVE[0]);
    let mut rest = TWELVE[1];
    for (rest, first) in rest.iter_mut().zip(TWELVE[0]) {
        *rest = if first >= 0 { -1 } else { *rest };
    }
    let rest = load(&rest);
    // Shifts by 4 bits to the upper 12 bits for samples 0, 2 …; the odd samples are there already.
    let up = _mm256_set1_epi32(0x0001_0010);
    layout::each_pairs::<{ layout::PAIR }, { layout::PAIR_CHANNELS }>(frames, samples, |bytes, samples| {
        let (low, high) = (bytes.as_ptr(), bytes[8..].as_ptr());
        // SAFETY: 16 bytes from byte 0 and from byte 8 on are within the 24; 32 bytes are written to 16 samples. AVX2
        // is there, as this function runs only where it is.
        unsafe {
            let low = _mm256_broadcastsi128_si256(_mm_loadu_si128(low.cast()));
            let high = _mm256_broadcastsi128_si256(_mm_loadu_si128(high.cast()));
            let bytes = _mm256_or_si256(_mm256_shuffle_epi8(low, first), _mm256_shuffle_epi8(high, rest));
            let values = _mm256_srli_epi16::<4>(_mm256_mullo_epi16(bytes, up));
            _mm256_storeu_si256(samples.as_mut_ptr().cast(), values);
        }
    });
}

/// Puts the two bytes that hold the first bits of each sample (`after` 0), or those one byte later, into its lane. The
/// upper half was loaded from byte 12 on and begins at byte 14.
const fn bytes_of_fourteen(after: usize) -> [i8; 32] {
    let mut shuffle = [-1; 32];
    let mut i = 0;
    while i < 32 {
        let (half, sample, high) = (i / 16, i % 16 / 2, i % 2);
        let byte = 14 * sample / 8 + after + high + 2 * half;
        // Beyond the group only for a sample that has no bits there.
        if byte < 16 {
            shuffle[i] = byte as i8;
        }
        i += 1;
    }
    shuffle
}

/// 2^(8 − the sample's first bit), by which the later two bytes are shifted up.
const UP: i64 = 1 << 8 | 1 << (2 + 16) | 1 << (4 + 32) | 1 << (6 + 48);
/// 2^(16 − the sample's first bit), which shifts the first two bytes down; samples that begin at bit 0 need no shift.
const DOWN: i64 = 1 << (10 + 16) | 1 << (12 + 32) | 1 << (14 + 48);

/// Unpacks groups of 16 samples.
#[target_feature(enable = "avx2")]
pub(super) fn unpack_fourteen(packed: &[u8], samples: &mut [i16]) {
    const SHUFFLES: [[i8; 32]; 2] = [bytes_of_fourteen(0), bytes_of_fourteen(1)];
    let (first, later) = (load(&SHUFFLES[0]), load(&SHUFFLES[1]));
    let (up, down) = (_mm256_set1_epi64x(UP), _mm256_set1_epi64x(DOWN));
    let (whole, mask) = (_mm256_set1_epi64x(0xFFFF), _mm256_set1_epi16(0x3FFF));
    layout::each_group(packed, samples, |bytes, samples| {
        let (low, high) = (bytes.as_ptr(), bytes[12..].as_ptr());
        // SAFETY: 16 bytes from byte 0 and from byte 12 on are within the 28; 32 bytes are written to 16 samples. AVX2
        // is there, as this function runs only where it is.
        unsafe {
            let bytes = _mm256_set_m128i(_mm_loadu_si128(high.cast()), _mm_loadu_si128(low.cast()));
            let first = _mm256_shuffle_epi8(bytes, first);
            let later = _mm256_mullo_epi16(_mm256_shuffle_epi8(bytes, later), up);
            let first = _mm256_or_si256(_mm256_mulhi_epu16(first, down), _mm256_and_si256(first, whole));
            let values = _mm256_and_si256(_mm256_or_si256(first, later), mask);
            _mm256_storeu_si256(samples.as_mut_ptr().cast(), values);
        }
    });
}

#[target_feature(enable = "avx2")]
fn load(bytes: &[i8; 32]) -> __m256i {
    // SAFETY: 32 bytes are read from 32 bytes.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}
