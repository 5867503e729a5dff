//! The compressors in a chunk.

use livetime_kernels::{Level, lz4};

use super::blosclz;
use super::settings::NAME;
use crate::lz4::Lz4Block;
use crate::stream::Reader;
use crate::zlib::ZlibStream;
#[cfg(feature = "zstd")]
use crate::zstd::Zstd;
use crate::{BloscCompressor, BloscShuffle, CodecError};

/// Up to this level LZ4 searches only runs in bit-shuffled data, which contain little else.
const MOST_RUNS: u32 = 4;

/// All compressors; the large ones take memory when they are used first.
pub(crate) struct Packers {
    instructions: Level,
    /// From 1 to 9.
    level: u32,
    blosclz: blosclz::Encoder,
    lz4: Lz4Block,
    zlib: Option<ZlibStream>,
    #[cfg(feature = "zstd")]
    zstd: Option<Zstd>,
}

impl Packers {
    pub(crate) fn new(instructions: Level, level: u32) -> Packers {
        Packers {
            instructions,
            level: level.clamp(1, 9),
            blosclz: blosclz::Encoder::new(),
            // The original library derives the acceleration from the level in this way.
            lz4: Lz4Block::with_acceleration(10 - level.clamp(1, 9) as i32),
            zlib: None,
            #[cfg(feature = "zstd")]
            zstd: None,
        }
    }

    /// Packs `input` and gives the size, which may be the size of `input` or more: then the output is of no use.
    pub(super) fn encode(
        &mut self,
        compressor: BloscCompressor,
        shuffle: BloscShuffle,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, CodecError> {
        match compressor {
            BloscCompressor::BloscLz => Ok(self.blosclz.encode(input, output).unwrap_or(input.len())),
            BloscCompressor::Lz4 if shuffle == BloscShuffle::Bit && self.level <= MOST_RUNS => {
                Ok(lz4::encode_runs(self.instructions, input, output)?)
            }
            BloscCompressor::Lz4 => self.lz4.encode(NAME, input, output),
            BloscCompressor::Zlib => self.zlib().encode(NAME, input, output),
            #[cfg(feature = "zstd")]
            BloscCompressor::Zstd => self.zstd()?.pack(NAME, input, output),
            #[cfg(not(feature = "zstd"))]
            BloscCompressor::Zstd => Err(WITHOUT_ZSTD),
        }
    }

    /// Reads a stream behind its length: fills `output` from it, or gives the bytes of a stored stream, so that only
    /// callers that need a copy make one.
    pub(super) fn decode_stored<'a>(
        &mut self,
        compressor: BloscCompressor,
        shuffle: BloscShuffle,
        chunk: &mut Reader<'a>,
        output: &mut [u8],
    ) -> Result<Option<&'a [u8]>, CodecError> {
        let packed = chunk.u32("bytes of a stream")? as usize;
        let at = chunk.at();
        let packed = chunk.take(packed, "bytes of a stream")?;
        // A stream as long as its content is stored plain.
        if packed.len() == output.len() {
            return Ok(Some(packed));
        }
        self.decode(compressor, shuffle, packed, at, output)?;
        Ok(None)
    }

    /// Fills `output` from a stream that stands at byte `at` of the chunk.
    pub(crate) fn decode(
        &mut self,
        compressor: BloscCompressor,
        shuffle: BloscShuffle,
        stream: &[u8],
        at: usize,
        output: &mut [u8],
    ) -> Result<(), CodecError> {
        match compressor {
            BloscCompressor::BloscLz => {
                let (wanted, found) = (output.len() as u64, blosclz::decode(stream, output));
                let found = found.unwrap_or(0) as u64;
                let what = "bytes of a BloscLZ stream";
                let error = CodecError::Damaged { codec: NAME, what, wanted, found, at };
                if found == wanted { Ok(()) } else { Err(error) }
            }
            BloscCompressor::Lz4 if shuffle == BloscShuffle::Bit => {
                self.lz4.decode_shuffled(NAME, stream, at, output)
            }
            BloscCompressor::Lz4 => self.lz4.decode(NAME, stream, at, output),
            BloscCompressor::Zlib => self.zlib().decode(NAME, stream, at, output),
            #[cfg(feature = "zstd")]
            BloscCompressor::Zstd => self.zstd()?.unpack(NAME, stream, at, output),
            #[cfg(not(feature = "zstd"))]
            BloscCompressor::Zstd => Err(WITHOUT_ZSTD),
        }
    }

    fn zlib(&mut self) -> &mut ZlibStream {
        // The state of zlib is large, so it is made when it is needed.
        self.zlib.get_or_insert_with(|| ZlibStream::new(self.level))
    }

    #[cfg(feature = "zstd")]
    fn zstd(&mut self) -> Result<&mut Zstd, CodecError> {
        let made = self.zstd.take().map_or_else(|| Zstd::new(2 * self.level as i32 - 1), Ok)?;
        Ok(self.zstd.insert(made))
    }
}

#[cfg(not(feature = "zstd"))]
const WITHOUT_ZSTD: CodecError =
    CodecError::Unsupported { codec: NAME, wanted: "BloscLZ, LZ4 or zlib in it", found: "zstd" };
