//! Bitshuffle: the lowest bits of all elements first, then the next ones, as the HDF5 filter 32008 does it
//! (Masui et al., Astronomy and Computing 12, 2015). Bits that hardly change then lie together.

#[cfg(test)]
mod tests;

use crate::bits::{self, Bits};
use crate::{LengthError, Level};

/// Bytes of a step: eight rows of eight bytes.
const STEP: usize = 64;

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
        1 => shuffle_level(level, [0; 1], input, output),
        2 => shuffle_level(level, [0; 2], input, output),
        4 => shuffle_level(level, [0; 4], input, output),
        _ => shuffle_level(level, [0; 8], input, output),
    }
    Ok(())
}

/// The inverse of [`shuffle`], with its errors.
pub fn unshuffle(level: Level, size: usize, input: &[u8], output: &mut [u8]) -> Result<(), LengthError> {
    check(size, input.len(), output.len())?;
    match size {
        1 => unshuffle_level(level, [0; 1], input, output),
        2 => unshuffle_level(level, [0; 2], input, output),
        4 => unshuffle_level(level, [0; 4], input, output),
        _ => unshuffle_level(level, [0; 8], input, output),
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

/// The size of elements as a type, so that there is a function for each.
trait Sized8: Copy {
    const BYTES: usize;
}

impl<const N: usize> Sized8 for [u8; N] {
    const BYTES: usize = N;
}

per_level! {
    fn shuffle_level<E: Sized8>(element: E, input: &[u8], output: &mut [u8])
        = shuffle_body::<bits::Portable, _> | shuffle_body::<bits::Avx2, _> | shuffle_body::<bits::Avx512, _>;
}

per_level! {
    fn unshuffle_level<E: Sized8>(element: E, input: &[u8], output: &mut [u8])
        = unshuffle_body::<bits::Portable, _> | unshuffle_body::<bits::Avx2, _> | unshuffle_body::<bits::Avx512, _>;
}

/// The bytes of 64 elements, the first bytes of all, then the second ones …
type Planes = [[u8; STEP]; 8];

#[inline(always)]
fn shuffle_body<B: Bits, E: Sized8>(_: E, input: &[u8], output: &mut [u8]) {
    let row = input.len() / E::BYTES / 8;
    let mut planes: Planes = [[0; STEP]; 8];
    for (step, elements) in input.chunks(STEP * E::BYTES).enumerate() {
        if elements.len() == STEP * E::BYTES {
            take_apart::<E>(elements, STEP, &mut planes);
        } else {
            // It has zeros, or what was there before, behind it.
            take_apart::<E>(elements, elements.len() / E::BYTES, &mut planes);
        }
        for (plane, rows) in planes.iter().zip(output.chunks_exact_mut(8 * row)) {
            for (word, row) in B::turn(plane).into_iter().zip(rows.chunks_exact_mut(row)) {
                let to = &mut row[8 * step..];
                match to.first_chunk_mut() {
                    Some(to) => *to = word.to_le_bytes(),
                    None => to.copy_from_slice(&word.to_le_bytes()[..to.len()]),
                }
            }
        }
    }
}

#[inline(always)]
fn unshuffle_body<B: Bits, E: Sized8>(_: E, input: &[u8], output: &mut [u8]) {
    let row = input.len() / E::BYTES / 8;
    let mut planes: Planes = [[0; STEP]; 8];
    for (step, elements) in output.chunks_mut(STEP * E::BYTES).enumerate() {
        for (plane, rows) in planes.iter_mut().zip(input.chunks_exact(8 * row)) {
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
        if elements.len() == STEP * E::BYTES {
            put_together::<E>(&planes, STEP, elements);
        } else {
            put_together::<E>(&planes, elements.len() / E::BYTES, elements);
        }
    }
}

/// The bytes of `count` elements to their planes. A number that the compiler knows makes vectors of the loop.
#[inline(always)]
fn take_apart<E: Sized8>(elements: &[u8], count: usize, planes: &mut Planes) {
    let elements = &elements[..count * E::BYTES];
    for i in 0..count {
        for byte in 0..E::BYTES {
            planes[byte][i] = elements[i * E::BYTES + byte];
        }
    }
}

/// The inverse of [`take_apart`].
#[inline(always)]
fn put_together<E: Sized8>(planes: &Planes, count: usize, elements: &mut [u8]) {
    for i in 0..count {
        for byte in 0..E::BYTES {
            elements[i * E::BYTES + byte] = planes[byte][i];
        }
    }
}
