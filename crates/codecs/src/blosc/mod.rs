//! Blosc 1: blocks, shuffled and compressed by one of several compressors; HDF5 filter 32001.
//!
//! ```text
//! u8               version of the format: 2
//! u8               version of the compressor's streams: 1
//! u8               flags: 1 byte shuffle, 2 the array follows as it is, 4 bit shuffle, 16 blocks are not split;
//!                  the upper three bits: 0 BloscLZ, 1 LZ4, 2 Snappy, 3 zlib, 4 zstd
//! u8               bytes of an element
//! u32 x 3          bytes of the array, of a block before compression, of the chunk with this header
//! per block        u32: where it starts in the chunk
//! per block        one stream, or one for each byte of an element: u32: bytes that follow; if as many as the stream
//!                  has, they are stored as they are, else compressed
//! ```
//!
//! All numbers are little-endian. A block is split if its header allows it, elements have at most 16 bytes, and it has at least 128 of them and
//! is no shorter last one. (Francesc Alted, "Blosc Chunk Format".)

mod blosclz;
mod header;
mod packers;
mod settings;
mod shuffle;

use livetime_kernels::Level;

use crate::filter::decoder;
use crate::stream::{Reader, Writer, check_dtype, check_room};
use crate::{
    Array, BloscCompressor, BloscShuffle, Chunk, Codec, CodecError, CodecType, DType, Filter, FilterReader,
    FrameName, Levels, Settings,
};
use header::{HEADER, Header};
pub(crate) use packers::Packers;
pub use settings::BloscSettings;
use settings::NAME;
use shuffle::Shuffler;

const LEVELS: Levels = Levels { least: 0, most: 9, usual: 5 };
/// The filter's number in HDF5.
const FILTER: u16 = 32001;

pub(crate) const TYPE: CodecType = CodecType {
    make: Some(|level, settings| Ok(Box::new(Blosc::with_level(level, set(settings))))),
    levels: Some(LEVELS),
    variants: &[
        ("blosclz", with(BloscCompressor::BloscLz, BloscShuffle::Byte)),
        ("zlib", with(BloscCompressor::Zlib, BloscShuffle::Byte)),
        #[cfg(feature = "zstd")]
        ("zstd", with(BloscCompressor::Zstd, BloscShuffle::Bit)),
    ],
    has_own_loops: true,
    in_frames: Some(FrameName { name: NAME, choice: "Blosc" }),
    filter: Some(Filter { number: FILTER, name: NAME, choice: Some("Blosc"), values, head: None }),
    // A chunk tells its settings itself.
    reader: Some(FilterReader::new(
        FILTER,
        |_| NAME,
        |_, size| Ok(decoder(Blosc::new(set(&Settings::USUAL)), size)),
    )),
    numcodecs: Some("blosc"),
    ..CodecType::new(NAME, "Blosc: every type, shuffled if wanted; other programs understand it.")
};

const fn with(blosc_compressor: BloscCompressor, blosc_shuffle: BloscShuffle) -> Settings {
    Settings { blosc_compressor, blosc_shuffle, ..Settings::USUAL }
}

fn set(settings: &Settings) -> BloscSettings {
    let Settings { blosc_compressor: compressor, blosc_shuffle: shuffle, .. } = *settings;
    BloscSettings { compressor, level: LEVELS.of(settings) as u32, shuffle }
}

/// Versions, bytes of an element and of a chunk; the settings behind them only inform.
fn values(chunk: Chunk, settings: &Settings) -> Vec<u32> {
    let BloscSettings { compressor, level, shuffle } = set(settings);
    let compressor = match compressor {
        BloscCompressor::BloscLz => 0,
        BloscCompressor::Lz4 => 1,
        // 2 is LZ4HC, 3 is Snappy.
        BloscCompressor::Zlib => 4,
        BloscCompressor::Zstd => 5,
    };
    vec![2, 2, chunk.element as u32, chunk.bytes as u32, level, shuffle as u32, compressor]
}

/// Bytes of a block that we write: for compressors that are fast in the nearest cache, and for compressors that gain
/// from a longer view.
const BLOCKS: [usize; 2] = [32 << 10, 128 << 10];
/// Bytes of a stream of LZ4 behind a byte shuffle. Up to this size the cost of beginning a stream shows; in one of more
/// than 64 KiB LZ4 sees as far back as its format allows, and finds more.
const PLANE: usize = 128 << 10;
/// Bytes of the largest block that we write: it and its shuffled copy fit a second cache.
const MOST_BLOCK: usize = 512 << 10;
/// The format counts with 31 bits.
const MOST_BYTES: usize = i32::MAX as usize - HEADER;
/// Streams of a block of ours: one for each byte of the largest element.
const MOST_STREAMS: usize = 8;

/// The codec with its working memory. Takes every type.
pub struct Blosc {
    settings: BloscSettings,
    shuffler: Shuffler,
    packers: Packers,
}

impl std::fmt::Debug for Blosc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Blosc").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Blosc {
    /// With the best instructions of this processor.
    pub fn new(settings: BloscSettings) -> Blosc {
        Blosc::with_level(Level::best(), settings)
    }

    /// With the instructions of a level; the compressors have only one.
    pub fn with_level(level: Level, settings: BloscSettings) -> Blosc {
        Blosc { settings, shuffler: Shuffler::new(level), packers: Packers::new(level, settings.level) }
    }

    /// Writes blocks and gives the length of the chunk, or `None` if it would be no shorter than a copy.
    fn pack(&mut self, header: Header, bytes: &[u8], output: &mut [u8]) -> Result<Option<usize>, CodecError> {
        let mut stream = Writer::new(output);
        stream.skip(HEADER + 4 * bytes.len().div_ceil(header.block));
        for (i, block) in bytes.chunks(header.block).enumerate() {
            let start = stream.at() as u32;
            stream.put_at(HEADER + 4 * i, &start.to_le_bytes());
            self.pack_block(header, block, &mut stream)?;
        }
        let packed = stream.at();
        header.write(packed, output);
        Ok((packed < HEADER + bytes.len()).then_some(packed))
    }

    fn pack_block(
        &mut self,
        header: Header,
        block: &[u8],
        stream: &mut Writer<'_>,
    ) -> Result<(), CodecError> {
        let part = block.len() / header.streams(block.len());
        let BloscSettings { compressor, shuffle, .. } = self.settings;
        let shuffled = self.shuffler.shuffle(header.shuffle(block.len()), header.size, block)?;
        for part in shuffled.chunks(part) {
            let packed = self.packers.encode(compressor, shuffle, part, &mut stream.rest()[4..])?;
            stream.put(&(packed.min(part.len()) as u32).to_le_bytes());
            if packed < part.len() {
                stream.skip(packed);
            } else {
                stream.put(part);
            }
        }
        Ok(())
    }

    fn unpack_block(
        &mut self,
        header: Header,
        stream: &mut Reader<'_>,
        output: &mut [u8],
    ) -> Result<(), CodecError> {
        let (shuffle, streams) = (header.shuffle(output.len()), header.streams(output.len()));
        stream.expect("bytes of a block beyond whole elements", 0, (output.len() % streams) as u64)?;
        let Blosc { packers, shuffler, .. } = self;
        let compressor = header.compressor()?;
        let mut next = |room: &mut [u8]| packers.decode_stored(compressor, shuffle, stream, room);
        match shuffle {
            BloscShuffle::None => fill(output, streams, next),
            BloscShuffle::Byte if streams == header.size => shuffler.unshuffle_planes(streams, output, next),
            _ => {
                // No longer than the caller's output, whatever the header says.
                fill(shuffler.room(output.len()), streams, &mut next)?;
                shuffler.unshuffle(shuffle, header.size, output)
            }
        }
    }
}

/// Fills `output` from `streams` streams.
fn fill<'a>(
    output: &mut [u8],
    streams: usize,
    mut next: impl FnMut(&mut [u8]) -> Result<Option<&'a [u8]>, CodecError>,
) -> Result<(), CodecError> {
    for output in output.chunks_mut(output.len() / streams) {
        if let Some(stored) = next(output)? {
            output.copy_from_slice(stored);
        }
    }
    Ok(())
}

/// Bytes of a block of ours: whole eights of elements where there are some, so that bits can be shuffled.
fn block_bytes(settings: BloscSettings, bytes: usize, size: usize) -> usize {
    let most = match (settings.compressor, settings.shuffle) {
        (BloscCompressor::Lz4, BloscShuffle::Byte) => (PLANE * size).min(MOST_BLOCK),
        (BloscCompressor::Zlib | BloscCompressor::Zstd, _) => BLOCKS[1],
        _ => BLOCKS[0],
    };
    let eights = bytes.min(most) / (8 * size) * (8 * size);
    // Less than eight elements are one block.
    if eights > 0 { eights } else { bytes.max(1) }
}

impl Codec for Blosc {
    fn name(&self) -> &'static str {
        NAME
    }

    fn bound(&self, input_bytes: usize) -> usize {
        let block = input_bytes.min(MOST_BLOCK);
        let sizes = 4 * (1 + MOST_STREAMS) * (input_bytes / BLOCKS[0] + 2);
        // The most bytes that a compressor needs beyond data that do not shrink: LZ4 and zstd a byte in 255 and some.
        HEADER + input_bytes + sizes + block / 128 + 160
    }

    fn encode(&mut self, input: Array<'_>, output: &mut [u8]) -> Result<usize, CodecError> {
        let (bytes, size) = (input.data(), input.dtype().bytes());
        if bytes.len() > MOST_BYTES {
            return Err(CodecError::Limit { codec: NAME, most: MOST_BYTES, found: bytes.len() });
        }
        check_room(self, bytes.len(), output.len())?;
        let BloscSettings { compressor, level, shuffle } = self.settings;
        let block = block_bytes(self.settings, bytes.len(), size);
        let header = Header::new(compressor, shuffle, size, bytes.len(), block);
        // Level 0 asks for a copy.
        if level > 0
            && let Some(packed) = self.pack(header, bytes, output)?
        {
            return Ok(packed);
        }
        let packed = HEADER + bytes.len();
        header.copied().write(packed, output);
        output[HEADER..packed].copy_from_slice(bytes);
        Ok(packed)
    }

    fn decode(&mut self, stream: &[u8], dtype: DType, output: &mut [u8]) -> Result<(), CodecError> {
        check_dtype(self, dtype)?;
        let mut reader = Reader::new(NAME, stream);
        let header = Header::read(&mut reader, output.len())?;
        if header.is_copied() || output.is_empty() {
            output.copy_from_slice(reader.take(output.len(), "bytes of the array")?);
            return reader.expect("bytes behind the array", 0, reader.left() as u64);
        }
        for output in output.chunks_mut(header.block) {
            let start = reader.u32("start of a block")? as usize;
            let mut block = reader.from(start, "start of a block")?;
            self.unpack_block(header, &mut block, output)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
