//! Hist16 with AVX2: eight pixels at a time are moved by a shuffle that their eight bits of map look up.

use super::MAP_BITS;
use std::arch::x86_64::*;

/// For each map of eight pixels: which of their 16 bytes are kept, moved together.
static PACK: [[u8; 16]; 256] = shuffles(true);
/// For each map of eight pixels: where their 16 bytes come from. High bytes of pixels in the window are 0x80: none.
static UNPACK: [[u8; 16]; 256] = shuffles(false);

const fn shuffles(pack: bool) -> [[u8; 16]; 256] {
    let mut table = [[0x80; 16]; 256];
    let mut map = 0;
    while map < 256 {
        let (mut byte, mut kept) = (0, 0);
        while byte < 16 {
            // A pixel in the window has its low byte alone.
            if byte % 2 == 0 || map >> (byte / 2) & 1 == 0 {
                let (to, from) = if pack { (kept, byte) } else { (byte, kept) };
                table[map][to] = from as u8;
                kept += 1;
            }
            byte += 1;
        }
        map += 1;
    }
    table
}

/// Packs all whole words of map; gives the pixels and the bytes done. `data` is twice as long as `all`.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn pack(all: &[[u8; 2]], base: u16, data: &mut [u8], map: &mut [u16]) -> (usize, usize) {
    let (base, widest) = (_mm256_set1_epi16(base as i16), _mm256_set1_epi16(255));
    let mut at = 0;
    let words = all.as_chunks::<MAP_BITS>().0;
    for (pixels, word) in words.iter().zip(map) {
        // SAFETY: 16 pixels are as long as a vector.
        let v = unsafe { _mm256_loadu_si256(pixels.as_ptr().cast()) };
        let distance = _mm256_sub_epi16(v, base);
        // AVX2 compares only numbers with sign: without, `distance <= widest` where the smaller one is `distance`.
        let inside = _mm256_cmpeq_epi16(_mm256_min_epu16(distance, widest), distance);
        let codes = _mm256_blendv_epi8(v, distance, inside);
        // Each half of the vector is packed twice: the bits of its eight pixels are in bytes 0 and 2.
        let bits = _mm256_movemask_epi8(_mm256_packs_epi16(inside, inside)) as u32;
        let [low, _, high, _] = bits.to_le_bytes();
        *word = u16::from_le_bytes([low, high]);
        at += put(_mm256_castsi256_si128(codes), low, &mut data[at..]);
        at += put(_mm256_extracti128_si256::<1>(codes), high, &mut data[at..]);
    }
    (words.len() * MAP_BITS, at)
}

/// Writes the kept bytes of eight pixels, and anything behind them, as 16 bytes. There is room: `data` had two bytes for
/// each pixel, and these eight have not been written.
#[target_feature(enable = "avx2,popcnt")]
#[inline]
fn put(codes: __m128i, map: u8, data: &mut [u8]) -> usize {
    let shuffle = &PACK[usize::from(map)];
    if let Some(data) = data.first_chunk_mut::<16>() {
        // SAFETY: both arrays are as long as a vector.
        unsafe {
            let shuffle = _mm_loadu_si128(shuffle.as_ptr().cast());
            _mm_storeu_si128(data.as_mut_ptr().cast(), _mm_shuffle_epi8(codes, shuffle));
        }
    }
    16 - map.count_ones() as usize
}

/// Unpacks whole words of map while 32 bytes of data are left; gives the pixels and the bytes done.
#[target_feature(enable = "avx2,popcnt")]
pub(super) fn unpack(data: &[u8], map: &[u16], base: u16, all: &mut [[u8; 2]]) -> (usize, usize) {
    let base = _mm_set1_epi16(base as i16);
    let (mut at, mut done) = (0, 0);
    for (pixels, word) in all.as_chunks_mut::<MAP_BITS>().0.iter_mut().zip(map) {
        let Some(from) = data.get(at..at + 32) else { break };
        let (low, high) = pixels.split_at_mut(MAP_BITS / 2);
        let [first, second] = word.to_le_bytes();
        let used = 16 - first.count_ones() as usize;
        get(from, first, base, low);
        get(&from[used..], second, base, high);
        at += used + 16 - second.count_ones() as usize;
        done += MAP_BITS;
    }
    (done, at)
}

#[target_feature(enable = "avx2,popcnt")]
#[inline]
fn get(from: &[u8], map: u8, base: __m128i, to: &mut [[u8; 2]]) {
    let shuffle = &UNPACK[usize::from(map)];
    let (Some(from), Some(to)) = (from.first_chunk::<16>(), to.first_chunk_mut::<8>()) else { return };
    // SAFETY: the three arrays are as long as a vector.
    unsafe {
        let shuffle = _mm_loadu_si128(shuffle.as_ptr().cast());
        let codes = _mm_shuffle_epi8(_mm_loadu_si128(from.as_ptr().cast()), shuffle);
        // The 0x80 of a high byte marks a pixel in the window: as a sign it becomes 16 ones.
        let inside = _mm_srai_epi16::<15>(shuffle);
        let v = _mm_add_epi16(codes, _mm_and_si128(inside, base));
        _mm_storeu_si128(to.as_mut_ptr().cast(), v);
    }
}
