//! How codecs are set.

/// The compression levels of a codec: more is denser and slower.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Levels {
    /// The fastest one.
    pub least: i32,
    /// The densest one.
    pub most: i32,
    /// The one that is taken where [`Settings::level`] has none.
    pub usual: i32,
}

impl Levels {
    /// The level of these settings, or the nearest one that there is.
    pub fn of(self, settings: &Settings) -> i32 {
        settings.level.unwrap_or(self.usual).clamp(self.least, self.most)
    }
}

/// How codecs are set. A codec takes the settings that it knows, and leaves the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The compression level, of codecs that have some ([`levels`](crate::CodecType::levels)).
    pub level: Option<i32>,
    /// How dense `blockpack` packs.
    pub blockpack_tier: BlockpackTier,
    /// The compressor inside of `blosc`.
    pub blosc_compressor: BloscCompressor,
    /// How `blosc` sorts elements.
    pub blosc_shuffle: BloscShuffle,
    /// Most bytes of a block of `lz4hdf5`; 0 is as many as its format can say.
    pub block: usize,
}

impl Settings {
    /// The settings of a caller without a wish.
    pub const USUAL: Settings = Settings {
        level: None,
        blockpack_tier: BlockpackTier::Fast,
        blosc_compressor: BloscCompressor::Lz4,
        blosc_shuffle: BloscShuffle::Bit,
        block: 0,
    };

    /// The same at a compression level.
    pub const fn at(self, level: i32) -> Settings {
        Settings { level: Some(level), ..self }
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::USUAL
    }
}

/// The density of streams of blockpack that are written; a stream names its own tier to readers. The numbers are the
/// ones in streams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlockpackTier {
    /// All remainders of a group have the same bits, but for exceptions.
    #[default]
    Fast = 0,
    /// Remainders above a few bits are in unary code, and centres follow the frame more closely: a tenth smaller on noise, packed at about two thirds and unpacked at about a third of the speed.
    Dense = 1,
}

impl BlockpackTier {
    /// All of them.
    pub const ALL: [BlockpackTier; 2] = [BlockpackTier::Fast, BlockpackTier::Dense];
}

/// The compressor of the blocks of Blosc. Streams of LZ4HC are read like streams of LZ4; Snappy is not known.
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

    /// Its number in headers.
    pub(crate) fn number(self) -> u8 {
        match self {
            BloscCompressor::BloscLz => 0,
            BloscCompressor::Lz4 => 1,
            BloscCompressor::Zlib => 3,
            BloscCompressor::Zstd => 4,
        }
    }
}

/// How a block of Blosc is sorted before it is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BloscShuffle {
    /// Not at all.
    None,
    /// The first bytes of all elements, then the second ones.
    Byte,
    /// The lowest bits of all elements, then the next ones; in a block whose elements are no multiple of 8, not at all.
    Bit,
}
