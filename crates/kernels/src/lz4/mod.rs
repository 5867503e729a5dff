//! LZ4 blocks, written for bit-shuffled data: rows of noise, and runs of equal bytes, which are nearly the
//! only matches.
//!
//! ```text
//! sequence   token: number of literals in the upper half, length of the match less 4 in the lower half
//!            (15 and more: bytes of 255 and a smaller one follow) | literals | distance of the match: u16 | length
//! ```
//!
//! The last sequence is only literals. The format wants the last match to start 12 bytes before the end at the latest, and the last 5
//! bytes to be literals. (Yann Collet, "LZ4 Block Format Description".)

mod runs;
#[cfg(test)]
mod tests;

pub use runs::decode_runs;

use std::ops::Range;

use crate::bits::{self, Bits};
use crate::{LengthError, Level};

/// Bytes of a match that its token does not count.
const MIN_MATCH: usize = 4;
/// A shorter match saves less room than it takes time.
const SHORTEST: usize = 6;
/// Bytes before the end where no match starts any more.
const LAST_START: usize = 12;
/// Literals at the end.
const LAST_LITERALS: usize = 5;
/// Bytes that are looked at together.
const WINDOW: usize = 64;

/// The most bytes that a block of `bytes` bytes takes.
///
/// ```
/// assert_eq!(livetime_kernels::lz4::bound(1000), 1019);
/// ```
pub const fn bound(bytes: usize) -> usize {
    bytes + bytes / 255 + 16
}

/// Packs `input` as an LZ4 block whose only matches repeat the byte before them, and gives its size.
///
/// # Errors
/// [`LengthError`] if `output` is shorter than [`bound`].
///
/// ```
/// use livetime_kernels::{Level, lz4};
/// let mut block = [0; lz4::bound(100)];
/// let size = lz4::encode_runs(Level::best(), &[7; 100], &mut block)?;
/// // One literal, a match of 94 bytes at distance 1, five literals.
/// assert_eq!(block[..size], [0x1f, 7, 1, 0, 94 - 4 - 15, 0x50, 7, 7, 7, 7, 7]);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn encode_runs(level: Level, input: &[u8], output: &mut [u8]) -> Result<usize, LengthError> {
    let expected = bound(input.len());
    if output.len() < expected {
        return Err(LengthError { what: "output", len: output.len(), expected });
    }
    Ok(encode_level(level, input, output))
}

per_level! {
    fn encode_level(input: &[u8], output: &mut [u8]) -> usize
        = body::<bits::Portable> | body::<bits::Avx2> | body::<bits::Avx512>;
}

#[inline(always)]
fn body<B: Bits>(input: &[u8], output: &mut [u8]) -> usize {
    let last_start = input.len().saturating_sub(LAST_START);
    // No byte is before the first.
    let (mut literals, mut written, mut at) = (0, 0, 1);
    while at < last_start && input.len() > WINDOW {
        // The last window ends with the input; bytes that an earlier window has handled are left out.
        let base = at.min(input.len() - WINDOW);
        let equal = equal_to_before::<B>(input, base) & (u64::MAX << (at - base));
        let mut starts = long_runs(equal);
        // A run that is too short at the end of this window may go on in the next one.
        at = base + WINDOW - (SHORTEST - 1);
        while starts != 0 {
            let first = starts.trailing_zeros();
            let length = (equal >> first).trailing_ones();
            let (start, mut end) = (base + first as usize, base + (first + length) as usize);
            if start >= last_start {
                break;
            }
            // A run to the end of the window leaves nothing: a shift by 64 bits.
            starts &= u64::MAX.unbounded_shl(first + length);
            if first + length == u64::BITS {
                end = run_end::<B>(input, end);
                at = end;
            }
            // A match that started in time still keeps `SHORTEST` bytes.
            let end = end.min(input.len() - LAST_LITERALS);
            written += put_sequence(input, literals..start, end - start, &mut output[written..]);
            literals = end;
        }
    }
    written + put_literals(input, literals..input.len(), 0, &mut output[written..])
}

/// A bit for each of the bytes from `at` on: whether it is equal to the one before.
#[inline(always)]
fn equal_to_before<B: Bits>(input: &[u8], at: usize) -> u64 {
    let (now, before) = (&input[at..at + WINDOW], &input[at - 1..at - 1 + WINDOW]);
    let mut equal = [0; WINDOW];
    for i in 0..WINDOW {
        equal[i] = if now[i] == before[i] { 0xff } else { 0 };
    }
    B::highest(&equal)
}

/// The bits at which a run of ones starts that is long enough for a match.
#[inline(always)]
fn long_runs(equal: u64) -> u64 {
    // A one that is left has 2, then 4, then 6 ones from its place on.
    let pairs = equal & (equal >> 1);
    let fours = pairs & (pairs >> 2);
    fours & (fours >> (SHORTEST - 4))
}

/// Where the run ends that has come as far as byte `at`.
#[inline(always)]
fn run_end<B: Bits>(input: &[u8], mut at: usize) -> usize {
    while at + WINDOW <= input.len() {
        let equal = equal_to_before::<B>(input, at).trailing_ones() as usize;
        at += equal;
        if equal < WINDOW {
            return at;
        }
    }
    at + input[at..].iter().take_while(|byte| **byte == input[at - 1]).count()
}

/// Literals, and a match of `length` bytes that repeats the last literal.
#[inline(always)]
fn put_sequence(input: &[u8], literals: Range<usize>, length: usize, output: &mut [u8]) -> usize {
    // No match is shorter than `SHORTEST`, which is more.
    let length = length - MIN_MATCH;
    let at = put_literals(input, literals, length.min(15) as u8, output);
    output[at..at + 2].copy_from_slice(&1u16.to_le_bytes());
    at + 2 + put_length(length, &mut output[at + 2..])
}

/// The token with the low half `low`, and literals.
#[inline(always)]
fn put_literals(input: &[u8], literals: Range<usize>, low: u8, output: &mut [u8]) -> usize {
    let count = literals.len();
    output[0] = (count.min(15) as u8) << 4 | low;
    let at = 1 + put_length(count, &mut output[1..]);
    // Mostly there are few, and to copy some more behind them is quicker than to ask how many.
    let some = input[literals.start..].first_chunk::<WINDOW>().filter(|_| count <= WINDOW);
    match (some, output[at..].first_chunk_mut::<WINDOW>()) {
        (Some(from), Some(to)) => *to = *from,
        _ => output[at..at + count].copy_from_slice(&input[literals]),
    }
    at + count
}

/// The part of a length that a token does not hold: nothing below 15, else bytes of 255 and a smaller one.
#[inline(always)]
fn put_length(length: usize, output: &mut [u8]) -> usize {
    // Written in any case, as it cannot be foretold whether it is needed; something always follows.
    output[0] = length.wrapping_sub(15) as u8;
    if length < 15 + 255 {
        return usize::from(length >= 15);
    }
    let whole = (length - 15) / 255;
    output[..whole].fill(255);
    output[whole] = ((length - 15) % 255) as u8;
    whole + 1
}

/// A length whose half of the token is `short`.
#[inline(always)]
fn length(short: usize, input: &[u8], at: &mut usize) -> Option<usize> {
    let mut length = short;
    if short == 15 {
        loop {
            let more = *input.get(*at)?;
            *at += 1;
            // A damaged block may go on with 255 for ever.
            length = length.checked_add(more.into())?;
            if more < 255 {
                break;
            }
        }
    }
    Some(length)
}
