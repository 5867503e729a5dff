//! LZ4 in its block format, without a frame: what areaDetector calls the codec `lz4`.

use lz4_flex::block::{CompressTable, compress_into_with_table, decompress_into, get_maximum_output_size};

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
        match decompress_into(block, output) {
            Ok(found) if found == output.len() => Ok(()),
            Ok(found) => Err(damaged(found as u64)),
            Err(_) => Err(damaged(0)),
        }
    }
}

/// An LZ4 block whose only matches are runs of a byte, which after bitshuffle is nearly all that there is to find: several times as
/// fast as looking for all matches. `output` has room for [`lz4_bound`].
pub(crate) fn encode_runs(input: &[u8], output: &mut [u8]) -> usize {
    let (mut at, mut literals, mut position) = (0, 0, 0);
    // The format wants the last match to start 12 bytes before the end, and the last 5 bytes to be literals.
    let last_start = input.len().saturating_sub(12);
    while position < last_start {
        let Some(word) = input.get(position..).and_then(<[u8]>::first_chunk) else { break };
        let word = u32::from_le_bytes(*word);
        if word != word.rotate_left(8) {
            position += 4;
            continue;
        }
        let (start, end) = run_around(input, literals, position);
        // The first byte of a run is a literal, the others repeat the byte before.
        let from = start + 1;
        let end = end.min(input.len() - 5);
        if end < from + MIN_MATCH || from >= last_start {
            position += 4;
            continue;
        }
        at += put_sequence(&input[literals..from], end - from, &mut output[at..]);
        (literals, position) = (end, end);
    }
    at + put_literals(&input[literals..], 0, &mut output[at..])
}

const MIN_MATCH: usize = 4;
const EVERY_BYTE: u64 = 0x0101_0101_0101_0101;

/// Start and end of the run of equal bytes that holds four from `position` on; no earlier than `from`.
fn run_around(input: &[u8], from: usize, position: usize) -> (usize, usize) {
    let byte = input[position];
    let before = input[from..position].iter().rev().take_while(|b| **b == byte).count();
    let mut end = position + 4;
    while let Some(word) = input.get(end..).and_then(<[u8]>::first_chunk) {
        let other = u64::from_le_bytes(*word) ^ (u64::from(byte) * EVERY_BYTE);
        if other != 0 {
            return (position - before, end + other.trailing_zeros() as usize / 8);
        }
        end += 8;
    }
    (position - before, end + input[end..].iter().take_while(|b| **b == byte).count())
}

/// Literals, and a match of so many bytes that repeats the last one of them.
fn put_sequence(literals: &[u8], length: usize, output: &mut [u8]) -> usize {
    let length = length - MIN_MATCH;
    let mut at = put_literals(literals, length.min(15) as u8, output);
    output[at..at + 2].copy_from_slice(&1u16.to_le_bytes());
    at += 2;
    at + if length >= 15 { put_length(length - 15, &mut output[at..]) } else { 0 }
}

/// The token with the low half `low`, and literals.
fn put_literals(literals: &[u8], low: u8, output: &mut [u8]) -> usize {
    output[0] = (literals.len().min(15) as u8) << 4 | low;
    let more = literals.len().checked_sub(15);
    let at = 1 + more.map_or(0, |more| put_length(more, &mut output[1..]));
    output[at..at + literals.len()].copy_from_slice(literals);
    at + literals.len()
}

/// What is left of a length: bytes of 255 and a smaller one.
fn put_length(length: usize, output: &mut [u8]) -> usize {
    let whole = length / 255;
    output[..whole].fill(255);
    output[whole] = (length % 255) as u8;
    whole + 1
}
