//! From a block to elements.

use std::marker::PhantomData;

use super::word::unpack_rows;
use super::{BLOCK, BlockError, ESCAPE, GROUP, POSITION_BITS, ROW, STORED, Word, descriptor_bytes};
use crate::Level;

/// Unpacks a block into `output`, which must have the size of its elements. `reference` is the array that it was
/// packed with.
///
/// # Errors
/// [`BlockError`] if the block is not one of so many elements, or `reference` is not as long as `output`;
/// `output` is undefined then.
pub fn unpack_block<T: Word>(
    level: Level,
    block: &[u8],
    reference: Option<&[u8]>,
    output: &mut [u8],
) -> Result<(), BlockError> {
    let elements = output.len() / size_of::<T>();
    BlockError::check("bytes of output", elements.min(BLOCK) * size_of::<T>(), output.len())?;
    if let Some(reference) = reference {
        BlockError::check("bytes of the reference", output.len(), reference.len())?;
    }
    unpack_groups(level, PhantomData::<T>, block, reference, output)
}

per_level! {
    fn unpack_groups<T: Word>(
        word: PhantomData<T>,
        block: &[u8],
        reference: Option<&[u8]>,
        output: &mut [u8],
    ) -> Result<(), BlockError> = body;
}

/// The parts of a block, each of which becomes shorter as groups are unpacked.
struct Parts<'a, T: Word> {
    payloads: &'a [u8],
    exceptions: &'a [[u8; 2]],
    escapes: &'a [T::Bytes],
}

#[inline(always)]
fn body<T: Word>(
    _: PhantomData<T>,
    block: &[u8],
    reference: Option<&[u8]>,
    output: &mut [u8],
) -> Result<(), BlockError> {
    let descriptor = descriptor_bytes::<T>();
    let groups = T::split(output).len().div_ceil(GROUP);
    let (descriptors, rest) = take(block, groups * descriptor, "bytes of descriptors")?;
    let mut parts = parts::<T>(descriptors, rest, output.len())?;
    for (group, descriptor) in descriptors.chunks_exact(descriptor).enumerate() {
        let start = group * GROUP * size_of::<T>();
        let end = (start + GROUP * size_of::<T>()).min(output.len());
        let elements = &mut output[start..end];
        let (width, exceptions) = (descriptor[0], usize::from(descriptor[1]));
        if width == STORED {
            let (payload, rest) = take(parts.payloads, elements.len(), "bytes of elements")?;
            elements.copy_from_slice(payload);
            parts.payloads = rest;
            continue;
        }
        let mut remainders = [T::default(); GROUP];
        let (rows, rest) = take(parts.payloads, usize::from(width) * ROW, "bytes of rows")?;
        parts.payloads = rest;
        unpack_rows(width.into(), rows, &mut remainders);
        add_exceptions(&mut parts, exceptions, width.into(), &mut remainders)?;
        let centre = T::from_le(T::split(&descriptor[2..])[0]);
        restore(&remainders, centre, reference.map(|r| &r[start..end]), elements);
    }
    BlockError::check("escapes", 0, parts.escapes.len())
}

/// Finds the parts by what the descriptors say.
#[inline(always)]
fn parts<'a, T: Word>(descriptors: &[u8], rest: &'a [u8], output: usize) -> Result<Parts<'a, T>, BlockError> {
    let (mut payloads, mut exceptions, mut elements) = (0, 0, output);
    for descriptor in descriptors.chunks_exact(descriptor_bytes::<T>()) {
        let group = elements.min(GROUP * size_of::<T>());
        elements -= group;
        payloads += match descriptor[0] {
            STORED => group,
            width if u32::from(width) <= T::BITS => usize::from(width) * ROW,
            width => {
                let (wanted, found) = (T::BITS as usize, width.into());
                return Err(BlockError { what: "width of a group", wanted, found });
            }
        };
        exceptions += usize::from(descriptor[1]);
    }
    let (payloads, rest) = take(rest, payloads, "bytes of payloads")?;
    let (exceptions, escapes) = take(rest, 2 * exceptions, "bytes of exceptions")?;
    let whole = escapes.len() / size_of::<T>() * size_of::<T>();
    BlockError::check("bytes of escapes", whole, escapes.len())?;
    Ok(Parts { payloads, exceptions: exceptions.as_chunks().0, escapes: T::split(escapes) })
}

#[inline(always)]
fn take<'a>(bytes: &'a [u8], count: usize, what: &'static str) -> Result<(&'a [u8], &'a [u8]), BlockError> {
    bytes.split_at_checked(count).ok_or(BlockError { what, wanted: count, found: bytes.len() })
}

/// Completes the remainders that have more than `width` bits.
#[inline(always)]
fn add_exceptions<T: Word>(
    parts: &mut Parts<'_, T>,
    count: usize,
    width: u32,
    remainders: &mut [T; GROUP],
) -> Result<(), BlockError> {
    let Some((exceptions, rest)) = parts.exceptions.split_at_checked(count) else {
        return Err(BlockError { what: "exceptions", wanted: count, found: parts.exceptions.len() });
    };
    parts.exceptions = rest;
    if width >= T::BITS {
        return BlockError::check("exceptions of a group of whole elements", 0, count);
    }
    let (escapes, mut used) = (parts.escapes, 0);
    for exception in exceptions {
        let exception = u32::from(u16::from_le_bytes(*exception));
        let z = &mut remainders[exception as usize % GROUP];
        let high = exception >> POSITION_BITS;
        let escape = T::from_le(escapes.get(used).copied().unwrap_or_default());
        let whole = *z | (T::from_low(high.into()) << width);
        // A choice without a branch: which exceptions are escapes cannot be foretold.
        *z = if high == ESCAPE { escape } else { whole };
        used += usize::from(high == ESCAPE);
    }
    let rest = escapes.get(used..);
    parts.escapes = rest.ok_or(BlockError { what: "escapes", wanted: used, found: escapes.len() })?;
    Ok(())
}

/// Adds to the remainders what was subtracted.
#[inline(always)]
fn restore<T: Word>(remainders: &[T; GROUP], centre: T, reference: Option<&[u8]>, elements: &mut [u8]) {
    let elements = T::split_mut(elements);
    match reference {
        Some(reference) => {
            for ((x, z), r) in elements.iter_mut().zip(remainders).zip(T::split(reference)) {
                *x = z.unfold_sign().plus(centre).plus(T::from_le(*r)).to_le();
            }
        }
        None => {
            for (x, z) in elements.iter_mut().zip(remainders) {
                *x = z.unfold_sign().plus(centre).to_le();
            }
        }
    }
}
