//! The first 16 bytes of a chunk.

use super::settings::NAME;
use crate::stream::{Reader, Writer};
use crate::{BloscCompressor, BloscShuffle, CodecError};

/// Bytes of the header.
pub(super) const HEADER: usize = 16;
/// The version of the format, and the version of the compressors' streams.
const VERSIONS: [u8; 2] = [2, 1];
/// Flags of the header.
const BYTE_SHUFFLE: u8 = 1;
const COPIED: u8 = 2;
const BIT_SHUFFLE: u8 = 4;
const NOT_SPLIT: u8 = 16;
/// Elements with more bytes are not split.
const MOST_STREAMS: usize = 16;
/// A block with fewer elements is not split.
const LEAST_SPLIT: usize = 128;

/// The fields of a header.
#[derive(Clone, Copy)]
pub(super) struct Header {
    flags: u8,
    /// Bytes of an element.
    pub(super) size: usize,
    /// Bytes of the array.
    pub(super) bytes: usize,
    /// Bytes of a block; the last one may have fewer.
    pub(super) block: usize,
}

impl Header {
    pub(super) fn new(
        compressor: BloscCompressor,
        shuffle: BloscShuffle,
        size: usize,
        bytes: usize,
        block: usize,
    ) -> Header {
        let shuffle = match shuffle {
            BloscShuffle::None => 0,
            BloscShuffle::Byte => BYTE_SHUFFLE,
            BloscShuffle::Bit => BIT_SHUFFLE,
        };
        // Streams of Zstandard are not split, as elsewhere.
        let split = if compressor == BloscCompressor::Zstd { NOT_SPLIT } else { 0 };
        Header { flags: compressor.number() << 5 | split | shuffle, size, bytes, block }
    }

    /// The header of an array that is only copied.
    pub(super) fn copied(self) -> Header {
        Header { flags: self.flags | COPIED, ..self }
    }

    /// Reads the header of a chunk of an array of `bytes` bytes, and compares it with the length of the stream.
    pub(super) fn read(stream: &mut Reader<'_>, bytes: usize) -> Result<Header, CodecError> {
        let length = stream.left() as u64;
        for wanted in VERSIONS {
            let found = stream.u8("version of the format")?;
            stream.expect("version of the format", wanted.into(), found.into())?;
        }
        let flags = stream.u8("flags")?;
        let size = usize::from(stream.u8("bytes of an element")?);
        let total = stream.u32("bytes of the array")?;
        stream.expect("bytes of the array", bytes as u64, total.into())?;
        let block = stream.u32("bytes of a block")? as usize;
        let packed = stream.u32("bytes of the chunk")?;
        stream.expect("bytes of the chunk", length, packed.into())?;
        if bytes > 0 && size == 0 {
            return Err(stream.damaged("bytes of an element", 1, 0));
        }
        if bytes > 0 && (block == 0 || block > bytes) {
            return Err(stream.damaged("bytes of a block", bytes as u64, block as u64));
        }
        Ok(Header { flags, size, bytes, block })
    }

    /// Writes it to the start of a chunk of `packed` bytes.
    pub(super) fn write(&self, packed: usize, output: &mut [u8]) {
        let mut to = Writer::new(output);
        to.put(&VERSIONS);
        to.put(&[self.flags, self.size as u8]);
        [self.bytes, self.block, packed].iter().for_each(|n| to.put(&(*n as u32).to_le_bytes()));
    }

    pub(super) fn is_copied(&self) -> bool {
        self.flags & COPIED != 0
    }

    /// The compressor of the streams.
    pub(super) fn compressor(&self) -> Result<BloscCompressor, CodecError> {
        let number = self.flags >> 5;
        let found = BloscCompressor::ALL.into_iter().find(|compressor| compressor.number() == number);
        found.ok_or(CodecError::Unsupported {
            codec: NAME,
            wanted: "BloscLZ, LZ4, zlib or zstd in it",
            found: if number == 2 { "Snappy" } else { "an unknown compressor" },
        })
    }

    /// How the bytes of a block lie.
    pub(super) fn shuffle(&self, block: usize) -> BloscShuffle {
        if self.flags & BYTE_SHUFFLE != 0 && self.size > 1 {
            BloscShuffle::Byte
        } else if self.flags & BIT_SHUFFLE != 0 && (block / self.size).is_multiple_of(8) && block >= self.size
        {
            // A block of other numbers of elements is left as it is.
            BloscShuffle::Bit
        } else {
            BloscShuffle::None
        }
    }

    /// Streams that a block is in: one for each byte of an element, or one.
    pub(super) fn streams(&self, block: usize) -> usize {
        let may = self.flags & NOT_SPLIT == 0 && self.size <= MOST_STREAMS;
        if may && block == self.block && block / self.size >= LEAST_SPLIT { self.size } else { 1 }
    }
}
