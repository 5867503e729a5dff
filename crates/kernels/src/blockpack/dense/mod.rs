//! The dense tier: the bits above the width of a group in unary code, in bit planes; a centre for every 64 elements.
//!
//! ```text
//! block       bits of an escape: u8 | descriptors of all groups | payloads, group behind group
//! descriptor  u16: width in bits 0..6, step in bits 6..11, whether there are planes in bit 11 | centre: element
//!             | 4 bytes: eight offsets of 4 bits with a sign, the first one lowest
//! payload     width × 64 bytes | with planes: the first plane, 64 bytes, and a stream of bits, filled up to whole bytes
//! bits        planes 2 to 7 | escapes
//! ```
//!
//! The centre of part `s` of a group, 64 elements, is `centre + offset[s] · 2^step`. A remainder is folded into a number without sign (0, -1, 1, -2 …
//! become 0, 1, 2, 3 …); `width` bits of it lie in rows as in the other tier. The bits above them are the high part `q`.
//!
//! Plane `p` has a one for every element with `q >= p`. The first plane is a row of 64 bytes with one bit for each element, in the order that
//! a payload of width 1 has. Plane `p + 1` says something only of the elements that have a one in plane `p`, and only these bits are in
//! the stream: an element takes `q + 1` bits. Noise of a detector falls off so fast that this is within some 0.05 bits of its entropy. An element in plane 7
//! is an escape: it follows as it is.
//!
//! With the instructions that gather bits under a mask and scatter them (PEXT, PDEP) 64 elements of a plane are one step, and nothing
//! but the length of a plane depends on its content.

mod pack;
mod planes;
#[cfg(test)]
mod tests;
mod unpack;

pub use pack::{DenseScratch, pack_dense_block};
pub use unpack::unpack_dense_block;

use super::{GROUP, Word};

/// Elements that share a centre.
const PART: usize = 64;
/// Parts of a group.
const PARTS: usize = GROUP / PART;
/// An element in this plane is an escape.
const LAST_PLANE: usize = 7;
/// The width of a group whose elements are stored as they are: the highest number in its field, which no width reaches.
const STORED: u16 = 63;
const WIDTH_BITS: u32 = 6;
const STEP_BITS: u32 = 5;
/// Bit of a descriptor that tells of planes.
const HAS_PLANES: u16 = 1 << (WIDTH_BITS + STEP_BITS);
/// Bytes of the number of bits of an escape.
const ESCAPE_BITS: usize = 1;

/// The most bytes that a block of `elements` elements takes.
///
/// ```
/// use livetime_kernels::blockpack::dense_block_bound;
/// assert_eq!(dense_block_bound::<u16>(513), 1 + 2 * 8 + 2 * 513);
/// ```
pub const fn dense_block_bound<T: Word>(elements: usize) -> usize {
    ESCAPE_BITS + elements.div_ceil(GROUP) * descriptor_bytes::<T>() + elements * size_of::<T>()
}

const fn descriptor_bytes<T>() -> usize {
    2 + size_of::<T>() + PARTS / 2
}

/// The fields of a descriptor.
#[derive(Clone, Copy)]
struct Descriptor<T> {
    /// [`STORED`], or fewer than the bits of an element.
    width: u16,
    step: u32,
    has_planes: bool,
    centre: T,
    offsets: [i8; PARTS],
}

impl<T: Word> Descriptor<T> {
    fn stored() -> Descriptor<T> {
        Descriptor { width: STORED, step: 0, has_planes: false, centre: T::default(), offsets: [0; PARTS] }
    }

    fn write(&self, to: &mut [u8]) {
        let planes = if self.has_planes { HAS_PLANES } else { 0 };
        let head = self.width | (self.step as u16) << WIDTH_BITS | planes;
        to[..2].copy_from_slice(&head.to_le_bytes());
        T::split_mut(&mut to[2..])[0] = self.centre.to_le();
        for (byte, pair) in to[2 + size_of::<T>()..].iter_mut().zip(self.offsets.as_chunks::<2>().0) {
            *byte = pair[0] as u8 & 15 | (pair[1] as u8) << 4;
        }
    }

    fn read(from: &[u8]) -> Descriptor<T> {
        let head = u16::from_le_bytes([from[0], from[1]]);
        let mut offsets = [0; PARTS];
        for (pair, byte) in offsets.as_chunks_mut::<2>().0.iter_mut().zip(&from[2 + size_of::<T>()..]) {
            // The shifts to the left and back extend the sign of four bits.
            *pair = [(*byte << 4) as i8 >> 4, *byte as i8 >> 4];
        }
        Descriptor {
            // The reader of the group refuses a width that its elements do not have.
            width: head & ((1 << WIDTH_BITS) - 1),
            step: u32::from(head >> WIDTH_BITS) & ((1 << STEP_BITS) - 1),
            has_planes: head & HAS_PLANES != 0,
            centre: T::from_le(T::split(&from[2..])[0]),
            offsets,
        }
    }

    /// The centres of the parts.
    #[inline(always)]
    fn centres(&self) -> [T; PARTS] {
        // An i64 holds four bits moved by any step.
        self.offsets.map(|offset| self.centre.plus(T::from_low(i64::from(offset) << self.step)))
    }
}
