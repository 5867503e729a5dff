//! Bitshuffle and LZ4 as the HDF5 filter 32008 frames them; DECTRIS detectors send it.
//!
//! ```text
//! u64 big-endian   bytes of the array
//! u32 big-endian   bytes of a block before compression
//! per block        u32 big-endian: bytes of LZ4, then these
//! end              elements that are too few for eight, as they are
//! ```
//!
//! The last block holds the remaining multiple of eight elements.

use livetime_kernels::{Level, bitshuffle, lz4};

use crate::filter::decoder;
use crate::lz4::Lz4Block;
use crate::stream::{Reader, Writer, check_dtype, check_room};
use crate::{
    Array, Bitshuffle, Chunk, Codec, CodecError, CodecType, DType, Decoder, Filter, FilterReader, FrameName,
    Head, bitshuffle as alone,
};

const NAME: &str = "bslz4";
/// The number of the packer LZ4 in the filter's settings; 0 is no packer.
const WITH_LZ4: u32 = 2;
const WITH_ZSTD: u32 = 3;

/// With the filter's header. The filter has bitshuffle without LZ4, too, which is only read.
pub(crate) const TYPE: CodecType = CodecType {
    make: Some(|level, _| Ok(Box::new(Bslz4::with_level(level)))),
    has_own_loops: true,
    filter: Some(FILTER),
    reader: Some(FilterReader {
        keeps_length: |values| packed_by(values) == 0,
        ..FilterReader::new(FILTER.number, name, of_filter)
    }),
    ..CodecType::new(NAME, "bitshuffle and LZ4 with the header of HDF5's filter: every type.")
};

/// Without the filter's header.
pub(crate) const BARE: CodecType = CodecType {
    make: Some(|level, _| Ok(Box::new(Bslz4 { has_header: false, ..Bslz4::with_level(level) }))),
    has_own_loops: true,
    in_frames: Some(FrameName { name: NAME, choice: "BSLZ4" }),
    filter: Some(Filter { choice: None, head: Some(head), ..FILTER }),
    ..CodecType::new("bslz4-bare", "Bitshuffle and LZ4: every type; other programs understand it.")
};

const FILTER: Filter = Filter {
    number: 32008,
    name: NAME,
    choice: Some("BSLZ4"),
    // Version of the format, size of an element, blocks of the size that the chunk says, LZ4.
    values: |chunk, _| vec![0, 0, chunk.element as u32, 0, WITH_LZ4],
    head: None,
};

/// The filter's header.
fn head(chunk: Chunk, _: usize) -> Head {
    let mut head = [0; 16];
    head[..8].copy_from_slice(&(chunk.bytes as u64).to_be_bytes());
    head[8..HEADER].copy_from_slice(&(BLOCK as u32).to_be_bytes());
    (head, HEADER)
}

fn packed_by(values: &[u32]) -> u32 {
    values.get(4).copied().unwrap_or(0)
}

fn name(values: &[u32]) -> &'static str {
    match packed_by(values) {
        0 => alone::NAME,
        WITH_LZ4 => NAME,
        _ => "bitshuffle with zstd",
    }
}

/// Settings are version, version, bytes of an element, elements of a block, packer.
fn of_filter(values: &[u32], element: usize) -> Result<Decoder, CodecError> {
    let element = values.get(2).map_or(element, |size| *size as usize).max(1);
    let block = values.get(3).copied().unwrap_or(0) as usize;
    let refused = |what, wanted, found| CodecError::Setting { codec: alone::NAME, what, wanted, found };
    let mut shuffled = match packed_by(values) {
        WITH_LZ4 if matches!(element, 1 | 2 | 4 | 8) => return Ok(decoder(Bslz4::new(), element)),
        WITH_LZ4 => {
            return Err(refused("bytes of an element, with LZ4", "1, 2, 4 or 8", element as u64));
        }
        0 => Bitshuffle::alone(element, block),
        #[cfg(feature = "zstd")]
        WITH_ZSTD => Bitshuffle::zstd(element)?,
        other => return Err(refused("codec behind it", "none, LZ4 (2) or zstd (3)", other.into())),
    };
    Ok(Box::new(move |stream, output| shuffled.decode(stream, output)))
}

/// The filter's header: the size of the array (8 bytes) and of a block (4).
const HEADER: usize = 12;
/// Bytes of a block that we write; the filter's own default.
const BLOCK: usize = 8192;
/// The first of this many blocks is the trial that decides how all of them are packed.
const TRIAL: usize = 32;

/// The codec with its working memory. Takes every type.
#[derive(Debug)]
pub struct Bslz4 {
    level: Level,
    /// Whether streams begin with the filter's header.
    has_header: bool,
    lz4: Lz4Block,
    shuffled: Vec<u8>,
    trial: Vec<u8>,
}

impl Bslz4 {
    /// With the best instructions of this processor.
    pub fn new() -> Bslz4 {
        Bslz4::with_level(Level::best())
    }

    /// With the instructions of a level; the decoders of LZ4 have only one.
    pub fn with_level(level: Level) -> Bslz4 {
        Bslz4 { level, has_header: true, lz4: Lz4Block::new(), shuffled: Vec::new(), trial: Vec::new() }
    }

    /// Streams without the filter's header of 12 bytes, in blocks of 8192 bytes: the format of the bitshuffle library
    /// itself, and of areaDetector's codec `bslz4`.
    pub fn bare() -> Bslz4 {
        Bslz4 { has_header: false, ..Bslz4::new() }
    }

    /// Reads the header, if there is one, and gives the bytes of a block.
    fn block(&self, stream: &mut Reader<'_>, size: usize, output: usize) -> Result<usize, CodecError> {
        if !self.has_header {
            return Ok(BLOCK);
        }
        let total = u64::from_be_bytes(stream.array("bytes of the array")?);
        stream.expect("bytes of the array", output as u64, total)?;
        let block = u32::from_be_bytes(stream.array("bytes of a block")?) as usize;
        let whole = block / (8 * size) * (8 * size);
        // The filter writes 0 for its default.
        let block = if block == 0 { BLOCK } else { block };
        let wanted = block as u64 * u64::from(whole > 0);
        stream.expect("bytes of a block, whole eights of elements", whole as u64, wanted)?;
        Ok(block)
    }

    /// Packs a block of shuffled bytes as runs, and gives its size. Pictures of detectors are noise: the matches that
    /// LZ4 finds beside runs make 3 % of it, at half the speed. Where bits repeat with a period, as in drawn pictures
    /// of simulators, such matches make far more. `is_trial` decides for the blocks that follow.
    fn encode_block(
        &mut self,
        block: usize,
        is_trial: bool,
        packing: &mut Packing,
        output: &mut [u8],
    ) -> Result<usize, CodecError> {
        let shuffled = &self.shuffled[..block];
        if !is_trial && *packing == Packing::Matches {
            return self.lz4.encode(NAME, shuffled, output);
        }
        let runs = lz4::encode_runs(self.level, shuffled, output)?;
        if !is_trial {
            return Ok(runs);
        }
        self.trial.resize(lz4::bound(BLOCK), 0);
        let matches = self.lz4.encode(NAME, shuffled, &mut self.trial)?;
        // The search for matches costs time: it must save a tenth of the bytes.
        *packing = if 10 * matches < 9 * runs { Packing::Matches } else { Packing::Runs };
        if *packing == Packing::Runs {
            return Ok(runs);
        }
        output[..matches].copy_from_slice(&self.trial[..matches]);
        Ok(matches)
    }

    fn decode_block(
        &mut self,
        size: usize,
        packed: &[u8],
        at: usize,
        output: &mut [u8],
    ) -> Result<(), CodecError> {
        // No longer than the caller's output, whatever the stream says.
        self.shuffled.resize(output.len().max(self.shuffled.len()), 0);
        let shuffled = &mut self.shuffled[..output.len()];
        self.lz4.decode_shuffled(NAME, packed, at, shuffled)?;
        Ok(bitshuffle::unshuffle(self.level, size, shuffled, output)?)
    }
}

/// The search that blocks are packed with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Packing {
    /// Bytes that repeat the one before.
    Runs,
    /// All that LZ4 finds.
    Matches,
}

impl Default for Bslz4 {
    fn default() -> Bslz4 {
        Bslz4::new()
    }
}

impl Codec for Bslz4 {
    fn name(&self) -> &'static str {
        NAME
    }

    fn bound(&self, input_bytes: usize) -> usize {
        HEADER + (input_bytes / BLOCK + 1) * (4 + lz4::bound(BLOCK)) + 64
    }

    fn encode(&mut self, input: Array<'_>, output: &mut [u8]) -> Result<usize, CodecError> {
        let (bytes, size) = (input.data(), input.dtype().bytes());
        check_room(self, bytes.len(), output.len())?;
        self.shuffled.resize(BLOCK.max(self.shuffled.len()), 0);
        let mut stream = Writer::new(output);
        if self.has_header {
            stream.put(&(bytes.len() as u64).to_be_bytes());
            stream.put(&(BLOCK as u32).to_be_bytes());
        }
        let (eights, rest) = bytes.split_at(bytes.len() - bytes.len() % (8 * size));
        let mut packing = Packing::Runs;
        for (number, block) in eights.chunks(BLOCK).enumerate() {
            bitshuffle::shuffle(self.level, size, block, &mut self.shuffled[..block.len()])?;
            let rest = &mut stream.rest()[4..];
            let packed = self.encode_block(block.len(), number % TRIAL == 0, &mut packing, rest)?;
            stream.put(&(packed as u32).to_be_bytes());
            stream.skip(packed);
        }
        stream.put(rest);
        Ok(stream.at())
    }

    fn decode(&mut self, stream: &[u8], dtype: DType, output: &mut [u8]) -> Result<(), CodecError> {
        check_dtype(self, dtype)?;
        let size = dtype.bytes();
        let mut stream = Reader::new(NAME, stream);
        let block = self.block(&mut stream, size, output.len())?;
        let (eights, rest) = output.split_at_mut(output.len() - output.len() % (8 * size));
        for output in eights.chunks_mut(block) {
            let packed = u32::from_be_bytes(stream.array("bytes of LZ4")?) as usize;
            let at = stream.at();
            self.decode_block(size, stream.take(packed, "bytes of LZ4")?, at, output)?;
        }
        rest.copy_from_slice(stream.take(rest.len(), "last elements")?);
        stream.expect("bytes behind the stream", 0, stream.left() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_the_header_the_stream_is_the_same() {
        let pixels: Vec<u8> = (0..20_003u32).flat_map(|i| ((i % 700) as u16).to_le_bytes()).collect();
        let array = Array::new(&pixels, DType::U16, &[20_003]).unwrap();
        let (mut whole, mut bare) = (Bslz4::new(), Bslz4::bare());
        let mut streams = [vec![0; whole.bound(pixels.len())], vec![0; bare.bound(pixels.len())]];
        let sizes =
            [whole.encode(array, &mut streams[0]).unwrap(), bare.encode(array, &mut streams[1]).unwrap()];
        assert_eq!(streams[0][HEADER..sizes[0]], streams[1][..sizes[1]]);
        let mut back = vec![0; pixels.len()];
        bare.decode(&streams[1][..sizes[1]], DType::U16, &mut back).unwrap();
        assert_eq!(back, pixels);
        assert!(bare.decode(&streams[0][..sizes[0]], DType::U16, &mut back).is_err());
    }

    /// A ramp repeats itself, noise does not; both come back, also where one follows the other.
    #[test]
    fn what_repeats_itself_is_packed_by_its_matches() {
        let ramp: Vec<u8> = (0..300_000u32).map(|i| (i * 7 % 251) as u8).collect();
        let mut noise = 1u32;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (noise >> 28) as u8
        })
        .take(300_000)
        .collect();
        let mut codec = Bslz4::new();
        let (mixed, other) = ([&ramp[..], &noise].concat(), [&noise[..], &ramp].concat());
        let cases = [
            ("ramp", ramp, 90_000),
            ("noise", noise, 160_000),
            ("ramp, noise", mixed, 290_000),
            ("other", other, 400_000),
        ];
        for (name, pixels, most) in cases {
            let shape = [pixels.len()];
            let array = Array::new(&pixels, DType::U8, &shape).unwrap();
            let mut stream = vec![0; codec.bound(pixels.len())];
            let packed = codec.encode(array, &mut stream).unwrap();
            assert!(packed < most, "{name}: {packed}");
            let mut back = vec![0; pixels.len()];
            codec.decode(&stream[..packed], DType::U8, &mut back).unwrap();
            assert_eq!(back, pixels, "{name}");
        }
    }
}
