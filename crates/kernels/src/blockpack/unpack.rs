//! From a block to elements.

use super::unpack_rows::{Portable, Rows};
use super::{BLOCK, BlockError, ESCAPE_COUNT, GROUP, POSITION_BITS, ROW, STORED, Word, descriptor_bytes};
use crate::Level;
#[cfg(target_arch = "x86_64")]
use crate::vector::{Avx2, Avx512};

/// Unpacks a block into `output`, which must have the size of its elements. `reference` is the array that it was
/// packed with.
///
/// # Errors
/// [`BlockError`] if the block does not hold exactly the elements of `output`, or `reference` is not as long as
/// `output`; `output` is undefined then.
pub fn unpack_block<T: Word>(
    level: Level,
    block: &[u8],
    reference: Option<&[u8]>,
    output: &mut [u8],
) -> Result<(), BlockError> {
    elements::<T>(reference, output)?;
    let mut parts = parts::<T>(block, output.len())?;
    unpack_groups::<T>(level, &mut parts, reference, output)?;
    add_escapes(&parts, output)
}

/// The number of elements of `output`, which is at most a block of whole ones, and as long as `reference`.
pub(super) fn elements<T: Word>(reference: Option<&[u8]>, output: &[u8]) -> Result<usize, BlockError> {
    let elements = output.len() / size_of::<T>();
    BlockError::check("bytes of output", elements.min(BLOCK) * size_of::<T>(), output.len())?;
    if let Some(reference) = reference {
        BlockError::check("bytes of the reference", output.len(), reference.len())?;
    }
    Ok(elements)
}

/// The parts of a block; each becomes shorter as groups are unpacked.
struct Parts<'a, T: Word> {
    descriptors: &'a [u8],
    payloads: &'a [u8],
    exceptions: &'a [[u8; 2]],
    /// Positions and high parts of escapes.
    escapes: (&'a [[u8; 2]], &'a [T::Bytes]),
}

/// Finds the parts by the number of escapes and by the descriptors.
fn parts<T: Word>(block: &[u8], output: usize) -> Result<Parts<'_, T>, BlockError> {
    let (escapes, rest) = take(block, ESCAPE_COUNT, "bytes of the number of escapes")?;
    let escapes = usize::from(u16::from_le_bytes([escapes[0], escapes[1]]));
    let groups = output.div_ceil(GROUP * size_of::<T>());
    let (descriptors, rest) = take(rest, groups * descriptor_bytes::<T>(), "bytes of descriptors")?;
    // A block has at most 16 groups: no sum overflows.
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
    let (exceptions, rest) = take(rest, 2 * exceptions, "bytes of exceptions")?;
    // Escapes are the last part, so bytes behind them are refused, too.
    BlockError::check("bytes of escapes", escapes * (2 + size_of::<T>()), rest.len())?;
    let (positions, values) = rest.split_at(2 * escapes);
    let escapes = (positions.as_chunks().0, T::split(values));
    Ok(Parts { descriptors, payloads, exceptions: exceptions.as_chunks().0, escapes })
}

pub(super) fn take<'a>(
    bytes: &'a [u8],
    count: usize,
    what: &'static str,
) -> Result<(&'a [u8], &'a [u8]), BlockError> {
    bytes.split_at_checked(count).ok_or(BlockError { what, wanted: count, found: bytes.len() })
}

per_level! {
    fn unpack_groups<T: Word>(
        parts: &mut Parts<'_, T>,
        reference: Option<&[u8]>,
        output: &mut [u8],
    ) -> Result<(), BlockError> = body::<Portable, _> | body::<Avx2, _> | body::<Avx512, _>;
}

#[inline(always)]
fn body<R: Rows, T: Word>(
    parts: &mut Parts<'_, T>,
    reference: Option<&[u8]>,
    output: &mut [u8],
) -> Result<(), BlockError> {
    let size = GROUP * size_of::<T>();
    for (group, descriptor) in parts.descriptors.chunks_exact(descriptor_bytes::<T>()).enumerate() {
        let start = group * size;
        let end = (start + size).min(output.len());
        let elements = &mut output[start..end];
        if descriptor[0] == STORED {
            let payload;
            (payload, parts.payloads) = take(parts.payloads, elements.len(), "bytes of elements")?;
            elements.copy_from_slice(payload);
            continue;
        }
        let width = u32::from(descriptor[0]);
        let centre = T::from_le(T::split(&descriptor[2..])[0]);
        let reference = reference.map_or(&NOTHING[..end - start], |r| &r[start..end]);
        let rows;
        (rows, parts.payloads) = take(parts.payloads, width as usize * ROW, "bytes of rows")?;
        unpack_group::<R, T>(width, rows, centre.minus(T::bias(width)), reference, elements);
        add_exceptions(parts, width, descriptor[1].into(), elements)?;
    }
    Ok(())
}

/// The reference where there is none.
pub(super) static NOTHING: [u8; MOST_BYTES] = [0; MOST_BYTES];
/// Bytes of a group of the largest elements.
pub(super) const MOST_BYTES: usize = GROUP * size_of::<u32>();

/// Unpacks a group of any length, without its exceptions.
#[inline(always)]
fn unpack_group<R: Rows, T: Word>(width: u32, rows: &[u8], base: T, reference: &[u8], elements: &mut [u8]) {
    let size = GROUP * size_of::<T>();
    if elements.len() == size {
        return R::unpack(width, rows, base, reference, elements);
    }
    let (mut whole, mut longer) = ([0; MOST_BYTES], NOTHING);
    longer[..elements.len()].copy_from_slice(reference);
    R::unpack(width, rows, base, &longer[..size], &mut whole[..size]);
    elements.copy_from_slice(&whole[..elements.len()]);
}

#[inline(always)]
fn add_exceptions<T: Word>(
    parts: &mut Parts<'_, T>,
    width: u32,
    count: usize,
    elements: &mut [u8],
) -> Result<(), BlockError> {
    let here;
    // `parts` has added up the counts, so the list is long enough.
    (here, parts.exceptions) = parts.exceptions.split_at_checked(count).unwrap_or((parts.exceptions, &[]));
    // No bit is above such a width, and a shift by it would overflow.
    if width >= T::BITS {
        return BlockError::check("exceptions of a group of whole elements", 0, count);
    }
    let elements = T::split_mut(elements);
    match elements.first_chunk_mut::<GROUP>() {
        Some(elements) => add_high_parts::<T>(here, width, elements),
        None => {
            // An exception of a damaged block may lie behind a shorter group: there it changes only this copy.
            let mut whole = [T::Bytes::default(); GROUP];
            whole[..elements.len()].copy_from_slice(elements);
            add_high_parts::<T>(here, width, &mut whole);
            elements.copy_from_slice(&whole[..elements.len()]);
        }
    }
    Ok(())
}

/// A function of its own, so that its loop has all registers.
#[inline(never)]
fn add_high_parts<T: Word>(exceptions: &[[u8; 2]], width: u32, elements: &mut [T::Bytes; GROUP]) {
    for exception in exceptions {
        let exception = i16::from_le_bytes(*exception);
        let high = T::from_low((exception >> POSITION_BITS).into());
        // `GROUP` is a power of two, so the remainder is the position, with any sign of the high part.
        let x = &mut elements[exception as usize % GROUP];
        *x = T::from_le(*x).plus(high << width).to_le();
    }
}

fn add_escapes<T: Word>(parts: &Parts<'_, T>, output: &mut [u8]) -> Result<(), BlockError> {
    let elements = T::split_mut(output);
    let most = elements.len();
    for (position, value) in parts.escapes.0.iter().zip(parts.escapes.1) {
        let position = usize::from(u16::from_le_bytes(*position));
        let Some(x) = elements.get_mut(position) else {
            return Err(BlockError { what: "position of an escape", wanted: most, found: position });
        };
        *x = T::from_le(*x).plus(T::from_le(*value)).to_le();
    }
    Ok(())
}
