//! HistN: as Hist16 with a window of 2^b values, b bits for a pixel in it, and for any other as many bits as the largest pixel
//! needs.
//!
//! The format and the choices of the encoder follow `Pds::Compress::HistNEngine` of pdsdata, bit for bit
//! (`docs/formats/xtc-compression.md`). Bytes that the original leaves undefined are zero here.

use livetime_kernels::Level;
use livetime_kernels::hist::{self, Codes};

use crate::hist::{
    Flag, Found, Pair, find_pair, find_pair_of_bytes, find_window, map_bound, read_map, write_map,
};
use crate::stream::{Reader, Writer, check_dtype, check_room};
use crate::{Array, Codec, CodecError, CodecType, DType};

const NAME: &str = "histn";

pub(crate) const TYPE: CodecType = CodecType {
    make: Some(|level, _| Ok(Box::new(HistN::with_level(level)))),
    has_own_loops: true,
    ..CodecType::new(NAME, "HistN of pdsdata, for 8- and 16-bit pictures in XTC files of LCLS.")
};

/// Flag, bytes per pixel, sum, size.
const HEADER: usize = 12;
/// Bits of other pixels and of pixels in the window, base, bytes of codes.
const SECOND_HEADER: usize = 12;
/// Bytes that the kernel may write beyond the codes.
const SLACK: usize = 8;
/// Most bytes, of the original as well.
const MOST: usize = 512 << 20;

/// The codec with its working memory.
///
/// Takes 8- and 16-bit integers, signed ones as if they were unsigned. 8-bit frames are stored unless two neighbouring
/// values hold half of the pixels: the format wants it so.
#[derive(Debug)]
pub struct HistN {
    level: Level,
    map: Vec<u16>,
    pairs: Vec<Pair>,
    /// 8-bit pixels as 16-bit ones.
    wide: Vec<u8>,
}

impl HistN {
    /// With the best instructions of this processor.
    pub fn new() -> HistN {
        HistN::with_level(Level::best())
    }

    /// With the instructions of a level.
    pub fn with_level(level: Level) -> HistN {
        HistN { level, map: Vec::new(), pairs: Vec::new(), wide: Vec::new() }
    }
}

impl Default for HistN {
    fn default() -> HistN {
        HistN::new()
    }
}

impl Codec for HistN {
    fn name(&self) -> &'static str {
        NAME
    }

    fn supports(&self, dtype: DType) -> bool {
        dtype.bytes() <= 2
    }

    fn bound(&self, input_bytes: usize) -> usize {
        // As many pixels as there would be with one byte each.
        HEADER + SECOND_HEADER + 2 * input_bytes + SLACK + map_bound(input_bytes)
    }

    fn encode(&mut self, input: Array<'_>, output: &mut [u8]) -> Result<usize, CodecError> {
        check_dtype(self, input.dtype())?;
        let bytes = input.data();
        if bytes.len() > MOST {
            return Err(CodecError::Limit { codec: NAME, most: MOST, found: bytes.len() });
        }
        check_room(self, bytes.len(), output.len())?;
        let depth = input.dtype().bytes();
        let mut stream = Writer::new(output);
        stream.skip(HEADER);
        let (found, codes) = if depth == 1 { self.codes_of_bytes(bytes) } else { self.codes_of_words(bytes) };
        let flag = match codes {
            Some(codes) => self.write(bytes, depth, codes, &mut stream)?,
            None => {
                stream.put(bytes);
                Flag::Stored
            }
        };
        let size = stream.at();
        stream.put_at(0, &(flag as u16).to_le_bytes());
        stream.put_at(2, &(depth as u16).to_le_bytes());
        stream.put_at(4, &found.sum.to_le_bytes());
        stream.put_at(8, &((size - HEADER) as u32).to_le_bytes());
        Ok(size)
    }

    fn decode(&mut self, stream: &[u8], dtype: DType, output: &mut [u8]) -> Result<(), CodecError> {
        check_dtype(self, dtype)?;
        let mut stream = Reader::new(NAME, stream);
        let number = stream.u16("flag")?;
        let flag = Flag::of(number.into()).ok_or_else(|| stream.damaged("flag", 3, number.into()))?;
        let depth = stream.u16("bytes per pixel")?;
        stream.expect("bytes per pixel", dtype.bytes() as u64, depth.into())?;
        let sum = stream.u32("sum of the pixels")?;
        let size = stream.u32("size")?;
        stream.expect("size", size.into(), stream.left() as u64)?;
        match flag {
            Flag::Stored => {
                stream.expect("bytes of pixels", output.len() as u64, size.into())?;
                output.copy_from_slice(stream.take(output.len(), "pixels")?);
            }
            _ if depth == 1 => self.read_bytes(&mut stream, flag, output)?,
            _ => self.read(&mut stream, flag, output)?,
        }
        let found = match depth {
            1 => output.iter().fold(0u32, |sum, byte| sum.wrapping_add((*byte).into())),
            _ => hist::sum(self.level, output),
        };
        stream.expect("sum of the pixels", sum.into(), found.into())
    }
}

impl HistN {
    fn codes_of_words(&self, bytes: &[u8]) -> (Found, Option<Codes>) {
        let found = find_pair(self.level, bytes);
        // No pixels, no window: the original must not be given any.
        let Some(pair) = found.pair.filter(|_| !bytes.is_empty()) else { return (found, None) };
        let mut counts = [0; 512];
        hist::count_values(self.level, bytes, 256 * pair as u16, &mut counts);
        (found, Some(best_codes(&counts, 256 * pair, bytes.len() / 2, found.highest)))
    }

    fn codes_of_bytes(&self, bytes: &[u8]) -> (Found, Option<Codes>) {
        let (found, counts) = find_pair_of_bytes(bytes);
        let wanted = found.pair.is_some() && !bytes.is_empty();
        let counts = counts.map(|count| count as u32);
        (found, wanted.then(|| best_codes(&counts, 0, bytes.len(), found.highest)))
    }

    fn write(
        &mut self,
        bytes: &[u8],
        depth: usize,
        codes: Codes,
        stream: &mut Writer<'_>,
    ) -> Result<Flag, CodecError> {
        if depth == 1 {
            self.wide.clear();
            self.wide.extend(bytes.iter().flat_map(|byte| [*byte, 0]));
        }
        let words = if depth == 1 { &self.wide } else { bytes };
        self.map.resize(hist::map_words(words.len() / 2), 0);
        stream.put(&(codes.outside as u16).to_le_bytes());
        stream.put(&(codes.inside as u16).to_le_bytes());
        stream.put(&u32::from(codes.base).to_le_bytes());
        let place = stream.at();
        stream.skip(4);
        let bits = hist::pack_codes(self.level, words, codes, stream.rest(), &mut self.map);
        let size = 4 * bits?.div_ceil(32);
        stream.put_at(place, &(size as u32).to_le_bytes());
        stream.skip(size);
        Ok(write_map(&self.map, words.len() / 2, &mut self.pairs, stream))
    }

    fn read_bytes(
        &mut self,
        stream: &mut Reader<'_>,
        flag: Flag,
        output: &mut [u8],
    ) -> Result<(), CodecError> {
        let mut wide = std::mem::take(&mut self.wide);
        wide.resize(2 * output.len(), 0);
        let read = self.read(stream, flag, &mut wide);
        let high = wide.iter().skip(1).step_by(2).fold(0, |all, byte| all | byte);
        output.iter_mut().zip(wide.iter().step_by(2)).for_each(|(to, from)| *to = *from);
        self.wide = wide;
        read?;
        stream.expect("high byte of a pixel", 0, high.into())
    }

    fn read(&mut self, stream: &mut Reader<'_>, flag: Flag, output: &mut [u8]) -> Result<(), CodecError> {
        let outside = u32::from(stream.u16("bits of other pixels")?);
        let inside = u32::from(stream.u16("bits of pixels in the window")?);
        if outside > 16 || inside > 8 {
            return Err(stream.damaged("bits of a pixel", 16, outside.max(inside).into()));
        }
        let base = stream.u32("base")?;
        let base = u16::try_from(base).map_err(|_| stream.damaged("base", 65535, base.into()))?;
        let size = stream.u32("bytes of codes")? as usize;
        let data = stream.take(size, "bytes of codes")?;
        if !output.len().is_multiple_of(2) {
            return Err(CodecError::Length { what: "output", wanted: output.len() + 1, found: output.len() });
        }
        read_map(stream, flag, output.len() / 2, &mut self.map)?;
        stream.expect("bytes behind the map", 0, stream.left() as u64)?;
        let codes = Codes { base, inside, outside };
        let bits = hist::unpack_codes(self.level, data, &self.map, codes, output)?;
        // A number that cannot be right fails the comparison below.
        let used = bits.map_or(size + 4, |bits| 4 * bits.div_ceil(32));
        stream.expect("bytes of codes", used as u64, size as u64)
    }
}

/// The codes that take least room; among equal ones the codes with the narrowest window.
fn best_codes(counts: &[u32], start: usize, pixels: usize, highest: u16) -> Codes {
    let outside = (16 - highest.leading_zeros()) as usize;
    let mut best = (usize::MAX, Codes { base: 0, inside: 0, outside: outside as u32 });
    for inside in 0..=8 {
        let window = find_window(counts, 1 << inside);
        // The original adds bytes to bits here; only the rounding notices.
        let bits = window.pixels * inside + (pixels - window.pixels) * outside + 2 * pixels + 28;
        if bits / 8 < best.0 {
            let base = (start + window.base) as u16;
            best = (bits / 8, Codes { base, inside: inside as u32, outside: outside as u32 });
        }
    }
    best.1
}
