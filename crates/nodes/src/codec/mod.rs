//! Compressed arrays in frames, under the names that areaDetector gives to codecs.
//!
//! | codec | elements | who else understands it |
//! |---|---|---|
//! | `blockpack` | integers of 8, 16, 32 bits | nobody (`docs/formats/blockpack.md`) |
//! | `bslz4` | all | areaDetector, pvaPy, ImageJ: blocks of bitshuffle and LZ4 without the header of the HDF5 filter |
//! | `lz4` | all | areaDetector, pvaPy, Phoebus: one LZ4 block |
//! | `lz4hdf5` | all | areaDetector: blocks of LZ4 as HDF5's filter 32004 frames them |
//! | `blosc` | all | areaDetector, pvaPy, ImageJ: a chunk of Blosc 1, with one of its compressors |
//! | `zlib` | all | areaDetector: one zlib stream |
//! | `zstd` | all | nobody: one Zstandard frame |
//! | `jpeg` | pictures of u8, mono or RGB1; detail is lost | areaDetector, Phoebus |

mod blosc;
mod error;
pub(crate) mod jpeg;

pub use blosc::{BloscCompressor, BloscShuffle};
pub use error::{PackError, Panicked};

use livetime_codecs::{
    Array, Blockpack, BlockpackTier as KnownTier, Blosc, BloscSettings, Bslz4, CodecError, Lz4, Lz4Hdf5,
    Zlib, Zstd,
};
use livetime_engine::ParamEnum;
use livetime_frame::{Codec, DType, Layout, MAX_DIMS};

/// How arrays are compressed; the choices of areaDetector's Compressor in its order, ours behind them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Compressor {
    /// Not at all: arrays pass unchanged.
    None,
    /// JPEG: pictures of u8, mono or RGB1; detail is lost.
    #[pv("JPEG")]
    Jpeg,
    /// zlib: every type; slow; other programs understand it.
    Zlib,
    /// Blosc: every type, shuffled if wanted; other programs understand it.
    Blosc,
    /// LZ4: every type; other programs understand it.
    #[pv("LZ4")]
    Lz4,
    /// LZ4 in blocks, as HDF5's filter 32004 frames it: every type; other programs understand it.
    #[pv("LZ4HDF5")]
    Lz4hdf5,
    /// Bitshuffle and LZ4: every type; other programs understand it.
    #[pv("BSLZ4")]
    Bslz4,
    /// Our own, for integers of 8, 16 and 32 bits: densest and fastest on detector frames. Floats pass unchanged.
    #[default]
    Blockpack,
    /// Zstandard: every type.
    Zstd,
}

impl Compressor {
    /// What frames carry.
    pub(crate) fn codec(self) -> Codec {
        Codec(Compressor::CHOICES[self.index()].name)
    }

    /// The one that frames call by this name.
    pub(crate) fn named(name: &str) -> Option<Compressor> {
        let index = Compressor::CHOICES.iter().position(|choice| choice.name == name);
        index.and_then(Compressor::from_index).filter(|found| *found != Compressor::None)
    }
}

/// How dense `blockpack` packs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum BlockpackTier {
    /// As fast as memory allows.
    #[default]
    Fast,
    /// A tenth smaller on noise, packed at about two thirds and unpacked at about a third of the speed.
    Dense,
}

impl BlockpackTier {
    /// What the codec calls it.
    pub(crate) fn known(self) -> KnownTier {
        match self {
            BlockpackTier::Fast => KnownTier::Fast,
            BlockpackTier::Dense => KnownTier::Dense,
        }
    }
}

/// What a node does with arrays; areaDetector has one plugin for both.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum CodecMode {
    /// Compresses.
    #[default]
    Compress,
    /// Decompresses.
    Decompress,
}

/// How the last frame fared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum CodecStatus {
    /// It was done.
    #[default]
    Success,
    /// It was passed on unchanged.
    Warning,
    /// It is lost.
    Error,
}

/// A codec with the settings that it was made for; made when it is used.
struct Made<S, C>(Option<(S, C)>);

impl<S: PartialEq, C> Made<S, C> {
    fn with(
        &mut self,
        settings: S,
        make: impl FnOnce(&S) -> Result<C, CodecError>,
    ) -> Result<&mut C, CodecError> {
        let made = match self.0.take().filter(|(of, _)| *of == settings) {
            Some((_, codec)) => codec,
            None => make(&settings)?,
        };
        Ok(&mut self.0.insert((settings, made)).1)
    }
}

/// All codecs with their working memory, of which only those take any that are used.
pub(crate) struct Codecs {
    blockpack: Made<KnownTier, Blockpack>,
    bslz4: Bslz4,
    lz4: Lz4,
    zstd: Made<i32, Zstd>,
    zlib: Made<u32, Zlib>,
    blosc: Made<BloscSettings, Blosc>,
    lz4hdf5: Made<usize, Lz4Hdf5>,
}

/// Compression levels, one per codec. Decompression needs none of them.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) tier: KnownTier,
    pub(crate) jpeg_quality: u8,
    pub(crate) zstd_level: i32,
    pub(crate) zlib_level: u32,
    pub(crate) blosc: BloscSettings,
    /// Bytes.
    pub(crate) lz4hdf5_block: usize,
}

const ANY: Settings = Settings {
    tier: KnownTier::Fast,
    jpeg_quality: 85,
    zstd_level: 1,
    zlib_level: 1,
    blosc: BloscSettings {
        compressor: livetime_codecs::BloscCompressor::Lz4,
        level: 1,
        shuffle: livetime_codecs::BloscShuffle::None,
    },
    lz4hdf5_block: 0,
};

impl Codecs {
    pub(crate) fn new() -> Codecs {
        Codecs {
            blockpack: Made(None),
            bslz4: Bslz4::bare(),
            lz4: Lz4::new(),
            zstd: Made(None),
            zlib: Made(None),
            blosc: Made(None),
            lz4hdf5: Made(None),
        }
    }

    /// Writes the array `pixels`, packed, as a stream to `out` and gives its length. `out` keeps its size from frame to frame.
    ///
    /// # Errors
    /// For arrays that the codec does not take.
    pub(crate) fn encode(
        &mut self,
        compressor: Compressor,
        settings: Settings,
        layout: &Layout,
        pixels: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<usize, PackError> {
        if compressor == Compressor::Jpeg {
            out.clear();
            return jpeg::encode(layout, pixels, settings.jpeg_quality, out).map(|()| out.len());
        }
        let mut shape = [0; MAX_DIMS];
        shape.iter_mut().zip(layout.shape()).for_each(|(to, size)| *to = size);
        let shape = &shape[..layout.dims().len()];
        let codec = self.lossless(compressor, &settings)?;
        let dtype = dtype_of(layout.dtype());
        if !codec.supports(dtype) {
            return Err(CodecError::DType { codec: codec.name(), dtype }.into());
        }
        let bound = codec.bound(pixels.len());
        if out.len() < bound {
            out.resize(bound, 0);
        }
        Ok(Array::new(pixels, dtype, shape).and_then(|array| codec.encode(array, out))?)
    }

    /// Reads a stream into `out`, which has the size of an array of this layout.
    ///
    /// # Errors
    /// If it is not a stream of such an array.
    pub(crate) fn decode(
        &mut self,
        compressor: Compressor,
        stream: &[u8],
        layout: &Layout,
        out: &mut [u8],
    ) -> Result<(), PackError> {
        if compressor == Compressor::Jpeg {
            return jpeg::decode(stream, layout, out);
        }
        let codec = self.lossless(compressor, &ANY)?;
        Ok(codec.decode(stream, dtype_of(layout.dtype()), out)?)
    }

    fn lossless(
        &mut self,
        compressor: Compressor,
        settings: &Settings,
    ) -> Result<&mut dyn livetime_codecs::Codec, CodecError> {
        Ok(match compressor {
            Compressor::Bslz4 => &mut self.bslz4,
            Compressor::Lz4 => &mut self.lz4,
            Compressor::Zstd => self.zstd.with(settings.zstd_level, |level| Zstd::new(*level))?,
            Compressor::Zlib => self.zlib.with(settings.zlib_level, |level| Ok(Zlib::new(*level)))?,
            Compressor::Blosc => self.blosc.with(settings.blosc, |how| Ok(Blosc::new(*how)))?,
            Compressor::Lz4hdf5 => {
                self.lz4hdf5.with(settings.lz4hdf5_block, |block| Ok(Lz4Hdf5::new(*block)))?
            }
            // JPEG is none of these, and without a compressor nobody comes here.
            Compressor::Blockpack | Compressor::Jpeg | Compressor::None => {
                self.blockpack.with(settings.tier, |tier| Ok(Blockpack::new().with_tier(*tier)))?
            }
        })
    }
}

/// The codecs' name of an element type.
pub(crate) fn dtype_of(dtype: DType) -> livetime_codecs::DType {
    match dtype {
        DType::U8 => livetime_codecs::DType::U8,
        DType::I8 => livetime_codecs::DType::I8,
        DType::U16 => livetime_codecs::DType::U16,
        DType::I16 => livetime_codecs::DType::I16,
        DType::U32 => livetime_codecs::DType::U32,
        DType::I32 => livetime_codecs::DType::I32,
        DType::U64 => livetime_codecs::DType::U64,
        DType::I64 => livetime_codecs::DType::I64,
        DType::F32 => livetime_codecs::DType::F32,
        DType::F64 => livetime_codecs::DType::F64,
    }
}
