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
    fn shuffle_level<E: Element>(element: E, input: &[u8], output: &mut [u8]) = Element::shuffle;
}

per_level! {
    fn unshuffle_level<E: Element>(element: E, input: &[u8], output: &mut [u8]) = Element::unshuffle;
}

/// The size of elements as a type, so that there is a function for each.
trait Element: Copy {
    fn shuffle(self, input: &[u8], output: &mut [u8]);
    fn unshuffle(self, input: &[u8], output: &mut [u8]);
}

impl<const N: usize> Element for [u8; N] {
    #[inline(always)]
    fn shuffle(self, input: &[u8], output: &mut [u8]) {
        shuffle_body(self, input, output);
    }

    #[inline(always)]
    fn unshuffle(self, input: &[u8], output: &mut [u8]) {
        unshuffle_body(self, input, output);
    }
}

/// The bytes of the elements of a step, the first bytes of all, then the second ones …
type Planes<const N: usize> = [[u8; STEP]; N];

#[inline(always)]
fn shuffle_body<const N: usize>(_: [u8; N], input: &[u8], output: &mut [u8]) {
    let count = input.len() / N;
    let mut planes: Planes<N> = [[0; STEP]; N];
    let mut steps = input.chunks_exact(STEP * N);
    for (step, elements) in steps.by_ref().enumerate() {
        take_apart(elements, STEP, &mut planes);
        for (plane, to) in planes.iter().zip(output.chunks_exact_mut(count)) {
            if let Some(to) = to[STEP * step..].first_chunk_mut() {
                *to = *plane;
            }
        }
    }
    let rest = steps.remainder().len() / N;
    take_apart(steps.remainder(), rest, &mut planes);
    for (plane, to) in planes.iter().zip(output.chunks_exact_mut(count.max(1))) {
        to[count - rest..].copy_from_slice(&plane[..rest]);
    }
}

#[inline(always)]
fn unshuffle_body<const N: usize>(_: [u8; N], input: &[u8], output: &mut [u8]) {
    let count = output.len() / N;
    let mut planes: Planes<N> = [[0; STEP]; N];
    let mut steps = output.chunks_exact_mut(STEP * N);
    for (step, elements) in steps.by_ref().enumerate() {
        for (plane, from) in planes.iter_mut().zip(input.chunks_exact(count)) {
            if let Some(from) = from[STEP * step..].first_chunk() {
                *plane = *from;
            }
        }
        put_together(&planes, STEP, elements);
    }
    let elements = steps.into_remainder();
    let rest = elements.len() / N;
    for (plane, from) in planes.iter_mut().zip(input.chunks_exact(count.max(1))) {
        plane[..rest].copy_from_slice(&from[count - rest..]);
    }
    put_together(&planes, rest, elements);
}

/// The bytes of `count` elements to their planes. A number that the compiler knows makes vectors of the loop.
#[inline(always)]
fn take_apart<const N: usize>(elements: &[u8], count: usize, planes: &mut Planes<N>) {
    for (byte, plane) in planes.iter_mut().enumerate() {
        for i in 0..count {
            plane[i] = elements[i * N + byte];
        }
    }
}

/// The inverse of [`take_apart`].
#[inline(always)]
fn put_together<const N: usize>(planes: &Planes<N>, count: usize, elements: &mut [u8]) {
    for i in 0..count {
        for byte in 0..N {
            elements[i * N + byte] = planes[byte][i];
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
