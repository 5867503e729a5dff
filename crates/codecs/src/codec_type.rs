//! The entry of a codec in the list of all codecs.

use livetime_kernels::Level;

use crate::{Codec, CodecError, Filter, FilterReader, Levels, Settings};

/// A codec as the program knows it: one entry of the list `ALL`. Formats, nodes, the command line and Python ask the
/// entry, and have no lists of codecs of their own.
#[derive(Clone, Copy, Debug)]
pub struct CodecType {
    /// Name on the command line, in Python and in records of measurements.
    pub name: &'static str,
    /// Its purpose, as help texts say it.
    pub summary: &'static str,
    /// Makes a codec; `None` if it is only read.
    pub(crate) make: Option<Make>,
    /// The compression levels that it takes; `None` if there is one way only.
    pub levels: Option<Levels>,
    /// Settings that have a name of their own: `dense` of `blockpack`, `zlib` of `blosc`.
    pub variants: &'static [(&'static str, Settings)],
    /// Whether its loops are ours, so that the level of instructions matters.
    pub has_own_loops: bool,
    /// Its name in compressed frames; `None` if frames do not carry its streams.
    pub in_frames: Option<FrameName>,
    /// The filter of HDF5 that reads its streams, for files that are written.
    pub filter: Option<Filter>,
    /// How chunks of HDF5 files are read that it has packed.
    pub reader: Option<FilterReader>,
    /// The name of a codec with the same streams in numcodecs (of zarr).
    pub numcodecs: Option<&'static str>,
}

/// Makes a codec with the instructions of a level. A codec takes the settings that it knows, and leaves the others.
pub(crate) type Make = fn(Level, &Settings) -> Result<Box<dyn Codec>, CodecError>;

/// How compressed frames call a codec.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FrameName {
    /// Name in frames and NTNDArrays; areaDetector's, where areaDetector has the codec.
    pub name: &'static str,
    /// The choice in areaDetector's record `Compressor`; of a codec that it lacks, ours.
    pub choice: &'static str,
}

impl CodecType {
    /// An entry with only these words; codecs add further fields.
    pub(crate) const fn new(name: &'static str, summary: &'static str) -> CodecType {
        CodecType {
            name,
            summary,
            make: None,
            levels: None,
            variants: &[],
            has_own_loops: false,
            in_frames: None,
            filter: None,
            reader: None,
            numcodecs: None,
        }
    }

    /// Whether arrays can be compressed; else it is only read.
    pub const fn is_written(&self) -> bool {
        self.make.is_some()
    }

    /// A codec with these settings and the best instructions of this processor.
    ///
    /// # Errors
    /// [`CodecError::Unsupported`] if it is only read, [`CodecError::Library`] if its library has no memory.
    pub fn make(&self, settings: &Settings) -> Result<Box<dyn Codec>, CodecError> {
        self.make_at(Level::best(), settings)
    }

    /// A codec with these settings and the instructions of a level.
    ///
    /// # Errors
    /// As [`CodecType::make`].
    pub fn make_at(&self, instructions: Level, settings: &Settings) -> Result<Box<dyn Codec>, CodecError> {
        let (codec, wanted, found) = (self.name, "a codec that is written here", "one that is only read");
        let make = self.make.ok_or(CodecError::Unsupported { codec, wanted, found })?;
        make(instructions, settings)
    }
}

impl PartialEq for CodecType {
    /// Names are unique.
    fn eq(&self, other: &CodecType) -> bool {
        self.name == other.name
    }
}

impl Eq for CodecType {}
