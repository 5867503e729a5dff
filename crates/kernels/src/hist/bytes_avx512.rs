//! Hist16 with AVX-512 VBMI2, which moves bytes together and apart by a mask, 32 pixels at a time.

use super::MAP_BITS;
use std::arch::x86_64::*;

/// Pixels of 16 bits in a register.
const LANES: usize = 32;
/// Map words of the pixels of a vector.
const WORDS: usize = LANES / MAP_BITS;
/// The low bytes of 32 pixels.
const LOW_BYTES: u64 = 0x5555_5555_5555_5555;

/// True where the processor has VBMI2, which the level does not prove.
pub(super) fn present() -> bool {
    is_x86_feature_detected!("avx512vbmi2")
}

/// Packs pixels 32 at a time; gives the pixels and the bytes done. `data` is twice as long as `all`.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")]
pub(super) fn pack(all: &[[u8; 2]], base: u16, data: &mut [u8], map: &mut [u16]) -> (usize, usize) {
    let (base, widest) = (_mm512_set1_epi16(base as i16), _mm512_set1_epi16(255));
    let (mut at, mut done) = (0, 0);
    for (pixels, words) in all.as_chunks::<LANES>().0.iter().zip(map.as_chunks_mut::<WORDS>().0) {
        let Some(to) = data.get_mut(at..at + 2 * LANES) else { break };
        // SAFETY: 32 pixels are as long as a vector.
        let v = unsafe { _mm512_loadu_si512(pixels.as_ptr().cast()) };
        let distance = _mm512_sub_epi16(v, base);
        let inside = _mm512_cmple_epu16_mask(distance, widest);
        let codes = _mm512_mask_mov_epi16(v, inside, distance);
        let packed = _mm512_maskz_compress_epi8(kept(inside), codes);
        // SAFETY: `to` is as long as a vector.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), packed) };
        *words = [inside as u16, (inside >> 16) as u16];
        at += 2 * LANES - inside.count_ones() as usize;
        done += LANES;
    }
    (done, at)
}

/// Unpacks pixels 32 at a time while 64 bytes of data are left; gives the pixels and the bytes done.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")]
pub(super) fn unpack(data: &[u8], map: &[u16], base: u16, all: &mut [[u8; 2]]) -> (usize, usize) {
    let base = _mm512_set1_epi16(base as i16);
    let (mut at, mut done) = (0, 0);
    for (pixels, words) in all.as_chunks_mut::<LANES>().0.iter_mut().zip(map.as_chunks::<WORDS>().0) {
        let Some(from) = data.get(at..at + 2 * LANES) else { break };
        let inside = u32::from(words[0]) | u32::from(words[1]) << 16;
        // SAFETY: `from` is as long as a vector.
        let packed = unsafe { _mm512_loadu_si512(from.as_ptr().cast()) };
        let codes = _mm512_maskz_expand_epi8(kept(inside), packed);
        let v = _mm512_mask_add_epi16(codes, inside, codes, base);
        // SAFETY: 32 pixels are as long as a vector.
        unsafe { _mm512_storeu_si512(pixels.as_mut_ptr().cast(), v) };
        at += 2 * LANES - inside.count_ones() as usize;
        done += LANES;
    }
    (done, at)
}

/// Which bytes of 32 pixels are kept: all low ones, and the high ones of pixels outside the window.
#[target_feature(enable = "bmi2")]
#[inline]
fn kept(inside: u32) -> u64 {
    LOW_BYTES | _pdep_u64(u64::from(!inside), !LOW_BYTES)
}
