//! Chunks: blocks, packed and filtered.

use livetime_kernels::{Level, byteshuffle};

use super::boxes::NAME;
use crate::bitshuffle::{room, unshuffle};
use crate::blosc::Packers;
use crate::stream::Reader;
use crate::{BloscCompressor, BloscShuffle, CodecError};

/// Bytes of a head with filters.
const HEAD: usize = 32;
/// Filters of a chunk.
const FILTERS: usize = 6;
/// Flags of a head: both shuffles together mean that filters follow.
const HAS_FILTERS: u8 = 1 | 4;
const COPIED: u8 = 2;
const NOT_SPLIT: u8 = 16;
const DICTIONARY: u8 = 1;

const SHUFFLE: u8 = 1;
const BIT_SHUFFLE: u8 = 2;
const DELTA: u8 = 3;
/// Bits were cut off before; nothing is to be undone.
const CUT: u8 = 4;

/// The fields of a head, and the chunk.
pub(super) struct Chunk<'a> {
    stream: &'a [u8],
    is_copied: bool,
    is_split: bool,
    /// Bytes of an element, and of a block.
    size: usize,
    block: usize,
    compressor: BloscCompressor,
    /// In the order in which they were applied, with their settings.
    filters: [(u8, u8); FILTERS],
    /// All elements are alike: none is stored, or one behind the head.
    is_zeros: bool,
    is_one_value: bool,
}

/// Decodes chunks, with working memory.
pub(super) struct Chunks {
    packers: Packers,
    one: Vec<u8>,
    other: Vec<u8>,
    planes: Vec<u8>,
}

impl Default for Chunks {
    fn default() -> Chunks {
        Chunks { packers: Packers::new(Level::best(), 1), one: vec![], other: vec![], planes: vec![] }
    }
}

impl Chunks {
    /// Fills `output` from a chunk.
    pub(super) fn decode(&mut self, stream: &[u8], output: &mut [u8]) -> Result<(), CodecError> {
        let chunk = Chunk::read(stream, output.len())?;
        if output.is_empty() {
            return Ok(());
        }
        for (number, output) in output.chunks_mut(chunk.block).enumerate() {
            self.block(&chunk, number, output)?;
        }
        Ok(())
    }

    /// Opens a chunk of `bytes` bytes whose blocks must have this size.
    pub(super) fn open<'a>(
        &self,
        stream: &'a [u8],
        bytes: usize,
        block: usize,
    ) -> Result<Chunk<'a>, CodecError> {
        let chunk = Chunk::read(stream, bytes)?;
        Reader::new(NAME, stream).expect("bytes of a block", block as u64, chunk.block as u64)?;
        Ok(chunk)
    }

    /// Fills `output` from the block of a number.
    pub(super) fn block(
        &mut self,
        chunk: &Chunk<'_>,
        number: usize,
        output: &mut [u8],
    ) -> Result<(), CodecError> {
        let reader = Reader::new(NAME, chunk.stream);
        if chunk.is_zeros {
            output.fill(0);
            return Ok(());
        }
        if chunk.is_one_value {
            let value =
                reader.from(HEAD, "the value of a chunk")?.take(chunk.size, "the value of a chunk")?;
            output.chunks_mut(chunk.size).for_each(|to| to.copy_from_slice(&value[..to.len()]));
            return Ok(());
        }
        if chunk.is_copied {
            let begin = HEAD.saturating_add(number.saturating_mul(chunk.block));
            output.copy_from_slice(
                reader.from(begin, "start of a block")?.take(output.len(), "bytes of a block")?,
            );
            return Ok(());
        }
        let start = reader.from(HEAD + 4 * number, "start of a block")?.u32("start of a block")? as usize;
        let mut block = reader.from(start, "start of a block")?;
        self.streams(chunk, &mut block, output.len())?;
        self.unfilter(chunk, output)
    }

    /// Unpacks the streams of a block of `bytes` bytes into the first working memory.
    fn streams(&mut self, chunk: &Chunk<'_>, block: &mut Reader<'_>, bytes: usize) -> Result<(), CodecError> {
        // A shorter last block is not split.
        let count = if chunk.is_split && bytes == chunk.block { chunk.size } else { 1 };
        block.expect("bytes of a block beyond whole elements", 0, (bytes % count) as u64)?;
        // No longer than the caller's output, whatever the chunk says.
        for room in room(&mut self.one, bytes).chunks_mut((bytes / count).max(1)) {
            let length = block.u32("bytes of a stream")? as i32;
            match usize::try_from(length) {
                Ok(0) => room.fill(0),
                Ok(length) => {
                    let at = block.at();
                    let stream = block.take(length, "bytes of a stream")?;
                    if length == room.len() {
                        room.copy_from_slice(stream);
                    } else {
                        self.packers.decode(chunk.compressor, BloscShuffle::None, stream, at, room)?;
                    }
                }
                // One byte, again and again: a mark follows.
                Err(_) => {
                    let mark = block.u8("the mark of a repeated byte")?;
                    block.expect("the mark of a repeated byte", 1, (mark & 1).into())?;
                    let byte = u8::try_from(length.unsigned_abs());
                    room.fill(
                        byte.map_err(|_| {
                            block.damaged("a repeated byte", 255, length.unsigned_abs().into())
                        })?,
                    );
                }
            }
        }
        Ok(())
    }

    /// Undoes the filters, the last one first.
    fn unfilter(&mut self, chunk: &Chunk<'_>, output: &mut [u8]) -> Result<(), CodecError> {
        let Chunks { one, other, planes, .. } = self;
        let (level, bytes) = (Level::best(), output.len());
        for (filter, setting) in chunk.filters.iter().rev() {
            let size = if *setting == 0 { chunk.size } else { usize::from(*setting) };
            let (from, to) = (&one[..bytes], room(other, bytes));
            // Elements behind the last whole one, or the last eight, are not shuffled.
            let elements = match *filter {
                SHUFFLE => bytes / size * size,
                BIT_SHUFFLE => bytes / (8 * size) * (8 * size),
                _ => continue,
            };
            let ((from, rest), (to, to_rest)) = (from.split_at(elements), to.split_at_mut(elements));
            to_rest.copy_from_slice(rest);
            match *filter {
                SHUFFLE => byteshuffle::unshuffle(level, size, from, to)?,
                _ => unshuffle(level, size, from, to, planes)?,
            }
            std::mem::swap(one, other);
        }
        output.copy_from_slice(&one[..bytes]);
        Ok(())
    }
}

impl<'a> Chunk<'a> {
    /// Reads the head of a chunk of an array of `bytes` bytes.
    fn read(stream: &'a [u8], bytes: usize) -> Result<Chunk<'a>, CodecError> {
        let mut reader = Reader::new(NAME, stream);
        reader.take(2, "versions")?;
        let flags = reader.u8("flags")?;
        let size = usize::from(reader.u8("bytes of an element")?);
        let total = reader.u32("bytes of the array")?;
        reader.expect("bytes of the array", bytes as u64, total.into())?;
        let block = reader.u32("bytes of a block")? as usize;
        let length = reader.u32("bytes of the chunk")?;
        reader.expect("bytes of the chunk", stream.len() as u64, length.into())?;
        reader.expect("a chunk with filters", HAS_FILTERS.into(), (flags & HAS_FILTERS).into())?;
        if size == 0 || block == 0 || block > bytes.max(1) {
            return Err(reader.damaged("bytes of an element and of a block", bytes as u64, block as u64));
        }
        let ids: [u8; FILTERS] = reader.array("filters")?;
        reader.take(2, "the codec")?;
        let settings: [u8; FILTERS] = reader.array("settings of filters")?;
        reader.take(1, "a reserved byte")?;
        let more = reader.u8("more flags")?;
        let mut filters = [(0, 0); FILTERS];
        for (filter, (id, setting)) in filters.iter_mut().zip(ids.into_iter().zip(settings)) {
            *filter = (id, setting);
            check_filter(id)?;
        }
        // 1 stands for zeros, 2 for NaN, 3 for one value, 4 for numbers that were never set.
        let special = more >> 4 & 7;
        let is_stored = special == 0 && flags & COPIED == 0;
        if is_stored && more & DICTIONARY != 0 {
            return Err(unsupported("streams without a dictionary", "a dictionary"));
        }
        if !matches!(special, 0 | 1 | 3 | 4) {
            return Err(unsupported("numbers that are stored", "a chunk of NaN"));
        }
        let compressor = if is_stored { compressor(flags >> 5)? } else { BloscCompressor::BloscLz };
        Ok(Chunk {
            stream,
            is_copied: flags & COPIED != 0,
            is_split: flags & NOT_SPLIT == 0,
            size,
            block,
            compressor,
            filters,
            is_zeros: matches!(special, 1 | 4),
            is_one_value: special == 3,
        })
    }
}

fn check_filter(id: u8) -> Result<(), CodecError> {
    match id {
        0 | SHUFFLE | BIT_SHUFFLE | CUT => Ok(()),
        DELTA => Err(unsupported("shuffles of bytes or bits", "the filter `delta`")),
        _ => Err(unsupported("shuffles of bytes or bits", "a filter of its own")),
    }
}

fn compressor(number: u8) -> Result<BloscCompressor, CodecError> {
    Ok(match number {
        0 => BloscCompressor::BloscLz,
        1 => BloscCompressor::Lz4,
        3 => BloscCompressor::Zlib,
        4 => BloscCompressor::Zstd,
        _ => return Err(unsupported("BloscLZ, LZ4, zlib or zstd in it", "another codec")),
    })
}

fn unsupported(wanted: &'static str, found: &'static str) -> CodecError {
    CodecError::Unsupported { codec: NAME, wanted, found }
}
