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

/// The size of elements as a type, so that there is a function for each.
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

/// The bytes of 64 elements, the first bytes of all, then the second ones …
type Planes = [[u8; STEP]; 8];

#[inline(always)]
fn shuffle_body<E: Sized8>(_: E, input: &[u8], output: &mut [u8]) {
    let row = input.len() / E::BYTES / 8;
    let mut planes: Planes = [[0; STEP]; 8];
    for (step, elements) in input.chunks(STEP * E::BYTES).enumerate() {
        // The last step may be shorter; it has zeros behind it.
        for (i, element) in elements.chunks_exact(E::BYTES).enumerate() {
            for byte in 0..E::BYTES {
                planes[byte][i] = element[byte];
            }
        }
        let columns = elements.len() / E::BYTES / 8;
        for (byte, plane) in planes[..E::BYTES].iter().enumerate() {
            let mut words = words_of(plane);
            turn_bits(&mut words);
            turn_bytes(&mut words);
            for (bit, word) in words.iter().enumerate() {
                let at = (8 * byte + bit) * row + 8 * step;
                if let Some(to) = output[at..].first_chunk_mut().filter(|_| columns == 8) {
                    *to = word.to_le_bytes();
                } else {
                    output[at..at + columns].copy_from_slice(&word.to_le_bytes()[..columns]);
                }
            }
        }
    }
}

#[inline(always)]
fn unshuffle_body<E: Sized8>(_: E, input: &[u8], output: &mut [u8]) {
    let row = input.len() / E::BYTES / 8;
    let mut planes: Planes = [[0; STEP]; 8];
    for (step, elements) in output.chunks_mut(STEP * E::BYTES).enumerate() {
        let columns = elements.len() / E::BYTES / 8;
        for (byte, plane) in planes[..E::BYTES].iter_mut().enumerate() {
            let mut words = [0; 8];
            for (bit, word) in words.iter_mut().enumerate() {
                let from = &input[(8 * byte + bit) * row + 8 * step..];
                let mut bytes = [0; 8];
                match from.first_chunk().filter(|_| columns == 8) {
                    Some(from) => bytes = *from,
                    None => bytes[..columns].copy_from_slice(&from[..columns]),
                }
                *word = u64::from_le_bytes(bytes);
            }
            turn_bytes(&mut words);
            turn_bits(&mut words);
            for (to, word) in plane.as_chunks_mut().0.iter_mut().zip(words) {
                *to = word.to_le_bytes();
            }
        }
        for (i, element) in elements.chunks_exact_mut(E::BYTES).enumerate() {
            for byte in 0..E::BYTES {
                element[byte] = planes[byte][i];
            }
        }
    }
}

#[inline(always)]
fn words_of(plane: &[u8; STEP]) -> [u64; 8] {
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zip(plane.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
}

/// In every word: bit `i` of byte `b` changes places with bit `b` of byte `i` (Warren, Hacker's Delight, 7-3).
#[inline(always)]
fn turn_bits(words: &mut [u64; 8]) {
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
    exchange::<4>(words, 0x0000_0000_FFFF_FFFF);
    exchange::<2>(words, 0x0000_FFFF_0000_FFFF);
    exchange::<1>(words, 0x00FF_00FF_00FF_00FF);
}

/// High parts of words change places with the low parts of the words `DISTANCE` further on.
#[inline(always)]
fn exchange<const DISTANCE: usize>(words: &mut [u64; 8], low: u64) {
    for pair in 0..4 {
        let i = pair / DISTANCE * 2 * DISTANCE + pair % DISTANCE;
        let (a, b) = (words[i], words[i + DISTANCE]);
        let swap = ((a >> (8 * DISTANCE)) ^ b) & low;
        words[i] = a ^ (swap << (8 * DISTANCE));
        words[i + DISTANCE] = b ^ swap;
    }
}
