//! Bitshuffle without LZ4, as the HDF5 filter 32008 has it: alone, or with Zstandard. It is only read here; with LZ4 it is
//! [`Bslz4`](crate::Bslz4).
//!
//! Alone, a stream is the shuffled blocks behind one another. With Zstandard it is framed like a stream of `bslz4`:
//! bytes of the array, bytes of a block, and for each block the length and a frame of Zstandard. Fewer than eight
//! elements at the end are stored as they are.

use livetime_kernels::{LengthError, Level, bitshuffle};

use crate::CodecError;
use crate::stream::Reader;
#[cfg(feature = "zstd")]
use crate::zstd::Zstd;

pub(crate) const NAME: &str = "bitshuffle";
/// Bytes of a block, and the least number of elements in one: the defaults of the filter.
const BLOCK: usize = 8192;
const LEAST_ELEMENTS: usize = 128;

/// The packer of the shuffled blocks.
enum Packed {
    Not,
    #[cfg(feature = "zstd")]
    Zstd(Zstd),
}

/// The decoder with its working memory.
pub struct Bitshuffle {
    /// Bytes of an element.
    size: usize,
    /// Elements of a block of a stream that does not say it.
    block: usize,
    packed: Packed,
    shuffled: Vec<u8>,
    planes: Vec<u8>,
}

impl std::fmt::Debug for Bitshuffle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bitshuffle")
            .field("size", &self.size)
            .field("block", &self.block)
            .finish_non_exhaustive()
    }
}

impl Bitshuffle {
    /// Elements of `size` bytes in blocks of `block` elements; 0 is the filter's default.
    pub fn alone(size: usize, block: usize) -> Bitshuffle {
        // A size of 0 would divide by zero.
        let size = size.max(1);
        let usual = (BLOCK / size / 8 * 8).max(LEAST_ELEMENTS);
        // The filter shuffles whole eights of elements.
        let block = if block == 0 { usual } else { block / 8 * 8 };
        Bitshuffle { size, block, packed: Packed::Not, shuffled: Vec::new(), planes: Vec::new() }
    }

    /// Elements of `size` bytes, packed by Zstandard.
    ///
    /// # Errors
    /// [`CodecError::Library`] if the library has no memory.
    #[cfg(feature = "zstd")]
    pub fn zstd(size: usize) -> Result<Bitshuffle, CodecError> {
        Ok(Bitshuffle { packed: Packed::Zstd(Zstd::new(1)?), ..Bitshuffle::alone(size, 0) })
    }

    /// Reads `stream`, which must be exactly one, into `output`, which must have exactly the size of the array.
    ///
    /// # Errors
    /// [`CodecError::Damaged`] if the stream is another one; `output` is undefined then.
    pub fn decode(&mut self, stream: &[u8], output: &mut [u8]) -> Result<(), CodecError> {
        let mut reader = Reader::new(NAME, stream);
        let block = match self.packed {
            Packed::Not => self.block * self.size,
            #[cfg(feature = "zstd")]
            Packed::Zstd(_) => self.head(&mut reader, output.len())?,
        };
        if block == 0 {
            return Err(reader.damaged("elements of a block, whole eights", 8, 0));
        }
        // Elements beyond a whole eight are not shuffled.
        let (eights, rest) = output.split_at_mut(output.len() - output.len() % (8 * self.size));
        for output in eights.chunks_mut(block) {
            self.block(&mut reader, output)?;
        }
        rest.copy_from_slice(reader.take(rest.len(), "last elements")?);
        reader.expect("bytes behind the stream", 0, reader.left() as u64)
    }

    /// Reads the head and gives the bytes of a block.
    fn head(&self, reader: &mut Reader<'_>, output: usize) -> Result<usize, CodecError> {
        let total = u64::from_be_bytes(reader.array("bytes of the array")?);
        reader.expect("bytes of the array", output as u64, total)?;
        let block = u32::from_be_bytes(reader.array("bytes of a block")?) as usize;
        let whole = block / (8 * self.size) * (8 * self.size);
        reader.expect("bytes of a block, whole eights of elements", whole as u64, block as u64)?;
        Ok(block)
    }

    fn block(&mut self, reader: &mut Reader<'_>, output: &mut [u8]) -> Result<(), CodecError> {
        let Bitshuffle { size, packed, shuffled, planes, .. } = self;
        let from = match packed {
            Packed::Not => reader.take(output.len(), "bytes of a block")?,
            #[cfg(feature = "zstd")]
            Packed::Zstd(zstd) => {
                let length = u32::from_be_bytes(reader.array("bytes of a zstd frame")?) as usize;
                let at = reader.at();
                let frame = reader.take(length, "bytes of a zstd frame")?;
                // No longer than the caller's output, whatever the stream says.
                let room = room(shuffled, output.len());
                zstd.unpack(NAME, frame, at, room)?;
                room
            }
        };
        Ok(unshuffle(Level::best(), *size, from, output, planes)?)
    }
}

/// The inverse of a bit shuffle of elements of any size, for a multiple of eight elements. `planes` is working memory.
pub(crate) fn unshuffle(
    level: Level,
    size: usize,
    from: &[u8],
    output: &mut [u8],
    planes: &mut Vec<u8>,
) -> Result<(), LengthError> {
    // The kernel knows these sizes as a whole.
    if matches!(size, 1 | 2 | 4 | 8) {
        return bitshuffle::unshuffle(level, size, from, output);
    }
    // For other sizes the bits of each byte are put together first, then the bytes of each element.
    let planes = room(planes, output.len());
    let count = (output.len() / size).max(1);
    for (from, plane) in from.chunks_exact(count).zip(planes.chunks_exact_mut(count)) {
        bitshuffle::unshuffle(level, 1, from, plane)?;
    }
    livetime_kernels::byteshuffle::unshuffle(level, size, planes, output)
}

/// The first `bytes` bytes of memory that only grows.
pub(crate) fn room(memory: &mut Vec<u8>, bytes: usize) -> &mut [u8] {
    memory.resize(bytes.max(memory.len()), 0);
    &mut memory[..bytes]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks of eight elements of two bytes, then three elements that are no eight.
    #[test]
    fn blocks_are_shuffled_and_the_rest_is_not() {
        let pixels: Vec<u8> = (0..27u16).flat_map(|i| (i * 300).to_le_bytes()).collect();
        let mut stream = pixels.clone();
        for block in stream[..48].chunks_mut(16) {
            let plain = block.to_vec();
            bitshuffle::shuffle(Level::best(), 2, &plain, block).unwrap();
        }
        let mut back = vec![0; pixels.len()];
        Bitshuffle::alone(2, 8).decode(&stream, &mut back).unwrap();
        assert_eq!(back, pixels);
        let mut codec = Bitshuffle::alone(2, 8);
        assert!(
            codec.decode(&stream[1..], &mut back).is_err() && codec.decode(&stream, &mut back[1..]).is_err()
        );
        assert!(Bitshuffle::alone(2, 7).decode(&stream, &mut back).is_err());
    }

    #[test]
    fn heads_that_lie_are_refused() {
        let mut codec = Bitshuffle::zstd(2).unwrap();
        let mut output = vec![0; 64];
        let head =
            |total: u64, block: u32| [&total.to_be_bytes()[..], &block.to_be_bytes(), &[0; 9]].concat();
        for stream in [head(65, 64), head(64, 0), head(64, 17), head(64, u32::MAX), vec![0; 5]] {
            assert!(codec.decode(&stream, &mut output).is_err(), "{stream:?}");
        }
    }
}
