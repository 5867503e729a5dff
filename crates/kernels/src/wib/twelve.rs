//! WIB1: 12 bits, the bytes of two chips interleaved.

use super::layout::{BLOCK, HEADER, PAIR, PAIR_CHANNELS, WIB_CHANNELS, WIB1_BYTES, each_pairs};
use crate::Level;
#[cfg(target_arch = "x86_64")]
use crate::level::LevelKind;

/// `frames` are whole, `samples` as many as they hold.
pub(super) fn unpack(level: Level, frames: &[u8], samples: &mut [i16]) {
    match level.kind() {
        // SAFETY: detection found AVX-512 (the level) and VBMI.
        #[cfg(target_arch = "x86_64")]
        LevelKind::Avx512 if super::vbmi::is_there() => unsafe {
            super::vbmi::unpack_twelve(frames, samples)
        },
        // SAFETY: a `Level` above portable is only made where detection found AVX2.
        #[cfg(target_arch = "x86_64")]
        LevelKind::Avx2 | LevelKind::Avx512 => unsafe { super::avx2::unpack_twelve(frames, samples) },
        _ => each_pairs::<PAIR, PAIR_CHANNELS>(frames, samples, pair),
    }
}

/// Channels 0 to 3 of both chips are in the first 12 bytes, 4 to 7 in the others; of every two bytes the first belongs
/// to the first chip. So each chip has six bytes for four samples.
fn pair(bytes: &[u8; PAIR], samples: &mut [i16; PAIR_CHANNELS]) {
    for (i, four) in samples.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        let (chip, half) = (i / 2, i % 2);
        let byte = |k: usize| i16::from(bytes[12 * half + 2 * k + chip]);
        *four = [
            byte(0) | (byte(1) & 0xF) << 8,
            byte(1) >> 4 | byte(2) << 4,
            byte(3) | (byte(4) & 0xF) << 8,
            byte(4) >> 4 | byte(5) << 4,
        ];
    }
}

/// `samples` are as many as `frames` hold.
pub(super) fn pack(samples: &[i16], frames: &mut [u8]) {
    let frames = frames.as_chunks_mut::<WIB1_BYTES>().0;
    for (frame, samples) in frames.iter_mut().zip(samples.as_chunks::<WIB_CHANNELS>().0) {
        let blocks = frame[HEADER..].as_chunks_mut::<BLOCK>().0;
        for (block, samples) in blocks.iter_mut().zip(samples.as_chunks::<64>().0) {
            let pairs = block[HEADER..].as_chunks_mut::<PAIR>().0;
            for (pair, samples) in pairs.iter_mut().zip(samples.as_chunks::<PAIR_CHANNELS>().0) {
                pack_pair(samples, pair);
            }
        }
    }
}

fn pack_pair(samples: &[i16; PAIR_CHANNELS], bytes: &mut [u8; PAIR]) {
    for (i, [a, b, c, d]) in
        samples.as_chunks::<4>().0.iter().map(|four| four.map(|v| v as u16 & 0xFFF)).enumerate()
    {
        let (chip, half) = (i / 2, i % 2);
        for (k, [low, high]) in
            [a | b << 12, b >> 4, c | d << 12, d >> 4].map(u16::to_le_bytes).into_iter().enumerate()
        {
            let at = 12 * half + 6 * (k / 2) + chip;
            match k % 2 {
                0 => (bytes[at], bytes[at + 2]) = (low, high),
                _ => bytes[at + 4] = low,
            }
        }
    }
}
