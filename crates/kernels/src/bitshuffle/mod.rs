//! Bitshuffle: the lowest bits of all elements first, then the next ones, as the HDF5 filter 32008 does it
//! (Masui et al., Astronomy and Computing 12, 2015). Bits that hardly change then lie together.

#[cfg(test)]
mod tests;

use std::marker::PhantomData;

use crate::bits::{self, Bits};
use crate::byteshuffle::{Element, STEP};
use crate::{LengthError, Level};

/// Bytes of the elements of a step, at most.
const STEP_BYTES: usize = 8 * STEP;

/// Sorts the bits of elements of 1, 2, 4 or 8 bytes: bit `b` of element `i` goes to bit `i % 8` of byte `b · n / 8 + i / 8`,
/// `n` being the number of elements, a multiple of 8.
///
/// # Errors
/// [`LengthError`] if the elements have another size, `input` is not a multiple of eight of them, or `output` is not
/// as long as `input`.
///
/// ```
/// use livetime_kernels::{Level, bitshuffle};
/// let mut out = [0; 8];
/// bitshuffle::shuffle(Level::best(), 1, &[1, 0, 0, 2, 0, 0, 0, 3], &mut out)?;
/// assert_eq!(out, [0b1000_0001, 0b1000_1000, 0, 0, 0, 0, 0, 0]);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn shuffle(level: Level, size: usize, input: &[u8], output: &mut [u8]) -> Result<(), LengthError> {
    check(size, input.len(), output.len())?;
    match size {
        1 => shuffle_level(level, PhantomData::<u8>, input, output),
        2 => shuffle_level(level, PhantomData::<u16>, input, output),
        4 => shuffle_level(level, PhantomData::<u32>, input, output),
        _ => shuffle_level(level, PhantomData::<u64>, input, output),
    }
    Ok(())
}

/// The inverse of [`shuffle`], with its errors.
pub fn unshuffle(level: Level, size: usize, input: &[u8], output: &mut [u8]) -> Result<(), LengthError> {
    check(size, input.len(), output.len())?;
    match size {
        1 => unshuffle_level(level, PhantomData::<u8>, input, output),
        2 => unshuffle_level(level, PhantomData::<u16>, input, output),
        4 => unshuffle_level(level, PhantomData::<u32>, input, output),
        _ => unshuffle_level(level, PhantomData::<u64>, input, output),
    }
    Ok(())
}

fn check(size: usize, input: usize, output: usize) -> Result<(), LengthError> {
    if !matches!(size, 1 | 2 | 4 | 8) {
        return Err(LengthError { what: "size of an element", len: size, expected: 8 });
    }
    LengthError::check("input", input, input / (8 * size) * (8 * size))?;
    LengthError::check("output", output, input)
}

per_level! {
    fn shuffle_level<E: Element>(element: PhantomData<E>, input: &[u8], output: &mut [u8])
        = shuffle_body::<bits::Portable, _> | shuffle_body::<bits::Avx2, _> | shuffle_body::<bits::Avx512, _>;
}

per_level! {
    fn unshuffle_level<E: Element>(element: PhantomData<E>, input: &[u8], output: &mut [u8])
        = unshuffle_body::<bits::Portable, _> | unshuffle_body::<bits::Avx2, _> | unshuffle_body::<bits::Avx512, _>;
}

#[inline(always)]
fn shuffle_body<B: Bits, E: Element>(_: PhantomData<E>, input: &[u8], output: &mut [u8]) {
    let (size, row) = (size_of::<E>(), input.len() / size_of::<E>() / 8);
    let mut planes = E::Planes::default();
    for (step, elements) in input.chunks(STEP * size).enumerate() {
        if elements.len() == STEP * size {
            E::take_apart(elements, &mut planes);
        } else {
            // The last step may be shorter: zeros stand for the elements that it lacks, and their bits are cut off
            // below.
            let mut longer = [0; STEP_BYTES];
            longer[..elements.len()].copy_from_slice(elements);
            E::take_apart(&longer[..STEP * size], &mut planes);
        }
        // `row` is not 0 here: an input that is not empty has eight elements or more.
        for (plane, rows) in planes.as_ref().iter().zip(output.chunks_exact_mut(8 * row)) {
            for (word, row) in B::turn(plane).into_iter().zip(rows.chunks_exact_mut(row)) {
                let to = &mut row[8 * step..];
                // Only the last step has fewer than 64 elements.
                match to.first_chunk_mut() {
                    Some(to) => *to = word.to_le_bytes(),
                    None => to.copy_from_slice(&word.to_le_bytes()[..to.len()]),
                }
            }
        }
    }
}

#[inline(always)]
fn unshuffle_body<B: Bits, E: Element>(_: PhantomData<E>, input: &[u8], output: &mut [u8]) {
    let (size, row) = (size_of::<E>(), input.len() / size_of::<E>() / 8);
    let mut planes = E::Planes::default();
    for (step, elements) in output.chunks_mut(STEP * size).enumerate() {
        for (plane, rows) in planes.as_mut().iter_mut().zip(input.chunks_exact(8 * row)) {
            let mut words = [0; 8];
            for (word, row) in words.iter_mut().zip(rows.chunks_exact(row)) {
                let from = &row[8 * step..];
                let mut bytes = [0; 8];
                match from.first_chunk() {
                    Some(from) => bytes = *from,
                    None => bytes[..from.len()].copy_from_slice(from),
                }
                *word = u64::from_le_bytes(bytes);
            }
            *plane = B::turn_back(words);
        }
        if elements.len() == STEP * size {
            E::put_together(&planes, elements);
        } else {
            let mut longer = [0; STEP_BYTES];
            E::put_together(&planes, &mut longer[..STEP * size]);
            elements.copy_from_slice(&longer[..elements.len()]);
        }
    }
}
