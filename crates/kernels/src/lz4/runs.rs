//! Blocks whose matches all repeat the byte before them, as [`encode_runs`](super::encode_runs) writes them.
//! A match is then a fill, which waits for nothing that was just written.

use super::{MIN_MATCH, length};

/// Bytes that are written together. Surplus bytes are overwritten by the next ones.
const CHUNK: usize = 64;
/// The bytes of the distance of a match, which is 1 here.
const ONE: [u8; 2] = 1u16.to_le_bytes();

/// Unpacks a block of runs to the start of `output`, and gives the number of bytes. The bytes behind them are
/// undefined.
///
/// `None` if the block is damaged, holds more than `output` has room for, or has a match of another distance than 1:
/// a decoder of all LZ4 blocks has to say which of them.
///
/// ```
/// use livetime_kernels::lz4;
/// let mut bytes = [0; 100];
/// assert_eq!(lz4::decode_runs(&[0x1f, 7, 1, 0, 94 - 4 - 15, 0x50, 7, 7, 7, 7, 7], &mut bytes), Some(100));
/// assert_eq!(bytes, [7; 100]);
/// // A match of the two bytes before it.
/// assert_eq!(lz4::decode_runs(&[0x20, 7, 8, 2, 0, 0x50, 7, 7, 7, 7, 7], &mut bytes), None);
/// ```
pub fn decode_runs(input: &[u8], output: &mut [u8]) -> Option<usize> {
    let (mut at, mut made) = (0, 0);
    loop {
        let token = usize::from(*input.get(at)?);
        at += 1;
        let literals = length(token >> 4, input, &mut at)?;
        copy(input.get(at..)?, literals, output.get_mut(made..)?)?;
        at += literals;
        made += literals;
        let Some(distance) = input.get(at..)?.first_chunk() else {
            // The last sequence is only literals.
            return (at == input.len()).then_some(made);
        };
        if *distance != ONE {
            return None;
        }
        at += ONE.len();
        let matched = length(token & 15, input, &mut at)?.checked_add(MIN_MATCH)?;
        // A match at the start has no byte to repeat.
        let byte = *output.get(made.checked_sub(1)?)?;
        fill(byte, matched, output.get_mut(made..)?)?;
        made += matched;
    }
}

#[inline(always)]
fn copy(from: &[u8], count: usize, to: &mut [u8]) -> Option<()> {
    if count <= CHUNK
        && let (Some(from), Some(to)) = (from.first_chunk::<CHUNK>(), to.first_chunk_mut::<CHUNK>())
    {
        *to = *from;
        return Some(());
    }
    to.get_mut(..count)?.copy_from_slice(from.get(..count)?);
    Some(())
}

#[inline(always)]
fn fill(byte: u8, count: usize, to: &mut [u8]) -> Option<()> {
    match to.first_chunk_mut::<CHUNK>() {
        Some(to) if count <= CHUNK => *to = [byte; CHUNK],
        _ => to.get_mut(..count)?.fill(byte),
    }
    Some(())
}
