//! Blocks of packed integers: the loops of the codec blockpack.
//!
//! A block is at most [`BLOCK`] elements, in groups of [`GROUP`]. From every element of a group the element of a reference frame is
//! subtracted (if there is one) and the centre of the group; what remains is small, and of each remainder `width` bits are packed.
//! The few remainders that are larger are exceptions. All arithmetic wraps round, so every value comes back.
//!
//! ```text
//! block       descriptors of all groups | payloads of all groups | exceptions of all groups | escapes
//! descriptor  width: u8, number of exceptions: u8, centre: element
//! payload     width × 64 bytes; with the width 255 the elements as they are
//! exception   u16: position in the group in bits 0..9, remainder >> width in bits 9..16, 127 if it is an escape
//! escape      element: the whole remainder
//! ```
//!
//! A remainder `e` is packed as `z = 2·e`, or `-2·e - 1` if it is negative. The bits of a group lie in rows of 64 bytes: with elements
//! of `B` bits a row is `512 / B` words of `B` bits, one for each lane. Remainder `i` belongs to lane `i % (512 / B)`, and the `B` remainders
//! of a lane follow each other bit by bit, lowest bits first, in the words of their lane. So nothing ever moves from
//! lane to lane, whatever the length of vectors. (The layout is that of Afroozeh and Boncz, FastLanes, VLDB 2023, without its reordering.)
//! The last group of a frame may be shorter; the remainders that it lacks are zeros.

mod pack;
#[cfg(test)]
mod tests;
mod unpack;
mod word;

use std::fmt;

pub use pack::{Scratch, pack_block};
pub use unpack::unpack_block;
pub use word::Word;

/// Elements that share a width and a centre.
pub const GROUP: usize = 512;
/// Most elements of a block.
pub const BLOCK: usize = 16 * GROUP;

/// Bytes of a row of packed bits.
const ROW: usize = 64;
/// The width of a group whose elements are stored as they are.
const STORED: u8 = 255;
/// What stands for the high part of a remainder that is too large for it.
const ESCAPE: u32 = 127;
/// Bits of a position in a group.
const POSITION_BITS: u32 = GROUP.ilog2();

/// Bytes that a block of so many elements takes at most.
///
/// ```
/// use livetime_kernels::blockpack::block_bound;
/// assert_eq!(block_bound::<u16>(513), 2 * 4 + 2 * 513);
/// ```
pub const fn block_bound<T: Word>(elements: usize) -> usize {
    elements.div_ceil(GROUP) * descriptor_bytes::<T>() + elements * size_of::<T>()
}

const fn descriptor_bytes<T>() -> usize {
    2 + size_of::<T>()
}

/// A packed block is not one of the elements that were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockError {
    /// What is wrong.
    pub what: &'static str,
    /// The number that it should be.
    pub wanted: usize,
    /// The number that was found.
    pub found: usize,
}

impl BlockError {
    fn check(what: &'static str, wanted: usize, found: usize) -> Result<(), BlockError> {
        if wanted == found { Ok(()) } else { Err(BlockError { what, wanted, found }) }
    }
}

impl fmt::Display for BlockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: wanted {}, found {}", self.what, self.wanted, self.found)
    }
}

impl std::error::Error for BlockError {}
