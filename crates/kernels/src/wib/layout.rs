//! Where the samples of a frame lie, and the walk over them.

/// Bytes in a WIB1 frame as it comes over FELIX.
pub const WIB1_BYTES: usize = 464;

/// Channels in a WIB1 or WIB2 frame.
pub const WIB_CHANNELS: usize = 256;

/// Bytes of the frame's header, and of the header of each block.
pub(super) const HEADER: usize = 16;

/// Bytes of a block.
pub(super) const BLOCK: usize = 112;

/// Bytes of a pair of chips: two segments of 12.
pub(super) const PAIR: usize = 24;

/// Channels of a pair of chips.
pub(super) const PAIR_CHANNELS: usize = 16;

/// Calls `unpack` for every pair of chips, or for as many pairs as `BYTES` and `SAMPLES` are of: 1, 2 or 4.
#[inline(always)]
pub(super) fn each_pairs<const BYTES: usize, const SAMPLES: usize>(
    frames: &[u8],
    samples: &mut [i16],
    unpack: impl Fn(&[u8; BYTES], &mut [i16; SAMPLES]),
) {
    let frames = frames.as_chunks::<WIB1_BYTES>().0;
    for (frame, samples) in frames.iter().zip(samples.as_chunks_mut::<WIB_CHANNELS>().0) {
        let blocks = frame[HEADER..].as_chunks::<BLOCK>().0;
        for (block, samples) in blocks.iter().zip(samples.as_chunks_mut::<64>().0) {
            let pairs = block[HEADER..].as_chunks::<BYTES>().0;
            for (pairs, samples) in pairs.iter().zip(samples.as_chunks_mut::<SAMPLES>().0) {
                unpack(pairs, samples);
            }
        }
    }
}

/// Bytes of 16 samples of 14 bits.
pub(super) const GROUP_BYTES: usize = 28;

/// Samples that end at a byte that is a multiple of 4.
pub(super) const GROUP_SAMPLES: usize = 16;

/// Calls `unpack` for every 16 samples.
#[inline(always)]
pub(super) fn each_group(
    packed: &[u8],
    samples: &mut [i16],
    unpack: impl Fn(&[u8; GROUP_BYTES], &mut [i16; GROUP_SAMPLES]),
) {
    for (packed, samples) in packed.as_chunks().0.iter().zip(samples.as_chunks_mut().0) {
        unpack(packed, samples);
    }
}
