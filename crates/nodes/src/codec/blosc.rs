//! Blosc as areaDetector has it among its parameters.

use livetime_codecs::{BloscCompressor as Known, BloscShuffle as Shuffle};
use livetime_engine::{ParamEnum, Refusal};

/// Compressors in Blosc; the choices are areaDetector's. `lz4hc` is only read, and `snappy` is not supported.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum BloscCompressor {
    /// Blosc's own.
    #[default]
    #[pv("BloscLZ")]
    Blosclz,
    /// LZ4: the fastest.
    #[pv("LZ4")]
    Lz4,
    /// LZ4, denser: cannot be chosen here, only read.
    #[pv("LZ4HC")]
    Lz4hc,
    /// Snappy: cannot be chosen here.
    #[pv("SNAPPY")]
    Snappy,
    /// zlib.
    #[pv("ZLIB")]
    Zlib,
    /// Zstandard: the densest.
    #[pv("ZSTD")]
    Zstd,
}

impl BloscCompressor {
    /// The compressor's name in the codec crate.
    ///
    /// # Errors
    /// For a compressor that cannot be written.
    pub(crate) fn known(self) -> Result<Known, Refusal> {
        match self {
            BloscCompressor::Blosclz => Ok(Known::BloscLz),
            BloscCompressor::Lz4 => Ok(Known::Lz4),
            BloscCompressor::Zlib => Ok(Known::Zlib),
            BloscCompressor::Zstd => Ok(Known::Zstd),
            BloscCompressor::Lz4hc | BloscCompressor::Snappy => {
                let found = BloscCompressor::CHOICES[self.index()].name;
                Err(Refusal::value("blosclz, lz4, zlib or zstd, which can be written here", found))
            }
        }
    }
}

/// How Blosc sorts bytes before it compresses them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum BloscShuffle {
    /// Not at all.
    #[default]
    None,
    /// By bytes: the first of all elements, then the second ones.
    Byte,
    /// By bits: densest for detectors.
    Bit,
}

impl BloscShuffle {
    /// The shuffle's name in the codec crate.
    pub(crate) fn known(self) -> Shuffle {
        match self {
            BloscShuffle::None => Shuffle::None,
            BloscShuffle::Byte => Shuffle::Byte,
            BloscShuffle::Bit => Shuffle::Bit,
        }
    }
}
