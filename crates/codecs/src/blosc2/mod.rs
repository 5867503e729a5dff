//! Blosc2: a frame with one chunk, the filter 32026 of HDF5. It is only read here.
//!
//! A frame has a head (big-endian), the chunk, and an index with its offset. A head may say that the chunk is an array
//! of several axes whose blocks are boxes; boxes at the edges stick out. A chunk has blocks like a chunk of Blosc 1,
//! and more filters. (Blosc Development Team, "Blosc2 Contiguous Frame Format" and "Blosc2 Chunk Format".)

mod boxes;
mod chunk;
mod frame;

use crate::{CodecError, CodecType, FilterReader};
use boxes::NAME;
use chunk::Chunks;
use frame::{Frame, Place};

pub(crate) const TYPE: CodecType = CodecType {
    reader: Some(FilterReader::new(
        32026,
        |_| NAME,
        |_, _| {
            let mut blosc2 = Blosc2::new();
            Ok(Box::new(move |stream, output| blosc2.decode(stream, output)))
        },
    )),
    ..CodecType::new(NAME, "Blosc 2 in HDF5 files: only read.")
};

/// The decoder with its working memory.
#[derive(Default)]
pub struct Blosc2 {
    chunks: Chunks,
    /// A block that is a box.
    block: Vec<u8>,
}

impl std::fmt::Debug for Blosc2 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Blosc2")
    }
}

impl Blosc2 {
    /// A decoder.
    pub fn new() -> Blosc2 {
        Blosc2::default()
    }

    /// Reads `stream`, which must be exactly one frame with one chunk, into `output`, which must have exactly the size of
    /// the array.
    ///
    /// # Errors
    /// [`CodecError::Damaged`] if the stream is another one, [`CodecError::Unsupported`] if it has a filter or codec that is
    /// not known; `output` is undefined then.
    pub fn decode(&mut self, stream: &[u8], output: &mut [u8]) -> Result<(), CodecError> {
        let frame = Frame::read(stream, output.len())?;
        let chunk = match frame.place(&mut self.chunks)? {
            Place::Zeros => {
                output.fill(0);
                return Ok(());
            }
            Place::Chunk(chunk) => chunk,
        };
        match &frame.boxes {
            None => self.chunks.decode(chunk, output),
            Some(boxes) => {
                let whole = boxes.padded_bytes().ok_or_else(too_large)?;
                let block = boxes.block_bytes();
                let chunk = self.chunks.open(chunk, whole, block)?;
                let room = crate::bitshuffle::room(&mut self.block, block);
                for number in 0..boxes.count() {
                    self.chunks.block(&chunk, number, room)?;
                    boxes.put(number, room, output);
                }
                Ok(())
            }
        }
    }
}

fn too_large() -> CodecError {
    CodecError::Unsupported { codec: NAME, wanted: "an array below 2 GiB", found: "a larger one" }
}

#[cfg(test)]
mod tests;
