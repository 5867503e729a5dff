//! From elements to a block.

use super::centre::{Guesses, centre};
use super::exceptions::{Exceptions, find_exceptions};
use super::width::{Outside, best_width};
use super::word::pack_rows;
use super::{BLOCK, ESCAPE_COUNT, GROUP, ROW, STORED, Word, block_bound, descriptor_bytes};
use crate::bits::{self, Bits};
use crate::{LengthError, Level};

/// Working memory for [`pack_block`].
#[derive(Debug)]
pub struct Scratch<T: Word> {
    differences: Box<[T; GROUP]>,
    exceptions: Exceptions<T>,
}

impl<T: Word> Scratch<T> {
    /// As large as any block needs.
    pub fn new() -> Scratch<T> {
        Scratch { differences: Box::new([T::default(); GROUP]), exceptions: Exceptions::new() }
    }
}

impl<T: Word> Default for Scratch<T> {
    fn default() -> Scratch<T> {
        Scratch::new()
    }
}

/// Packs at most [`BLOCK`] elements of type `T` as a block and gives its size. `reference` is another array of as many
/// elements, which is needed again to unpack.
///
/// # Errors
/// [`LengthError`] if `input` is longer than a block or holds part of an element, if `reference` is not as long, or
/// if `output` is shorter than [`block_bound`].
///
/// ```
/// use livetime_kernels::{Level, blockpack};
/// let (frame, dark) = ([101u8, 0, 99, 0, 103, 0], [100u8, 0, 100, 0, 100, 0]);
/// let mut block = [0; blockpack::block_bound::<u16>(3)];
/// let mut scratch = blockpack::Scratch::<u16>::new();
/// let size = blockpack::pack_block(Level::best(), &frame, Some(&dark), &mut scratch, &mut block)?;
/// let mut back = [0; 6];
/// blockpack::unpack_block::<u16>(Level::best(), &block[..size], Some(&dark), &mut back)?;
/// assert_eq!(back, frame);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pack_block<T: Word>(
    level: Level,
    input: &[u8],
    reference: Option<&[u8]>,
    scratch: &mut Scratch<T>,
    output: &mut [u8],
) -> Result<usize, LengthError> {
    check_lengths::<T>(input, reference, output, block_bound::<T>)?;
    Ok(pack_groups(level, input, reference, scratch, output))
}

/// Fails unless `input` is at most a block of whole elements, `reference` as long, and `output` as long as `bound` says for so many.
pub(super) fn check_lengths<T: Word>(
    input: &[u8],
    reference: Option<&[u8]>,
    output: &[u8],
    bound: impl FnOnce(usize) -> usize,
) -> Result<(), LengthError> {
    let elements = input.len() / size_of::<T>();
    LengthError::check("input", input.len(), elements.min(BLOCK) * size_of::<T>())?;
    if let Some(reference) = reference {
        LengthError::check("reference", reference.len(), input.len())?;
    }
    let bound = bound(elements);
    if output.len() < bound {
        return Err(LengthError { what: "output", len: output.len(), expected: bound });
    }
    Ok(())
}

per_level! {
    fn pack_groups<T: Word>(
        input: &[u8],
        reference: Option<&[u8]>,
        scratch: &mut Scratch<T>,
        output: &mut [u8],
    ) -> usize = body::<bits::Portable, _> | body::<bits::Avx2, _> | body::<bits::Avx512, _>;
}

#[inline(always)]
fn body<B: Bits, T: Word>(
    input: &[u8],
    reference: Option<&[u8]>,
    scratch: &mut Scratch<T>,
    output: &mut [u8],
) -> usize {
    scratch.exceptions.clear();
    let groups = T::split(input).len().div_ceil(GROUP);
    let (escapes, rest) = output.split_at_mut(ESCAPE_COUNT);
    let (descriptors, payloads) = rest.split_at_mut(groups * descriptor_bytes::<T>());
    let guesses = Guesses::new(input, reference);
    let (mut size, mut width) = (0, None);
    for (group, descriptor) in descriptors.chunks_exact_mut(descriptor_bytes::<T>()).enumerate() {
        let range = group * GROUP * size_of::<T>()..((group + 1) * GROUP * size_of::<T>()).min(input.len());
        let elements = &input[range.clone()];
        subtract(elements, reference.map(|r| &r[range]), &mut scratch.differences);
        let payload = &mut payloads[size..];
        let found = pack_group::<B, T>(group, elements, guesses.of(group), width, scratch, payload);
        size += found.payload;
        width = Some(found.likely);
        descriptor[..2].copy_from_slice(&[found.width, found.exceptions]);
        T::split_mut(&mut descriptor[2..])[0] = found.centre.to_le();
    }
    escapes.copy_from_slice(&(scratch.exceptions.counts().1 as u16).to_le_bytes());
    let at = ESCAPE_COUNT + descriptors.len() + size;
    at + scratch.exceptions.write(&mut output[at..])
}

/// The packed form of a group.
struct Group<T> {
    width: u8,
    exceptions: u8,
    centre: T,
    payload: usize,
    /// The width that takes least room, whether it was used or not.
    likely: u32,
}

/// Elements less the elements of the reference.
#[inline(always)]
pub(super) fn subtract<T: Word>(elements: &[u8], reference: Option<&[u8]>, differences: &mut [T; GROUP]) {
    match reference {
        Some(reference) => {
            let pairs = T::split(elements).iter().zip(T::split(reference));
            for (d, (x, r)) in differences.iter_mut().zip(pairs) {
                *d = T::from_le(*x).minus(T::from_le(*r));
            }
        }
        None => {
            for (d, x) in differences.iter_mut().zip(T::split(elements)) {
                *d = T::from_le(*x);
            }
        }
    }
}

#[inline(always)]
fn pack_group<B: Bits, T: Word>(
    group: usize,
    elements: &[u8],
    guess: (T, T),
    width: Option<u32>,
    scratch: &mut Scratch<T>,
    payload: &mut [u8],
) -> Group<T> {
    let count = elements.len() / size_of::<T>();
    let differences = &mut *scratch.differences;
    // The mean is divided by a shift, which only a whole group allows.
    let centre = if count == GROUP { centre(differences, guess) } else { guess.0 };
    differences[count..].fill(centre);
    let likely = best_width(differences, centre, width);
    let before = scratch.exceptions.counts();
    find_exceptions::<B, T>(
        differences,
        Outside::new(likely, centre),
        likely,
        group,
        &mut scratch.exceptions,
    );
    let exceptions = scratch.exceptions.counts().0 - before.0;
    let size = likely as usize * ROW;
    // A stored group takes the bytes of its elements: so no block is longer than its bound.
    if size + scratch.exceptions.bytes_since(before) >= elements.len() {
        scratch.exceptions.forget_since(before);
        payload[..elements.len()].copy_from_slice(elements);
        let (width, centre, payload) = (STORED, T::default(), elements.len());
        return Group { width, exceptions: 0, centre, payload, likely };
    }
    for d in differences.iter_mut() {
        *d = d.plus(T::bias(likely).minus(centre));
    }
    pack_rows(likely, differences, &mut payload[..size]);
    Group { width: likely as u8, exceptions: exceptions as u8, centre, payload: size, likely }
}
