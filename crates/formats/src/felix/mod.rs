//! Blocks of FELIX, and the chunks that are cut into them.
//!
//! A block holds subchunks of one e-link behind a header of four bytes. Each subchunk has its trailer behind it, so a
//! block is read from its end. A chunk is one whole subchunk, or a first one, any number of middle ones and a last one;
//! a superchunk of 5568 bytes goes over six blocks of 1 KiB.
//!
//! ```
//! use livetime_formats::felix::{Assembler, BlockWriter, Trailer};
//! let mut writer = BlockWriter::new(1024, Trailer::Bits32, 3)?;
//! let chunk: Vec<u8> = (0..5568).map(|i| i as u8).collect();
//! let mut blocks = Vec::new();
//! writer.chunk(&chunk, &mut blocks);
//! writer.flush(&mut blocks);
//! let mut assembler = Assembler::new(1 << 20);
//! let mut found = Vec::new();
//! for block in blocks.chunks(1024) {
//!     assembler.block(block, |chunk, faults| found.push((chunk.to_vec(), faults)))?;
//! }
//! assert_eq!(found.len(), 1);
//! assert_eq!(found[0].0, chunk);
//! assert!(found[0].1.is_empty());
//! # Ok::<(), livetime_formats::Error>(())
//! ```

mod assemble;
mod block;
mod read;
mod write;

#[cfg(test)]
mod tests;

pub use assemble::{Assembler, ChunkFaults, Counts};
pub use block::{Block, Subchunk, SubchunkKind, Trailer};
pub use read::BlockReader;
pub use write::BlockWriter;
