//! WIB2 and WIBEth: 14 bits, one sample after the other from the lowest bit on.

use super::layout::{GROUP_BYTES, GROUP_SAMPLES, each_group};
use crate::Level;
#[cfg(target_arch = "x86_64")]
use crate::level::LevelKind;

/// `packed` has 28 bytes for every 16 `samples`.
pub(super) fn unpack(level: Level, packed: &[u8], samples: &mut [i16]) {
    match level.kind() {
        // SAFETY: detection found AVX-512 (the level) and VBMI.
        #[cfg(target_arch = "x86_64")]
        LevelKind::Avx512 if super::vbmi::is_there() => unsafe {
            super::vbmi::unpack_fourteen(packed, samples)
        },
        // SAFETY: a `Level` above portable is only made where detection found AVX2.
        #[cfg(target_arch = "x86_64")]
        LevelKind::Avx2 | LevelKind::Avx512 => unsafe { super::avx2::unpack_fourteen(packed, samples) },
        _ => each_group(packed, samples, group),
    }
}

/// Four samples in every seven bytes.
fn group(packed: &[u8; GROUP_BYTES], samples: &mut [i16; GROUP_SAMPLES]) {
    for (bytes, four) in packed.as_chunks::<7>().0.iter().zip(samples.as_chunks_mut::<4>().0) {
        let word =
            u64::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], 0]);
        *four = [0, 14, 28, 42].map(|bit| (word >> bit & 0x3FFF) as i16);
    }
}

/// `packed` has 28 bytes for every 16 `samples`.
pub(super) fn pack(samples: &[i16], packed: &mut [u8]) {
    for (four, bytes) in samples.as_chunks::<4>().0.iter().zip(packed.as_chunks_mut::<7>().0) {
        let word = four.iter().rev().fold(0, |word, v| word << 14 | (*v as u64 & 0x3FFF));
        bytes.copy_from_slice(&word.to_le_bytes()[..7]);
    }
}
