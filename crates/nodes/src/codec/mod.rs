//! Compressed arrays in frames, under the names that areaDetector gives to codecs.
//!
//! | codec | elements | who else understands it |
//! |---|---|---|
//! | `blockpack` | integers of 8, 16, 32 bits | nobody (`docs/formats/blockpack.md`) |
//! | `bslz4` | all | areaDetector, pvaPy, ImageJ: blocks of bitshuffle and LZ4 without the header of the HDF5 filter |
//! | `lz4` | all | areaDetector, pvaPy, Phoebus: one LZ4 block |
//! | `zstd` | all | nobody: one Zstandard frame |
//! | `jpeg` | pictures of u8, mono or RGB1; detail is lost | areaDetector, Phoebus |

pub(crate) mod jpeg;

use livetime_codecs::{Array, Blockpack, Bslz4, CodecError, Lz4, Zstd};
use livetime_engine::ParamEnum;
use livetime_frame::{Codec, DType, Layout, MAX_DIMS};

/// How arrays are compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Compressor {
    /// Our own, for integers of 8, 16 and 32 bits: densest and fastest on detector frames.
    #[default]
    Blockpack,
    /// Bitshuffle and LZ4: every type; other programs understand it.
    #[pv("BSLZ4")]
    Bslz4,
    /// LZ4: every type; other programs understand it.
    #[pv("LZ4")]
    Lz4,
    /// Zstandard: every type.
    Zstd,
    /// JPEG: pictures of u8, mono or RGB1; detail is lost.
    #[pv("JPEG")]
    Jpeg,
}

impl Compressor {
    /// What frames carry.
    pub(crate) fn codec(self) -> Codec {
        Codec(Compressor::CHOICES[self.index()].name)
    }

    /// The one that frames call by this name.
    pub(crate) fn named(name: &str) -> Option<Compressor> {
        let index = Compressor::CHOICES.iter().position(|choice| choice.name == name);
        index.and_then(Compressor::from_index)
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
    /// It was passed on as it came.
    Warning,
    /// It is lost.
    Error,
}

/// All codecs with their working memory, of which only those take any that are used.
pub(crate) struct Codecs {
    blockpack: Blockpack,
    bslz4: Bslz4,
    lz4: Lz4,
    /// With the level it was made for.
    zstd: Option<(i32, Zstd)>,
}

/// How dense; each is for one codec.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) jpeg_quality: u8,
    pub(crate) zstd_level: i32,
}

impl Codecs {
    pub(crate) fn new() -> Codecs {
        Codecs { blockpack: Blockpack::new(), bslz4: Bslz4::bare(), lz4: Lz4::new(), zstd: None }
    }

    /// Writes the array `pixels`, packed, as a stream to `out` and gives its length. `out` keeps its size from frame to frame.
    ///
    /// # Errors
    /// Text, for arrays that the codec does not take.
    pub(crate) fn encode(
        &mut self,
        compressor: Compressor,
        settings: Settings,
        layout: &Layout,
        pixels: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<usize, String> {
        if compressor == Compressor::Jpeg {
            out.clear();
            return jpeg::encode(layout, pixels, settings.jpeg_quality, out).map(|()| out.len());
        }
        let mut shape = [0; MAX_DIMS];
        shape.iter_mut().zip(layout.shape()).for_each(|(to, size)| *to = size);
        let shape = &shape[..layout.dims().len()];
        let text = |e: CodecError| e.to_string();
        let codec = self.lossless(compressor, settings.zstd_level).map_err(text)?;
        let dtype = dtype_of(layout.dtype());
        if !codec.supports(dtype) {
            return Err(text(CodecError::DType { codec: codec.name(), dtype }));
        }
        let bound = codec.bound(pixels.len());
        if out.len() < bound {
            out.resize(bound, 0);
        }
        Array::new(pixels, dtype, shape).and_then(|array| codec.encode(array, out)).map_err(text)
    }

    /// Reads a stream into `out`, which has the size of an array of this layout.
    ///
    /// # Errors
    /// Text, if it is no stream of such an array.
    pub(crate) fn decode(
        &mut self,
        compressor: Compressor,
        stream: &[u8],
        layout: &Layout,
        out: &mut [u8],
    ) -> Result<(), String> {
        if compressor == Compressor::Jpeg {
            return jpeg::decode(stream, layout, out);
        }
        let codec = self.lossless(compressor, 1).map_err(|e| e.to_string())?;
        codec.decode(stream, dtype_of(layout.dtype()), out).map_err(|e| e.to_string())
    }

    fn lossless(
        &mut self,
        compressor: Compressor,
        zstd_level: i32,
    ) -> Result<&mut dyn livetime_codecs::Codec, CodecError> {
        Ok(match compressor {
            Compressor::Bslz4 => &mut self.bslz4,
            Compressor::Lz4 => &mut self.lz4,
            Compressor::Zstd => {
                let made = self.zstd.take().filter(|(level, _)| *level == zstd_level);
                let made = made.map_or_else(|| Zstd::new(zstd_level).map(|z| (zstd_level, z)), Ok)?;
                &mut self.zstd.insert(made).1
            }
            // JPEG is none of these.
            Compressor::Blockpack | Compressor::Jpeg => &mut self.blockpack,
        })
    }
}

/// What the codecs call a type.
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
