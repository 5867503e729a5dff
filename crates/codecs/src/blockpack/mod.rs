//! Blockpack: our own codec for detector frames of 8-, 16- and 32-bit integers.
//!
//! The elements of a reference frame (a dark frame, or the previous frame) are subtracted; the remainders lose, in
//! blocks of 512 elements, their centre and are packed with as few bits as they need ([`livetime_kernels::blockpack`]).
//! The format is written down in `docs/formats/blockpack.md`.

mod header;
mod parts;
mod region;
mod sequence;

use crate::stream::{Writer, check_dtype, check_room};
use crate::{Array, BlockpackTier as Tier, Codec, CodecError, CodecType, DType, FrameName, Settings};
pub use header::{Header, MOST_DIMENSIONS};
use livetime_kernels::Level;
use livetime_kernels::blockpack::{
    BLOCK, BlockError, DenseScratch, Scratch, Word, pack_block, pack_dense_block, unpack_block,
    unpack_dense_block,
};
pub use parts::Reference;
pub use region::Region;
pub use sequence::{SequenceDecoder, SequenceEncoder};

use parts::{ENTRY, NAME, check_reference, checksum, damaged};

pub(crate) const TYPE: CodecType = CodecType {
    make: Some(|level, settings| {
        Ok(Box::new(Blockpack::with_level(level).with_tier(settings.blockpack_tier)))
    }),
    variants: &[("dense", Settings { blockpack_tier: Tier::Dense, ..Settings::USUAL })],
    has_own_loops: true,
    in_frames: Some(FrameName { name: NAME, choice: "Blockpack" }),
    ..CodecType::new(
        NAME,
        "Our own, for integers of 8, 16 and 32 bits: densest and fastest on detector frames. Floats pass unchanged.",
    )
};

/// The codec with its working memory.
///
/// ```
/// use livetime_codecs::{Array, Blockpack, DType, Reference};
/// let dark: Vec<u8> = (0..4000u16).flat_map(|i| (1000 + i % 900).to_le_bytes()).collect();
/// let frame: Vec<u8> = (0..4000u16).flat_map(|i| (1003 + i % 900 + i % 4).to_le_bytes()).collect();
/// let (mut codec, dark) = (Blockpack::new(), Reference::by_content(&dark));
/// let mut packed = vec![0; livetime_codecs::Codec::bound(&codec, frame.len())];
/// let array = Array::new(&frame, DType::U16, &[40, 100])?;
/// let size = codec.encode_with(array, Some(dark), &mut packed)?;
/// assert!(size < frame.len() / 4);
/// let mut back = vec![0; frame.len()];
/// codec.decode_with(&packed[..size], DType::U16, Some(dark), &mut back)?;
/// assert_eq!(back, frame);
/// # Ok::<(), livetime_codecs::CodecError>(())
/// ```
#[derive(Debug)]
pub struct Blockpack {
    level: Level,
    tier: Tier,
    bytes: Memory<u8>,
    words: Memory<u16>,
    double_words: Memory<u32>,
    /// A block that a region needs part of.
    block: Vec<u8>,
}

impl Blockpack {
    /// With the best instructions of this processor.
    pub fn new() -> Blockpack {
        Blockpack::with_level(Level::best())
    }

    /// With the instructions of a level.
    pub fn with_level(level: Level) -> Blockpack {
        let (bytes, words, double_words) = (Memory::default(), Memory::default(), Memory::default());
        Blockpack { level, tier: Tier::Fast, bytes, words, double_words, block: Vec::new() }
    }

    /// Writes streams of a tier. Streams of every tier are read.
    ///
    /// ```
    /// use livetime_codecs::{Array, Blockpack, BlockpackTier, Codec, DType};
    /// let frame: Vec<u8> = (0..40_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24).count_ones() as u8).collect();
    /// let array = Array::new(&frame, DType::U8, &[200, 200])?;
    /// let (mut fast, mut dense) = (Blockpack::new(), Blockpack::new().with_tier(BlockpackTier::Dense));
    /// let mut streams = [vec![0; fast.bound(frame.len())], vec![0; dense.bound(frame.len())]];
    /// let sizes = [fast.encode(array, &mut streams[0])?, dense.encode(array, &mut streams[1])?];
    /// assert!(sizes[1] < sizes[0]);
    /// let mut back = vec![0; frame.len()];
    /// fast.decode(&streams[1][..sizes[1]], DType::U8, &mut back)?;
    /// assert_eq!(back, frame);
    /// # Ok::<(), livetime_codecs::CodecError>(())
    /// ```
    pub fn with_tier(self, tier: Tier) -> Blockpack {
        Blockpack { tier, ..self }
    }

    /// As [`Codec::encode`], with the difference to a reference frame.
    ///
    /// # Errors
    /// The errors of [`Codec::encode`]; [`CodecError::Length`] if the reference does not have the size of the input or
    /// there are more than [`MOST_DIMENSIONS`] dimensions.
    pub fn encode_with(
        &mut self,
        input: Array<'_>,
        reference: Option<Reference<'_>>,
        output: &mut [u8],
    ) -> Result<usize, CodecError> {
        check_dtype(self, input.dtype())?;
        let bytes = input.data();
        check_room(self, bytes.len(), output.len())?;
        check_reference(reference, bytes.len())?;
        let mut stream = Writer::new(output);
        // No reference is written as 0, which no frame has as its identity.
        header::write(&input, self.tier, reference.map_or(0, |r| r.id), &mut stream)?;
        let reference = reference.map(|r| r.data);
        let how = (self.level, self.tier);
        match input.dtype().bytes() {
            1 => write_blocks(how, bytes, reference, &mut self.bytes, &mut stream)?,
            2 => write_blocks(how, bytes, reference, &mut self.words, &mut stream)?,
            _ => write_blocks(how, bytes, reference, &mut self.double_words, &mut stream)?,
        }
        Ok(stream.at())
    }

    /// As [`Codec::decode`], for a stream that was made with a reference frame.
    ///
    /// # Errors
    /// The errors of [`Codec::decode`]; [`CodecError::Reference`] if the stream needs another reference, or none.
    pub fn decode_with(
        &mut self,
        stream: &[u8],
        dtype: DType,
        reference: Option<Reference<'_>>,
        output: &mut [u8],
    ) -> Result<(), CodecError> {
        check_dtype(self, dtype)?;
        let header = Header::read(stream)?;
        header.check(dtype, output.len(), reference)?;
        let reference = reference.map(|r| r.data);
        match dtype.bytes() {
            1 => read_blocks::<u8>(self.level, &header, reference, output),
            2 => read_blocks::<u16>(self.level, &header, reference, output),
            _ => read_blocks::<u32>(self.level, &header, reference, output),
        }
    }
}

impl Default for Blockpack {
    fn default() -> Blockpack {
        Blockpack::new()
    }
}

impl Codec for Blockpack {
    fn name(&self) -> &'static str {
        NAME
    }

    fn supports(&self, dtype: DType) -> bool {
        matches!(dtype, DType::U8 | DType::I8 | DType::U16 | DType::I16 | DType::U32 | DType::I32)
    }

    fn bound(&self, input_bytes: usize) -> usize {
        // A block has at most 2 bytes besides its groups, and a group of 512 elements 10 besides them.
        header::MOST_BYTES
            + (input_bytes / BLOCK + 1) * (ENTRY + 2)
            + input_bytes
            + (input_bytes / 512 + 1) * 10
    }

    fn encode(&mut self, input: Array<'_>, output: &mut [u8]) -> Result<usize, CodecError> {
        self.encode_with(input, None, output)
    }

    fn decode(&mut self, stream: &[u8], dtype: DType, output: &mut [u8]) -> Result<(), CodecError> {
        self.decode_with(stream, dtype, None, output)
    }
}

/// Working memory of the tiers.
#[derive(Debug, Default)]
struct Memory<T: Word> {
    fast: Scratch<T>,
    dense: DenseScratch<T>,
}

/// Writes the index of the blocks, its checksum, and the blocks.
fn write_blocks<T: Word>(
    (level, tier): (Level, Tier),
    bytes: &[u8],
    reference: Option<&[u8]>,
    memory: &mut Memory<T>,
    stream: &mut Writer<'_>,
) -> Result<(), CodecError> {
    let size = BLOCK * size_of::<T>();
    let index = stream.at();
    let end = index + bytes.len().div_ceil(size) * ENTRY;
    // The index is written last, because the lengths are known only then.
    stream.skip(end - index + 4);
    for (i, block) in bytes.chunks(size).enumerate() {
        let reference = reference.map(|r| &r[i * size..i * size + block.len()]);
        let length = match tier {
            Tier::Fast => pack_block(level, block, reference, &mut memory.fast, stream.rest())?,
            Tier::Dense => pack_dense_block(level, block, reference, &mut memory.dense, stream.rest())?,
        };
        // Each block has its own checksum, so that a region can be read without the rest.
        let checksum = checksum(&stream.rest()[..length]);
        stream.put_at(index + i * ENTRY, &(length as u32).to_le_bytes());
        stream.put_at(index + i * ENTRY + 4, &checksum.to_le_bytes());
        stream.skip(length);
    }
    let checksum = checksum(stream.before(end));
    stream.put_at(end, &checksum.to_le_bytes());
    Ok(())
}

fn read_blocks<T: Word>(
    level: Level,
    header: &Header<'_>,
    reference: Option<&[u8]>,
    output: &mut [u8],
) -> Result<(), CodecError> {
    let size = BLOCK * size_of::<T>();
    let mut at = 0;
    for (i, output) in output.chunks_mut(size).enumerate() {
        let reference = reference.map(|r| &r[i * size..i * size + output.len()]);
        at += read_block::<T>(level, header, i, at, reference, output)?;
    }
    Ok(())
}

/// Checks and reads the block that starts at byte `at` of the blocks; gives its length.
fn read_block<T: Word>(
    level: Level,
    header: &Header<'_>,
    i: usize,
    at: usize,
    reference: Option<&[u8]>,
    output: &mut [u8],
) -> Result<usize, CodecError> {
    let (block, wanted) = header.block(i, at)?;
    let place = header.start + at;
    let found = checksum(block);
    // The checksum comes first: a damaged block must not reach the decoder.
    if found != wanted {
        return Err(damaged("checksum of a block", wanted.into(), found.into(), place));
    }
    let broken = |e: BlockError| damaged(e.what, e.wanted as u64, e.found as u64, place);
    let unpacked = match header.tier() {
        Tier::Fast => unpack_block::<T>(level, block, reference, output),
        Tier::Dense => unpack_dense_block::<T>(level, block, reference, output),
    };
    unpacked.map_err(broken)?;
    Ok(block.len())
}
