//! LZ4 as the HDF5 filter 32004 frames it: areaDetector's codec `lz4hdf5`.
//!
//! ```text
//! u64 big-endian   bytes of the array
//! u32 big-endian   bytes of a block before compression; the last one may have fewer
//! per block        u32 big-endian: bytes that follow; if as many as the block has, it is stored as it is, else LZ4
//! ```

use crate::filter::decoder;
use crate::lz4::{FILTER, Lz4Block, lz4_bound};
use crate::stream::{Reader, Writer, check_dtype, check_room};
use crate::{Array, Codec, CodecError, CodecType, DType, FilterReader, FrameName};

const NAME: &str = "lz4hdf5";

pub(crate) const TYPE: CodecType = CodecType {
    make: Some(|_, settings| Ok(Box::new(Lz4Hdf5::new(settings.block)))),
    in_frames: Some(FrameName { name: NAME, choice: "LZ4HDF5" }),
    filter: Some(FILTER),
    reader: Some(FilterReader::new(
        FILTER.number,
        |_| FILTER.name,
        |_, size| Ok(decoder(Lz4Hdf5::new(0), size)),
    )),
    ..CodecType::new(
        NAME,
        "LZ4 in blocks, as HDF5's filter 32004 frames it: every type; other programs understand it.",
    )
};

/// The filter's header: the size of the array (8 bytes) and of a block (4).
const HEADER: usize = 12;

/// The codec with its working memory. Takes every type.
#[derive(Debug)]
pub struct Lz4Hdf5 {
    block: usize,
    lz4: Lz4Block,
}

impl Lz4Hdf5 {
    /// Most bytes of a block, and the filter's own default.
    pub const MOST_BLOCK: usize = 1 << 30;

    /// In blocks of `block` bytes, at most [`Lz4Hdf5::MOST_BLOCK`]; 0 means that most.
    pub fn new(block: usize) -> Lz4Hdf5 {
        let block = if block == 0 { Lz4Hdf5::MOST_BLOCK } else { block.min(Lz4Hdf5::MOST_BLOCK) };
        Lz4Hdf5 { block, lz4: Lz4Block::new() }
    }

    fn encode_block(&mut self, block: &[u8], stream: &mut Writer<'_>) -> Result<(), CodecError> {
        let packed = self.lz4.encode(NAME, block, &mut stream.rest()[4..])?;
        // A block that does not shrink is stored: its size tells that to the reader.
        let size = packed.min(block.len());
        stream.put(&(size as u32).to_be_bytes());
        if packed < block.len() {
            stream.skip(packed);
        } else {
            stream.put(block);
        }
        Ok(())
    }
}

impl Codec for Lz4Hdf5 {
    fn name(&self) -> &'static str {
        NAME
    }

    fn bound(&self, input_bytes: usize) -> usize {
        let block = self.block.min(input_bytes);
        HEADER + input_bytes + 4 * (input_bytes / self.block + 1) + lz4_bound(block) - block
    }

    fn encode(&mut self, input: Array<'_>, output: &mut [u8]) -> Result<usize, CodecError> {
        let bytes = input.data();
        check_room(self, bytes.len(), output.len())?;
        let block = self.block.min(bytes.len());
        let mut stream = Writer::new(output);
        stream.put(&(bytes.len() as u64).to_be_bytes());
        stream.put(&(block as u32).to_be_bytes());
        for block in bytes.chunks(self.block) {
            self.encode_block(block, &mut stream)?;
        }
        Ok(stream.at())
    }

    fn decode(&mut self, stream: &[u8], dtype: DType, output: &mut [u8]) -> Result<(), CodecError> {
        check_dtype(self, dtype)?;
        let mut stream = Reader::new(NAME, stream);
        let total = u64::from_be_bytes(stream.array("bytes of the array")?);
        stream.expect("bytes of the array", output.len() as u64, total)?;
        let block = u32::from_be_bytes(stream.array("bytes of a block")?) as usize;
        if block == 0 && total > 0 {
            return Err(stream.damaged("bytes of a block", 1, 0));
        }
        for output in output.chunks_mut(block.max(1)) {
            let packed = u32::from_be_bytes(stream.array("bytes of LZ4")?) as usize;
            let at = stream.at();
            let packed = stream.take(packed, "bytes of LZ4")?;
            // A block of full size was stored.
            if packed.len() == output.len() {
                output.copy_from_slice(packed);
            } else {
                self.lz4.decode(NAME, packed, at, output)?;
            }
        }
        stream.expect("bytes behind the stream", 0, stream.left() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(codec: &mut Lz4Hdf5, bytes: &[u8]) -> Vec<u8> {
        let mut stream = vec![0; codec.bound(bytes.len())];
        let size = codec.encode(Array::new(bytes, DType::U8, &[bytes.len()]).unwrap(), &mut stream).unwrap();
        stream.truncate(size);
        stream
    }

    #[test]
    fn blocks_are_framed_as_the_filter_does() {
        let mut codec = Lz4Hdf5::new(100);
        let bytes: Vec<u8> = [7; 100].into_iter().chain(0..50).collect();
        let stream = encode(&mut codec, &bytes);
        assert_eq!(stream[..12], [0, 0, 0, 0, 0, 0, 0, 150, 0, 0, 0, 100]);
        let packed = usize::from(stream[15]);
        assert!(packed < 20, "{packed}");
        // A block that does not shrink is stored.
        let rest = &stream[16 + packed..];
        assert_eq!((&rest[..4], &rest[4..]), (&[0, 0, 0, 50][..], &bytes[100..]));
        let mut back = vec![0; 150];
        Lz4Hdf5::new(0).decode(&stream, DType::U8, &mut back).unwrap();
        assert_eq!(back, bytes);
    }

    #[test]
    fn a_block_is_no_longer_than_the_array() {
        let stream = encode(&mut Lz4Hdf5::new(0), &[7; 1000]);
        assert_eq!(stream[..12], [0, 0, 0, 0, 0, 0, 3, 232, 0, 0, 3, 232]);
    }

    #[test]
    fn blocks_of_nothing_are_refused() {
        let stream = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 9];
        let error = Lz4Hdf5::new(0).decode(&stream, DType::U8, &mut [0]).unwrap_err();
        assert_eq!(error.to_string(), "lz4hdf5 stream, byte 12: bytes of a block: wanted 1, found 0");
    }
}
