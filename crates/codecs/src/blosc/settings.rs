//! How chunks are written.

pub(super) const NAME: &str = "blosc";

/// What compresses the blocks. Streams of LZ4HC are read as those of LZ4; Snappy is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BloscCompressor {
    /// Blosc's own.
    BloscLz,
    /// LZ4.
    Lz4,
    /// zlib.
    Zlib,
    /// Zstandard; needs the feature `zstd`.
    Zstd,
}

impl BloscCompressor {
    /// All of them.
    pub const ALL: [BloscCompressor; 4] =
        [BloscCompressor::BloscLz, BloscCompressor::Lz4, BloscCompressor::Zlib, BloscCompressor::Zstd];

    /// What headers call it.
    pub(super) fn number(self) -> u8 {
        match self {
            BloscCompressor::BloscLz => 0,
            BloscCompressor::Lz4 => 1,
            BloscCompressor::Zlib => 3,
            BloscCompressor::Zstd => 4,
        }
    }
}

/// How a block is sorted before it is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BloscShuffle {
    /// Not at all.
    None,
    /// The first bytes of all elements, then the second ones.
    Byte,
    /// The lowest bits of all elements, then the next ones; in a block whose elements are no multiple of 8, not at all.
    Bit,
}

/// How chunks are written; a chunk tells its own settings to readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BloscSettings {
    /// What compresses the blocks.
    pub compressor: BloscCompressor,
    /// From 0 for a copy over 1 for the fastest to 9 for the densest; more is 9. zlib takes it as it is, zstd one less than
    /// twice of it. LZ4 behind a bit shuffle looks up to 4 for runs of a byte only, which is much faster and a little
    /// larger; else all above 0 are the same to LZ4, as to BloscLZ.
    pub level: u32,
    /// How blocks are sorted.
    pub shuffle: BloscShuffle,
}
