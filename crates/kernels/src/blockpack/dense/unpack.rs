//! From a dense block to elements.

use std::marker::PhantomData;

use super::super::unpack::{MOST_BYTES, NOTHING, elements, take};
use super::super::unpack_rows::{Portable, Rows};
use super::super::{BlockError, GROUP, ROW, Word};
use super::planes::{self, HighParts, Plane, Read};
use super::{Descriptor, ESCAPE_BITS, PARTS, STORED, descriptor_bytes};
use crate::Level;
use crate::bits::{self, Bits};
#[cfg(target_arch = "x86_64")]
use crate::vector::{Avx2, Avx512};

/// As [`unpack_block`](super::super::unpack_block), for blocks of [`pack_dense_block`](super::pack_dense_block).
///
/// # Errors
/// The errors of [`unpack_block`](super::super::unpack_block).
pub fn unpack_dense_block<T: Word>(
    level: Level,
    block: &[u8],
    reference: Option<&[u8]>,
    output: &mut [u8],
) -> Result<(), BlockError> {
    let elements = elements::<T>(reference, output)?;
    let (head, rest) = take(block, ESCAPE_BITS, "bytes of the bits of an escape")?;
    let escape_bits = u32::from(head[0]);
    if escape_bits > T::BITS {
        let (wanted, found) = (T::BITS as usize, escape_bits as usize);
        return Err(BlockError { what: "bits of an escape", wanted, found });
    }
    let groups = elements.div_ceil(GROUP);
    let (descriptors, payloads) = take(rest, groups * descriptor_bytes::<T>(), "bytes of descriptors")?;
    let parts = Parts { escape_bits, descriptors, payloads, elements: PhantomData::<T> };
    let left = unpack_groups(level, parts, reference, output)?;
    BlockError::check("bytes behind the groups", 0, left)
}

/// The parts of a block of elements of a type.
struct Parts<'a, T> {
    escape_bits: u32,
    descriptors: &'a [u8],
    payloads: &'a [u8],
    elements: PhantomData<T>,
}

per_level! {
    fn unpack_groups<T: Word>(
        parts: Parts<'_, T>,
        reference: Option<&[u8]>,
        output: &mut [u8],
    ) -> Result<usize, BlockError>
        = body::<bits::Portable, Portable, _> | body::<bits::Avx2, Avx2, _> | body::<bits::Avx512, Avx512, _>;
}

/// Gives the bytes of payloads that are left.
#[inline(always)]
fn body<B: Bits, R: Rows, T: Word>(
    parts: Parts<'_, T>,
    reference: Option<&[u8]>,
    output: &mut [u8],
) -> Result<usize, BlockError> {
    let Parts { escape_bits, descriptors, mut payloads, .. } = parts;
    let (size, mut low) = (GROUP * size_of::<T>(), [0; MOST_BYTES]);
    for (group, descriptor) in descriptors.chunks_exact(descriptor_bytes::<T>()).enumerate() {
        let start = group * size;
        let end = (start + size).min(output.len());
        let elements = &mut output[start..end];
        let descriptor = Descriptor::<T>::read(descriptor);
        if descriptor.width == STORED {
            let payload;
            (payload, payloads) = take(payloads, elements.len(), "bytes of elements")?;
            elements.copy_from_slice(payload);
            continue;
        }
        let width = u32::from(descriptor.width);
        if width >= T::BITS {
            let (wanted, found) = (T::BITS as usize - 1, width as usize);
            return Err(BlockError { what: "width of a group", wanted, found });
        }
        let (rows, mut rest) = take(payloads, width as usize * ROW, "bytes of rows")?;
        let mut read = Read { high: HighParts::default(), escapes: Plane::default(), bits: 0 };
        let mut stream = rest;
        if descriptor.has_planes {
            let first;
            (first, stream) = rest.split_first_chunk().ok_or(BlockError {
                what: "bytes of the first plane",
                wanted: ROW,
                found: rest.len(),
            })?;
            read = planes::read::<B>(first, stream);
            let bits = read.bits + planes::count_ones(&read.escapes) * escape_bits as usize;
            // The planes of a stream that is too short were read as zeros: here it is refused.
            (_, rest) = take(stream, bits.div_ceil(8), "bytes of planes")?;
        }
        let reference = reference.map_or(&NOTHING[..end - start], |r| &r[start..end]);
        // Low bits come alone: the high parts belong above them before the sign is unfolded.
        R::unpack(width, rows, T::default(), &NOTHING[..size], &mut low[..size]);
        unfold_group::<R, T>(width, &low[..size], &read.high, descriptor.centres(), reference, elements);
        if !planes::is_empty(&read.escapes) {
            set_escapes::<T>(&read, stream, escape_bits, elements)?;
        }
        payloads = rest;
    }
    Ok(payloads.len())
}

/// Elements of a group of any length from the packed bits of all, without its escapes.
#[inline(always)]
fn unfold_group<R: Rows, T: Word>(
    width: u32,
    low: &[u8],
    high: &HighParts,
    centres: [T; PARTS],
    reference: &[u8],
    elements: &mut [u8],
) {
    let high = high.map(|plane| {
        let mut row = [0; ROW];
        for (bytes, word) in row.as_chunks_mut().0.iter_mut().zip(plane) {
            *bytes = word.to_le_bytes();
        }
        row
    });
    if elements.len() == low.len() {
        return R::unfold(width, low, &high, &centres, reference, elements);
    }
    // A shorter group is made whole, so that the loops know their length.
    let (mut whole, mut longer) = ([0; MOST_BYTES], NOTHING);
    longer[..elements.len()].copy_from_slice(reference);
    R::unfold(width, low, &high, &centres, &longer[..low.len()], &mut whole[..low.len()]);
    elements.copy_from_slice(&whole[..elements.len()]);
}

#[inline(always)]
fn set_escapes<T: Word>(
    read: &Read,
    stream: &[u8],
    bits: u32,
    elements: &mut [u8],
) -> Result<(), BlockError> {
    let elements = T::split_mut(elements);
    let (most, mut at, mut ones) = (elements.len(), read.bits, planes::Ones::of(&read.escapes));
    for _ in 0..planes::count_ones(&read.escapes) {
        let found = planes::element_of::<T>(ones.next());
        // A damaged block may have an escape among the elements that a shorter group lacks.
        let Some(element) = elements.get_mut(found) else {
            return Err(BlockError { what: "position of an escape", wanted: most, found });
        };
        *element = T::from_low(planes::peek_few(stream, at, bits).into()).to_le();
        at += bits as usize;
    }
    Ok(())
}
