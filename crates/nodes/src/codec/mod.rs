//! Compressed arrays in frames, under the names that areaDetector gives to codecs.
//!
//! | codec | elements | other programs that read it |
//! |---|---|---|
//! | `blockpack` | integers of 8, 16, 32 bits | none (`docs/formats/blockpack.md`) |
//! | `bslz4` | all | areaDetector, pvaPy, ImageJ: blocks of bitshuffle and LZ4 without the header of the HDF5 filter |
//! | `lz4` | all | areaDetector, pvaPy, Phoebus: one LZ4 block |
//! | `lz4hdf5` | all | areaDetector: blocks of LZ4 as HDF5's filter 32004 frames them |
//! | `blosc` | all | areaDetector, pvaPy, ImageJ: a chunk of Blosc 1, with one of its compressors |
//! | `zlib` | all | areaDetector: one zlib stream |
//! | `zstd` | all | none: one Zstandard frame |
//! | `jpeg` | pictures of u8, mono or RGB1; detail is lost | areaDetector, Phoebus |
//!
//! All but `jpeg` are of the list of codecs, [`ALL`].

mod blosc;
mod error;
pub(crate) mod jpeg;

pub use blosc::{BloscCompressor, BloscShuffle};
pub use error::{PackError, Panicked};

use livetime_codecs::{ALL, Array, BlockpackTier as KnownTier, CodecError, CodecType, Settings};
use livetime_engine::{Choice, ParamEnum};
use livetime_frame::{Codec, Layout, MAX_DIMS};

/// How arrays are compressed; the choices of areaDetector's Compressor in its order, ours behind them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Compressor {
    /// Not at all: arrays pass unchanged.
    None,
    /// JPEG: pictures of u8, mono or RGB1; detail is lost.
    Jpeg,
    /// A codec of the list that frames carry.
    Lossless(&'static CodecType),
}

/// The choices that are no codecs of the list.
const OWN: [Choice; 2] = [
    Choice { name: "none", doc: "Not at all: arrays pass unchanged.", pv: "None" },
    Choice { name: "jpeg", doc: "JPEG: pictures of u8, mono or RGB1; detail is lost.", pv: "JPEG" },
];

/// How many codecs of the list frames carry.
const IN_FRAMES: usize = {
    // Const code has no iterators, so the count is made in a loop.
    let (mut count, mut at) = (0, 0);
    while at < ALL.len() {
        count += ALL[at].in_frames.is_some() as usize;
        at += 1;
    }
    count
};

impl ParamEnum for Compressor {
    const CHOICES: &'static [Choice] = &{
        let mut choices = [OWN[0]; OWN.len() + IN_FRAMES];
        choices[1] = OWN[1];
        let (mut to, mut at) = (OWN.len(), 0);
        while at < ALL.len() {
            if let Some(known) = ALL[at].in_frames {
                choices[to] = Choice { name: known.name, doc: ALL[at].summary, pv: known.choice };
                to += 1;
            }
            at += 1;
        }
        choices
    };

    fn index(&self) -> usize {
        let name = self.codec().0;
        // The list holds every codec of frames, so the default is never used.
        Compressor::CHOICES.iter().position(|choice| choice.name == name).unwrap_or(0)
    }

    fn from_index(index: usize) -> Option<Compressor> {
        match index {
            0 => Some(Compressor::None),
            1 => Some(Compressor::Jpeg),
            _ => Compressor::named(Compressor::CHOICES.get(index)?.name),
        }
    }
}

impl Default for Compressor {
    /// The densest and fastest on detector frames.
    fn default() -> Compressor {
        Compressor::named("blockpack").unwrap_or(Compressor::None)
    }
}

impl Compressor {
    /// The codec as it stands in frames.
    pub(crate) fn codec(self) -> Codec {
        Codec(match self {
            Compressor::None => OWN[0].name,
            Compressor::Jpeg => OWN[1].name,
            Compressor::Lossless(codec) => codec.in_frames.map_or(codec.name, |known| known.name),
        })
    }

    /// The one that frames call by this name.
    pub(crate) fn named(name: &str) -> Option<Compressor> {
        // JPEG is not in the list of codecs: it loses detail and works on pictures only.
        if name == OWN[1].name {
            return Some(Compressor::Jpeg);
        }
        let has_name = |codec: &&CodecType| codec.in_frames.is_some_and(|known| known.name == name);
        ALL.iter().find(has_name).map(Compressor::Lossless)
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
    /// The level's name in the codec crate.
    pub(crate) fn known(self) -> KnownTier {
        match self {
            BlockpackTier::Fast => KnownTier::Fast,
            BlockpackTier::Dense => KnownTier::Dense,
        }
    }
}

/// The operation of a node on arrays; areaDetector has one plugin for both.
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

/// Codecs with the settings that they were made for; each is made when it is used first.
#[derive(Default)]
pub(crate) struct Codecs(Vec<(&'static CodecType, Settings, Box<dyn livetime_codecs::Codec>)>);

impl Codecs {
    /// Writes the array `pixels`, packed, as a stream to `out` and gives its length. `out` keeps its size from frame to frame.
    ///
    /// # Errors
    /// For arrays that the codec does not take.
    pub(crate) fn encode(
        &mut self,
        codec: &'static CodecType,
        settings: Settings,
        layout: &Layout,
        pixels: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<usize, PackError> {
        let mut shape = [0; MAX_DIMS];
        shape.iter_mut().zip(layout.shape()).for_each(|(to, size)| *to = size);
        let shape = &shape[..layout.dims().len()];
        let codec = self.made(codec, settings)?;
        let dtype = layout.dtype();
        if !codec.supports(dtype) {
            return Err(CodecError::DType { codec: codec.name(), dtype }.into());
        }
        let bound = codec.bound(pixels.len());
        // The memory stays as large as it was, so that frames of one layout resize it once.
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
        codec: &'static CodecType,
        stream: &[u8],
        layout: &Layout,
        out: &mut [u8],
    ) -> Result<(), PackError> {
        // A stream says how it was packed, so the settings of the decoder do not matter.
        let codec = self.made(codec, Settings::USUAL)?;
        Ok(codec.decode(stream, layout.dtype(), out)?)
    }

    /// The codec with these settings; one with other settings makes room for it.
    fn made(
        &mut self,
        codec: &'static CodecType,
        settings: Settings,
    ) -> Result<&mut dyn livetime_codecs::Codec, CodecError> {
        let at = match self.0.iter().position(|(of, ..)| *of == codec) {
            // A codec keeps memory for its next picture, so each codec is made once and again only for other settings.
            Some(at) if self.0[at].1 == settings => at,
            Some(at) => {
                self.0[at] = (codec, settings, codec.make(&settings)?);
                at
            }
            None => {
                self.0.push((codec, settings, codec.make(&settings)?));
                self.0.len() - 1
            }
        };
        Ok(self.0[at].2.as_mut())
    }
}
