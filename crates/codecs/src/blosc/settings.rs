//! How chunks are written.

use crate::{BloscCompressor, BloscShuffle};

pub(super) const NAME: &str = "blosc";

/// How chunks are written; a chunk tells its own settings to readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BloscSettings {
    /// The compressor of the blocks.
    pub compressor: BloscCompressor,
    /// From 0 for a copy over 1 for the fastest to 9 for the densest; more is 9. zlib takes it as it is, zstd one less than
    /// twice of it. LZ4 behind a bit shuffle looks up to 4 for runs of a byte only, which is much faster and a little
    /// larger; else all above 0 are the same to LZ4, as to BloscLZ.
    pub level: u32,
    /// How blocks are sorted.
    pub shuffle: BloscShuffle,
}
