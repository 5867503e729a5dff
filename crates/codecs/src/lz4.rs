//! LZ4 in its block format, without a frame: areaDetector's codec `lz4`.

use ::lz4::block::{CompressionMode, compress_to_buffer, decompress_to_buffer};
use livetime_kernels::lz4;

use crate::stream::{check_dtype, check_room};
use crate::{Array, Chunk, Codec, CodecError, CodecType, DType, Filter, FrameName, Head};

const NAME: &str = "lz4";

pub(crate) const TYPE: CodecType = CodecType {
    make: Some(|_, _| Ok(Box::new(Lz4::new()))),
    in_frames: Some(FrameName { name: NAME, choice: "LZ4" }),
    filter: Some(Filter { choice: None, head: Some(head), ..FILTER }),
    ..CodecType::new(NAME, "LZ4: every type; other programs understand it.")
};

/// The filter of HDF5 with blocks of LZ4, whose size is in the chunks.
pub(crate) const FILTER: Filter =
    Filter { number: 32004, name: NAME, choice: Some("LZ4"), values: |_, _| vec![0], head: None };

/// A stream as the only block of a chunk.
fn head(chunk: Chunk, stream: usize) -> Head {
    // The numbers are big-endian in this filter's format, unlike in HDF5.
    let mut head = [0; 16];
    head[..8].copy_from_slice(&(chunk.bytes as u64).to_be_bytes());
    head[8..12].copy_from_slice(&(chunk.bytes as u32).to_be_bytes());
    head[12..].copy_from_slice(&(stream as u32).to_be_bytes());
    (head, 16)
}

/// The codec with its working memory. Takes every type.
#[derive(Debug)]
pub struct Lz4 {
    block: Lz4Block,
}

impl Lz4 {
    /// A codec.
    pub fn new() -> Lz4 {
        Lz4 { block: Lz4Block::new() }
    }
}

impl Default for Lz4 {
    fn default() -> Lz4 {
        Lz4::new()
    }
}

impl Codec for Lz4 {
    fn name(&self) -> &'static str {
        NAME
    }

    fn bound(&self, input_bytes: usize) -> usize {
        lz4_bound(input_bytes)
    }

    fn encode(&mut self, input: Array<'_>, output: &mut [u8]) -> Result<usize, CodecError> {
        check_room(self, input.data().len(), output.len())?;
        self.block.encode(NAME, input.data(), output)
    }

    fn decode(&mut self, stream: &[u8], dtype: DType, output: &mut [u8]) -> Result<(), CodecError> {
        check_dtype(self, dtype)?;
        self.block.decode(NAME, stream, 0, output)
    }
}

/// Bytes that a block can become, as the library counts.
pub(crate) fn lz4_bound(bytes: usize) -> usize {
    bytes + bytes / 255 + 16
}

/// The library counts bytes with 31 bits, and packs no more than this.
const MOST_BYTES: usize = 0x7E00_0000;

/// Blocks of LZ4.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lz4Block {
    /// How many bytes the encoder skips where it finds no match; from 1 on, more is faster and less dense.
    acceleration: i32,
}

impl Lz4Block {
    pub(crate) fn new() -> Lz4Block {
        Lz4Block::with_acceleration(1)
    }

    pub(crate) fn with_acceleration(acceleration: i32) -> Lz4Block {
        Lz4Block { acceleration }
    }

    /// `output` has room for [`lz4_bound`].
    pub(crate) fn encode(
        &self,
        codec: &'static str,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, CodecError> {
        // The library would return a wrong length for more.
        if input.len() > MOST_BYTES {
            return Err(CodecError::Limit { codec, most: MOST_BYTES, found: input.len() });
        }
        let mode = Some(CompressionMode::FAST(self.acceleration));
        // The library would not accept more.
        let room = output.len().min(lz4_bound(input.len()));
        compress_to_buffer(input, mode, false, &mut output[..room]).map_err(|_| CodecError::Room {
            codec,
            wanted: lz4_bound(input.len()),
            found: room,
        })
    }

    /// As [`Lz4Block::decode`], for bytes that went through a bit shuffle: blocks of our encoders are quicker read as
    /// runs, and the first matches of a block show whether it is another one.
    pub(crate) fn decode_shuffled(
        &self,
        codec: &'static str,
        block: &[u8],
        at: usize,
        output: &mut [u8],
    ) -> Result<(), CodecError> {
        // Runs alone are unpacked faster; a block of another encoder falls through.
        if lz4::decode_runs(block, output) == Some(output.len()) {
            return Ok(());
        }
        self.decode(codec, block, at, output)
    }

    /// Decodes a block that stands at byte `at` of a stream and fills `output`.
    pub(crate) fn decode(
        &self,
        codec: &'static str,
        block: &[u8],
        at: usize,
        output: &mut [u8],
    ) -> Result<(), CodecError> {
        let wanted = output.len() as u64;
        let damaged = |found| CodecError::Damaged { codec, what: "bytes of an LZ4 block", wanted, found, at };
        let (Ok(size), Ok(_)) = (i32::try_from(output.len()), i32::try_from(block.len())) else {
            return Err(damaged(0));
        };
        match decompress_to_buffer(block, Some(size), output) {
            Ok(found) if found == output.len() => Ok(()),
            Ok(found) => Err(damaged(found as u64)),
            Err(_) => Err(damaged(0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_nothing_and_one_that_is_too_short_are_refused() {
        let (mut codec, mut back) = (Lz4::new(), [0; 8]);
        for stream in [&[][..], &[0x10], &[0x10, 7, 2, 0, 0], &[0x20, 7, 7]] {
            let error = codec.decode(stream, DType::U8, &mut back).unwrap_err();
            assert!(error.to_string().starts_with("lz4 stream, byte 0: bytes of an LZ4 block"), "{error}");
        }
        assert_eq!(codec.decode(&[0], DType::U8, &mut []), Ok(()));
    }

    #[test]
    fn blocks_come_back_with_any_acceleration() {
        let bytes: Vec<u8> =
            (0..60_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 27) as u8 & 9).collect();
        for acceleration in [1, 5, 9, 1000] {
            let block = Lz4Block::with_acceleration(acceleration);
            let (mut stream, mut back) = (vec![0; lz4_bound(bytes.len())], vec![0; bytes.len()]);
            let size = block.encode(NAME, &bytes, &mut stream).unwrap();
            block.decode(NAME, &stream[..size], 0, &mut back).unwrap();
            assert!(back == bytes && size < bytes.len(), "{acceleration}: {size}");
        }
    }
}
