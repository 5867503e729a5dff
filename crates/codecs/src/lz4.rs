//! LZ4 in its block format, without a frame: what areaDetector calls the codec `lz4`.

use livetime_kernels::lz4;
use lz4_flex::block::{CompressTable, compress_into_with_table, get_maximum_output_size};

use crate::stream::{check_dtype, check_room};
use crate::{Array, Codec, CodecError, DType};

const NAME: &str = "lz4";

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

    fn supports(&self, _: DType) -> bool {
        true
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

/// Bytes that a block can become.
pub(crate) fn lz4_bound(bytes: usize) -> usize {
    get_maximum_output_size(bytes)
}

/// Blocks of LZ4, with the table that the encoder looks matches up in.
pub(crate) struct Lz4Block {
    table: CompressTable,
}

impl std::fmt::Debug for Lz4Block {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Lz4Block")
    }
}

impl Lz4Block {
    pub(crate) fn new() -> Lz4Block {
        Lz4Block { table: CompressTable::small() }
    }

    /// `output` has room for [`lz4_bound`].
    pub(crate) fn encode(
        &mut self,
        codec: &'static str,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, CodecError> {
        let found = output.len();
        compress_into_with_table(input, output, &mut self.table).map_err(|_| CodecError::Room {
            codec,
            wanted: lz4_bound(input.len()),
            found,
        })
    }

    /// Decodes a block that stands at byte `at` of a stream and fills `output`.
    pub(crate) fn decode(
        &mut self,
        codec: &'static str,
        block: &[u8],
        at: usize,
        output: &mut [u8],
    ) -> Result<(), CodecError> {
        let wanted = output.len() as u64;
        let damaged = |found| CodecError::Damaged { codec, what: "bytes of an LZ4 block", wanted, found, at };
        match lz4::decode(block, output) {
            Some(found) if found == output.len() => Ok(()),
            found => Err(damaged(found.unwrap_or(0) as u64)),
        }
    }
}
