//! Zstandard: one frame of RFC 8878 for each array.

use zstd::bulk::{Compressor, Decompressor};

use crate::filter::decoder;
use crate::stream::{check_dtype, check_room};
use crate::{Array, Codec, CodecError, CodecType, DType, Filter, FilterReader, FrameName, Levels};

const NAME: &str = "zstd";
const LEVELS: Levels = Levels { least: -7, most: 22, usual: 1 };
/// The filter's number in HDF5.
const FILTER: u16 = 32015;

pub(crate) const TYPE: CodecType = CodecType {
    make: Some(|_, settings| Ok(Box::new(Zstd::new(LEVELS.of(settings))?))),
    levels: Some(LEVELS),
    in_frames: Some(FrameName { name: NAME, choice: "Zstd" }),
    filter: Some(Filter {
        number: FILTER,
        name: NAME,
        choice: None,
        values: |_, settings| vec![LEVELS.of(settings).max(0) as u32],
        head: None,
    }),
    reader: Some(FilterReader::new(FILTER, |_| NAME, |_, size| Ok(decoder(Zstd::new(1)?, size)))),
    numcodecs: Some("zstd"),
    ..CodecType::new(NAME, "Zstandard: every type.")
};

/// The codec with its working memory. Takes every type.
pub struct Zstd {
    compressor: Compressor<'static>,
    decompressor: Decompressor<'static>,
}

impl std::fmt::Debug for Zstd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Zstd")
    }
}

impl Zstd {
    /// With a compression level of zstd, from -7 for the fastest to 22 for the densest; 1 is right for frames.
    ///
    /// # Errors
    /// [`CodecError::Library`] if the library has no memory.
    pub fn new(level: i32) -> Result<Zstd, CodecError> {
        let failed = |_| CodecError::Library { codec: NAME };
        let compressor = Compressor::new(level).map_err(failed)?;
        let decompressor = Decompressor::new().map_err(failed)?;
        Ok(Zstd { compressor, decompressor })
    }
}

impl Zstd {
    /// `output` has room for the bound of zstd.
    pub(crate) fn pack(
        &mut self,
        codec: &'static str,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, CodecError> {
        self.compressor.compress_to_buffer(input, output).map_err(|_| CodecError::Library { codec })
    }

    /// Decodes a frame that stands at byte `at` of a stream and fills `output`.
    pub(crate) fn unpack(
        &mut self,
        codec: &'static str,
        stream: &[u8],
        at: usize,
        output: &mut [u8],
    ) -> Result<(), CodecError> {
        let wanted = output.len() as u64;
        let damaged = |found| CodecError::Damaged { codec, what: "bytes of a zstd frame", wanted, found, at };
        match self.decompressor.decompress_to_buffer(stream, output) {
            Ok(found) if found as u64 == wanted && !stream.is_empty() => Ok(()),
            Ok(found) => Err(damaged(found as u64)),
            Err(_) => Err(damaged(0)),
        }
    }
}

impl Codec for Zstd {
    fn name(&self) -> &'static str {
        NAME
    }

    fn bound(&self, input_bytes: usize) -> usize {
        zstd::zstd_safe::compress_bound(input_bytes)
    }

    fn encode(&mut self, input: Array<'_>, output: &mut [u8]) -> Result<usize, CodecError> {
        check_room(self, input.data().len(), output.len())?;
        self.pack(NAME, input.data(), output)
    }

    fn decode(&mut self, stream: &[u8], dtype: DType, output: &mut [u8]) -> Result<(), CodecError> {
        check_dtype(self, dtype)?;
        self.unpack(NAME, stream, 0, output)
    }
}
