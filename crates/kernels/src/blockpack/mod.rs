//! Blocks of packed integers: the loops of the codec blockpack.
//!
//! A block is at most [`BLOCK`] elements, in groups of [`GROUP`]. The element of a reference frame (if there is one)
//! and the centre of the group are subtracted from every element of a group; the remainders are small, and `width` bits
//! of each are packed. The few remainders that do not fit are exceptions. All arithmetic wraps round, so every value
//! comes back.
//!
//! ```text
//! block       number of escapes: u16 | descriptors of all groups | payloads of all groups | exceptions of all groups | positions of escapes | escapes
//! descriptor  width: u8, number of exceptions: u8, centre: element
//! payload     width × 64 bytes; with the width 255 the elements as they are
//! exception   i16: position in the group in bits 0..9, high part of the number from bit 9 on
//! position    u16: position in the block
//! escape      element: high part · 2^width, for high parts that are too large for an exception
//! ```
//!
//! A remainder `e` is packed as the number `e + 2^(width-1)` (`e` if the width is 0), whose lower `width` bits are in the payload.
//! The bits above them, a number with a sign, are the high part, 0 for all but exceptions: so an element is the sum of the packed bits, the centre
//! less the bias, the element of the reference, and high part · 2^width.
//!
//! The bits of a group lie in rows of 64 bytes: with elements of `B` bits a row is `512 / B` words of `B` bits, one for
//! each lane. Number `i` belongs to lane `i % (512 / B)`, and the `B` numbers of a lane follow each other bit by bit,
//! lowest bits first, in the words of their lane. So no bit ever moves from lane to lane, whatever the length of
//! vectors. (The layout is from Afroozeh and Boncz, FastLanes, VLDB 2023, without its reordering.) The last group of a
//! frame may be shorter; the remainders that it lacks are zeros.

mod centre;
mod dense;
mod exceptions;
mod pack;
mod sizes;
#[cfg(test)]
mod tests;
mod unpack;
mod unpack_rows;
mod width;
mod word;
#[cfg(target_arch = "x86_64")]
mod word_lanes;

use std::fmt;
use std::ops::RangeInclusive;

pub use dense::{DenseScratch, dense_block_bound, pack_dense_block, unpack_dense_block};
pub use pack::{Scratch, pack_block};
pub use sizes::{BLOCK, GROUP};
pub use unpack::unpack_block;
pub use word::Word;

use sizes::ROW;

/// Bytes of the number of escapes.
const ESCAPE_COUNT: usize = 2;

/// The width of a group whose elements are stored as they are.
const STORED: u8 = 255;
/// High parts that fit an exception.
const HIGH_PARTS: RangeInclusive<i64> = -64..=63;
/// Bits of a position in a group.
const POSITION_BITS: u32 = GROUP.ilog2();

/// The most bytes that a block of `elements` elements takes.
///
/// ```
/// use livetime_kernels::blockpack::block_bound;
/// assert_eq!(block_bound::<u16>(513), 2 + 2 * 4 + 2 * 513);
/// ```
pub const fn block_bound<T: Word>(elements: usize) -> usize {
    ESCAPE_COUNT + elements.div_ceil(GROUP) * descriptor_bytes::<T>() + elements * size_of::<T>()
}

const fn descriptor_bytes<T>() -> usize {
    2 + size_of::<T>()
}

/// A packed block is not one of the elements that were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockError {
    /// The fault.
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
