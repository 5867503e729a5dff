//! Bitshuffle: the lowest bits of all elements first, then the next ones, as the HDF5 filter 32008 does it
//! (Masui et al., Astronomy and Computing 12, 2015). Bits that hardly change then lie together.

#[cfg(test)]
mod tests;

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

/// Makes a function for each size of elements.
trait Sized8: Copy {
    const BYTES: usize;
}

impl<const N: usize> Sized8 for [u8; N] {
    const BYTES: usize = N;
}

per_level! {
    fn shuffle_level<E: Sized8>(element: E, input: &[u8], output: &mut [u8]) = shuffle_body;
}

per_level! {
    fn unshuffle_level<E: Sized8>(element: E, input: &[u8], output: &mut [u8]) = unshuffle_body;
}

#[inline(always)]
fn shuffle_body<E: Sized8>(_: E, input: &[u8], output: &mut [u8]) {
    let row = input.len() / E::BYTES / 8;
    let steps = input.chunks_exact(STEP * E::BYTES);
    let rest = steps.remainder();
    for (step, elements) in steps.enumerate() {
        for byte in 0..E::BYTES {
            let mut words = [0; 8];
            for (j, word) in words.iter_mut().enumerate() {
                *word = gather::<E>(&elements[8 * j * E::BYTES..], byte);
            }
            turn_bits(&mut words);
            turn_bytes(&mut words);
            for (bit, word) in words.iter().enumerate() {
                let at = (8 * byte + bit) * row + 8 * step;
                output[at..at + 8].copy_from_slice(&word.to_le_bytes());
            }
        }
    }
    let done = row / 8 * 8;
    for (i, elements) in rest.chunks_exact(8 * E::BYTES).enumerate() {
        for byte in 0..E::BYTES {
            let mut words = [gather::<E>(elements, byte); 1];
            turn_bits(&mut words);
            for (bit, value) in words[0].to_le_bytes().into_iter().enumerate() {
                output[(8 * byte + bit) * row + done + i] = value;
            }
        }
    }
}

#[inline(always)]
fn unshuffle_body<E: Sized8>(_: E, input: &[u8], output: &mut [u8]) {
    let row = input.len() / E::BYTES / 8;
    let mut steps = output.chunks_exact_mut(STEP * E::BYTES);
    for (step, elements) in steps.by_ref().enumerate() {
        for byte in 0..E::BYTES {
            let mut words = [0; 8];
            for (bit, word) in words.iter_mut().enumerate() {
                let at = (8 * byte + bit) * row + 8 * step;
                *word = u64::from_le_bytes(input[at..at + 8].first_chunk().copied().unwrap_or_default());
            }
            turn_bytes(&mut words);
            turn_bits(&mut words);
            for (j, word) in words.into_iter().enumerate() {
                scatter::<E>(word, &mut elements[8 * j * E::BYTES..], byte);
            }
        }
    }
    let done = row / 8 * 8;
    for (i, elements) in steps.into_remainder().chunks_exact_mut(8 * E::BYTES).enumerate() {
        for byte in 0..E::BYTES {
            let mut bytes = [0; 8];
            for (bit, value) in bytes.iter_mut().enumerate() {
                *value = input[(8 * byte + bit) * row + done + i];
            }
            let mut words = [u64::from_le_bytes(bytes)];
            turn_bits(&mut words);
            scatter::<E>(words[0], elements, byte);
        }
    }
}

/// One byte of each of eight elements.
#[inline(always)]
fn gather<E: Sized8>(elements: &[u8], byte: usize) -> u64 {
    let elements = &elements[..8 * E::BYTES];
    u64::from_le_bytes(std::array::from_fn(|i| elements[i * E::BYTES + byte]))
}

#[inline(always)]
fn scatter<E: Sized8>(word: u64, elements: &mut [u8], byte: usize) {
    let elements = &mut elements[..8 * E::BYTES];
    for (i, value) in word.to_le_bytes().into_iter().enumerate() {
        elements[i * E::BYTES + byte] = value;
    }
}

/// In every word: bit `i` of byte `b` changes places with bit `b` of byte `i` (Warren, Hacker's Delight, 7-3).
#[inline(always)]
fn turn_bits<const N: usize>(words: &mut [u64; N]) {
    for word in words {
        for (shift, mask) in [(7, 0x00AA_00AA_00AA_00AA), (14, 0x0000_CCCC_0000_CCCC), (28, 0xF0F0_F0F0)] {
            let swap = (*word ^ (*word >> shift)) & mask;
            *word ^= swap ^ (swap << shift);
        }
    }
}

/// Byte `i` of word `j` changes places with byte `j` of word `i`.
#[inline(always)]
fn turn_bytes(words: &mut [u64; 8]) {
    for (distance, low) in [(4, 0x0000_0000_FFFF_FFFF), (2, 0x0000_FFFF_0000_FFFF), (1, 0x00FF_00FF_00FF_00FF)] {
        for i in (0..8).filter(|i| i & distance == 0) {
            let (a, b) = (words[i], words[i + distance]);
            let swap = ((a >> (8 * distance)) ^ b) & low;
            words[i] = a ^ (swap << (8 * distance));
            words[i + distance] = b ^ swap;
        }
    }
}
