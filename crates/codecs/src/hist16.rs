//! Hist16: the 256 neighbouring values that hold most pixels take one byte each, all others two.
//!
//! The format and the choices of the encoder follow `Pds::Compress::Hist16Engine` of pdsdata, bit for bit
//! (`docs/formats/xtc-compression.md`). Bytes that the original leaves undefined are zero here.

use livetime_kernels::{Level, hist};

use crate::hist::{Flag, Pair, Window, find_pair, find_wide_window, map_bound, read_map, write_map};
use crate::stream::{Reader, Writer, check_dtype, check_room};
use crate::{Array, Codec, CodecError, CodecType, DType};

const NAME: &str = "hist16";

pub(crate) const TYPE: CodecType = CodecType {
    make: Some(|level, _| Ok(Box::new(Hist16::with_level(level)))),
    has_own_loops: true,
    ..CodecType::new(NAME, "Hist16 of pdsdata, for 16-bit pictures in XTC files of LCLS.")
};

/// Flag, sum, size.
const HEADER: usize = 12;
/// Base and number of bytes of data.
const SECOND_HEADER: usize = 6;
/// Most pixels, of the original as well.
const MOST: usize = 512 << 20;

/// The codec with its working memory.
///
/// Takes 16-bit integers, signed ones as if they were unsigned.
#[derive(Debug)]
pub struct Hist16 {
    level: Level,
    map: Vec<u16>,
    pairs: Vec<Pair>,
}

impl Hist16 {
    /// With the best instructions of this processor.
    pub fn new() -> Hist16 {
        Hist16::with_level(Level::best())
    }

    /// With the instructions of a level.
    pub fn with_level(level: Level) -> Hist16 {
        Hist16 { level, map: Vec::new(), pairs: Vec::new() }
    }
}

impl Default for Hist16 {
    fn default() -> Hist16 {
        Hist16::new()
    }
}

impl Codec for Hist16 {
    fn name(&self) -> &'static str {
        NAME
    }

    fn supports(&self, dtype: DType) -> bool {
        matches!(dtype, DType::U16 | DType::I16)
    }

    fn bound(&self, input_bytes: usize) -> usize {
        HEADER + SECOND_HEADER + input_bytes + map_bound(input_bytes / 2)
    }

    fn encode(&mut self, input: Array<'_>, output: &mut [u8]) -> Result<usize, CodecError> {
        check_dtype(self, input.dtype())?;
        let bytes = input.data();
        if bytes.len() > 2 * MOST {
            return Err(CodecError::Limit { codec: NAME, most: 2 * MOST, found: bytes.len() });
        }
        check_room(self, bytes.len(), output.len())?;
        let found = find_pair(self.level, bytes);
        let mut stream = Writer::new(output);
        // The header holds lengths that are known only at the end.
        stream.skip(HEADER);
        let flag = match found.pair {
            Some(pair) => self.write(bytes, 256 * pair as u16, found.inside, &mut stream)?,
            // Too few pixels lie in any window, so packing would make the frame larger.
            None => {
                stream.put(bytes);
                Flag::Stored
            }
        };
        let size = stream.at();
        stream.put_at(0, &(flag as u32).to_le_bytes());
        stream.put_at(4, &found.sum.to_le_bytes());
        stream.put_at(8, &((size - HEADER) as u32).to_le_bytes());
        Ok(size)
    }

    fn decode(&mut self, stream: &[u8], dtype: DType, output: &mut [u8]) -> Result<(), CodecError> {
        check_dtype(self, dtype)?;
        let mut stream = Reader::new(NAME, stream);
        let number = stream.u32("flag")?;
        let flag = Flag::of(number).ok_or_else(|| stream.damaged("flag", 3, number.into()))?;
        let sum = stream.u32("sum of the pixels")?;
        let size = stream.u32("size")?;
        // A stream that was cut is refused before it is unpacked.
        stream.expect("size", size.into(), stream.left() as u64)?;
        match flag {
            Flag::Stored => {
                stream.expect("bytes of pixels", output.len() as u64, size.into())?;
                output.copy_from_slice(stream.take(output.len(), "pixels")?);
            }
            _ => self.read(&mut stream, flag, output)?,
        }
        // The sum is the format's only protection of the pixels.
        stream.expect("sum of the pixels", sum.into(), hist::sum(self.level, output).into())
    }
}

impl Hist16 {
    fn write(
        &mut self,
        bytes: &[u8],
        start: u16,
        inside: usize,
        stream: &mut Writer<'_>,
    ) -> Result<Flag, CodecError> {
        let pixels = bytes.len() / 2;
        let Window { base, .. } = find_wide_window(self.level, bytes, start, inside);
        let base = start + base as u16;
        self.map.resize(hist::map_words(pixels), 0);
        let header = stream.at();
        stream.skip(SECOND_HEADER);
        let packed = hist::pack_bytes(self.level, bytes, base, stream.rest(), &mut self.map);
        let size = packed?;
        stream.put_at(header, &base.to_le_bytes());
        stream.put_at(header + 2, &(size as u32).to_le_bytes());
        stream.skip(size);
        Ok(write_map(&self.map, pixels, &mut self.pairs, stream))
    }

    fn read(&mut self, stream: &mut Reader<'_>, flag: Flag, output: &mut [u8]) -> Result<(), CodecError> {
        let base = stream.u16("base")?;
        let size = stream.u32("bytes of pixel data")? as usize;
        let data = stream.take(size, "bytes of pixel data")?;
        // Pixels have two bytes.
        if !output.len().is_multiple_of(2) {
            return Err(CodecError::Length { what: "output", wanted: output.len() + 1, found: output.len() });
        }
        read_map(stream, flag, output.len() / 2, &mut self.map)?;
        stream.expect("bytes behind the map", 0, stream.left() as u64)?;
        let used = hist::unpack_bytes(self.level, data, &self.map, base, output)?;
        // A number that cannot be right fails the comparison below.
        let used = used.unwrap_or(size + 1);
        stream.expect("bytes of pixel data", used as u64, size as u64)
    }
}
