//! Byte shuffle: the first bytes of all elements, then the second ones … as Blosc and the HDF5 library do it. Bytes that hardly
//! change then lie together.

#[cfg(test)]
mod tests;

use crate::{LengthError, Level};

/// Elements of a step.
const STEP: usize = 64;

/// Sorts the bytes of elements of `size` bytes: byte `b` of element `i` goes to byte `b · n + i`, `n` being the number of elements.
/// Elements of 2, 4, 8 and 16 bytes are quickest.
///
/// # Errors
/// [`LengthError`] if `size` is 0, `input` is no whole number of elements, or `output` is not as long as `input`.
///
/// ```
/// use livetime_kernels::{Level, byteshuffle};
/// let mut out = [0; 6];
/// byteshuffle::shuffle(Level::best(), 2, &[1, 9, 2, 9, 3, 9], &mut out)?;
/// assert_eq!(out, [1, 2, 3, 9, 9, 9]);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn shuffle(level: Level, size: usize, input: &[u8], output: &mut [u8]) -> Result<(), LengthError> {
    check(size, input.len(), output.len())?;
    match size {
        2 => shuffle_level(level, [0; 2], input, output),
        4 => shuffle_level(level, [0; 4], input, output),
        8 => shuffle_level(level, [0; 8], input, output),
        16 => shuffle_level(level, [0; 16], input, output),
        _ => turn(size, input.len() / size, input, output),
    }
    Ok(())
}

/// The inverse of [`shuffle`], with its errors.
pub fn unshuffle(level: Level, size: usize, input: &[u8], output: &mut [u8]) -> Result<(), LengthError> {
    check(size, input.len(), output.len())?;
    match size {
        2 => unshuffle_level(level, [0; 2], input, output),
        4 => unshuffle_level(level, [0; 4], input, output),
        8 => unshuffle_level(level, [0; 8], input, output),
        16 => unshuffle_level(level, [0; 16], input, output),
        _ => turn(input.len() / size, size, input, output),
    }
    Ok(())
}

fn check(size: usize, input: usize, output: usize) -> Result<(), LengthError> {
    if size == 0 {
        return Err(LengthError { what: "size of an element", len: size, expected: 1 });
    }
    LengthError::check("input", input, input / size * size)?;
    LengthError::check("output", output, input)
}

per_level! {
    fn shuffle_level<E: Element>(element: E, input: &[u8], output: &mut [u8]) = shuffle_body;
}

per_level! {
    fn unshuffle_level<E: Element>(element: E, input: &[u8], output: &mut [u8]) = unshuffle_body;
}

/// The size of elements as a type, so that there is a function for each.
trait Element: Copy {
    const BYTES: usize;
}

impl<const N: usize> Element for [u8; N] {
    const BYTES: usize = N;
}

#[inline(always)]
fn shuffle_body<E: Element>(_: E, input: &[u8], output: &mut [u8]) {
    let count = input.len() / E::BYTES;
    for (step, elements) in input.chunks(STEP * E::BYTES).enumerate() {
        for (byte, plane) in output.chunks_exact_mut(count).enumerate() {
            let plane = &mut plane[STEP * step..];
            // A number that the compiler knows makes vectors of the loop.
            let here = if elements.len() == STEP * E::BYTES { STEP } else { elements.len() / E::BYTES };
            for (i, to) in plane[..here].iter_mut().enumerate() {
                *to = elements[i * E::BYTES + byte];
            }
        }
    }
}

#[inline(always)]
fn unshuffle_body<E: Element>(_: E, input: &[u8], output: &mut [u8]) {
    let count = input.len() / E::BYTES;
    for (step, elements) in output.chunks_mut(STEP * E::BYTES).enumerate() {
        let here = elements.len() / E::BYTES;
        for (i, element) in elements.chunks_exact_mut(E::BYTES).enumerate().take(here) {
            for (byte, to) in element.iter_mut().enumerate() {
                *to = input[byte * count + STEP * step + i];
            }
        }
    }
}

/// `rows` rows of `columns` bytes become columns.
fn turn(columns: usize, rows: usize, input: &[u8], output: &mut [u8]) {
    for (column, to) in output.chunks_exact_mut(rows.max(1)).enumerate() {
        for (to, from) in to.iter_mut().zip(input[column..].iter().step_by(columns)) {
            *to = *from;
        }
    }
}
