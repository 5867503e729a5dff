//! The shuffles of a block.

use livetime_kernels::{Level, bitshuffle, byteshuffle};

use crate::bitshuffle::{room, unshuffle as unshuffle_bits};
use crate::{BloscShuffle, CodecError};

/// Shuffles blocks in memory that it keeps.
#[derive(Debug)]
pub(super) struct Shuffler {
    level: Level,
    shuffled: Vec<u8>,
    /// The bytes of elements of sizes that the bit shuffle does not have.
    planes: Vec<u8>,
}

impl Shuffler {
    pub(super) fn new(level: Level) -> Shuffler {
        Shuffler { level, shuffled: Vec::new(), planes: Vec::new() }
    }

    /// Room for a shuffled block.
    pub(super) fn room(&mut self, block: usize) -> &mut [u8] {
        room(&mut self.shuffled, block)
    }

    /// A block of elements of `size` bytes, shuffled.
    pub(super) fn shuffle<'a>(
        &'a mut self,
        shuffle: BloscShuffle,
        size: usize,
        block: &'a [u8],
    ) -> Result<&'a [u8], CodecError> {
        if shuffle == BloscShuffle::None {
            return Ok(block);
        }
        let shuffled = room(&mut self.shuffled, block.len());
        let (elements, rest) = block.split_at(block.len() / size * size);
        let (to, to_rest) = shuffled.split_at_mut(elements.len());
        to_rest.copy_from_slice(rest);
        match (shuffle, size) {
            (BloscShuffle::Bit, 1 | 2 | 4 | 8) => bitshuffle::shuffle(self.level, size, elements, to)?,
            (BloscShuffle::Bit, _) => {
                let planes = room(&mut self.planes, elements.len());
                byteshuffle::shuffle(self.level, size, elements, planes)?;
                let count = elements.len() / size;
                for (plane, to) in planes.chunks_exact(count).zip(to.chunks_exact_mut(count)) {
                    bitshuffle::shuffle(self.level, 1, plane, to)?;
                }
            }
            _ => byteshuffle::shuffle(self.level, size, elements, to)?,
        }
        Ok(shuffled)
    }

    /// Puts a block together of the planes of its bytes. `next` fills the memory of a plane, or says where it lies.
    pub(super) fn unshuffle_planes<'a>(
        &'a mut self,
        size: usize,
        block: &mut [u8],
        mut next: impl FnMut(&mut [u8]) -> Result<Option<&'a [u8]>, CodecError>,
    ) -> Result<(), CodecError> {
        let mut planes = [&[][..]; byteshuffle::MOST_PLANES];
        let rooms = room(&mut self.shuffled, block.len()).chunks_mut((block.len() / size).max(1));
        for (plane, room) in planes.iter_mut().zip(rooms) {
            let stored = next(room)?;
            *plane = stored.unwrap_or(room);
        }
        Ok(byteshuffle::unshuffle_planes(self.level, &planes[..size], block)?)
    }

    /// Puts a block together that lies shuffled in [`Shuffler::room`].
    pub(super) fn unshuffle(
        &mut self,
        shuffle: BloscShuffle,
        size: usize,
        block: &mut [u8],
    ) -> Result<(), CodecError> {
        let shuffled = &self.shuffled[..block.len()];
        let (elements, rest) = block.split_at_mut(block.len() / size * size);
        let (from, from_rest) = shuffled.split_at(elements.len());
        rest.copy_from_slice(from_rest);
        match (shuffle, size) {
            (BloscShuffle::Bit, _) => unshuffle_bits(self.level, size, from, elements, &mut self.planes)?,
            _ => byteshuffle::unshuffle(self.level, size, from, elements)?,
        }
        Ok(())
    }
}
