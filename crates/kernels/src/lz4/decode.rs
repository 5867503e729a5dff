//! From LZ4 blocks to bytes. Mostly a few bytes are to be copied, and to copy some more behind them is quicker than to ask how many:
//! what is too much is written over by what comes next.

use super::MIN_MATCH;

/// Bytes that are copied together: of matches, of a few literals, of more literals, of long matches.
const WORD: usize = 8;
const FEW: usize = 16;
const SOME: usize = 32;
const MORE: usize = 64;
/// More bytes than this are worth a call.
const LONG: usize = 512;

/// Unpacks an LZ4 block of any encoder to the start of `output`, and gives the number of bytes; `None` if it is none, or holds more
/// than `output` has room for. What lies behind them is undefined.
///
/// ```
/// use livetime_kernels::lz4;
/// let mut bytes = [0; 100];
/// assert_eq!(lz4::decode(&[0x1f, 7, 1, 0, 94 - 4 - 15, 0x50, 7, 7, 7, 7, 7], &mut bytes), Some(100));
/// assert_eq!(bytes, [7; 100]);
/// // A match of bytes before the first one.
/// assert_eq!(lz4::decode(&[0x10, 7, 2, 0, 0], &mut bytes), None);
/// ```
pub fn decode(input: &[u8], output: &mut [u8]) -> Option<usize> {
    let (mut at, mut made) = (0, 0);
    loop {
        let token = usize::from(*input.get(at)?);
        at += 1;
        let literals = length(token >> 4, input, &mut at)?;
        copy_literals(input.get(at..)?, literals, output.get_mut(made..)?)?;
        at += literals;
        made += literals;
        let Some(distance) = input.get(at..)?.first_chunk() else {
            // The last sequence is only literals.
            return (at == input.len()).then_some(made);
        };
        at += distance.len();
        let distance = usize::from(u16::from_le_bytes(*distance));
        let matched = length(token & 15, input, &mut at)?.checked_add(MIN_MATCH)?;
        repeat(output, made, distance, matched)?;
        made += matched;
        // Runs of one byte, as bitshuffle leaves them, come together; so do other matches.
        while distance > 1
            && let Some((read, written)) = short_sequence(&input[at..], output, made)
        {
            at += read;
            made += written;
        }
    }
}

/// A sequence whose lengths are in its token, far from both ends: without any other question. Gives the bytes read and written.
#[inline(always)]
fn short_sequence(input: &[u8], output: &mut [u8], made: usize) -> Option<(usize, usize)> {
    let input = input.first_chunk::<{ 1 + FEW + 2 }>()?;
    let token = usize::from(input[0]);
    let (literals, matched) = (token >> 4, token & 15);
    let distance = usize::from(u16::from_le_bytes([input[1 + literals], input[2 + literals]]));
    let at = made + literals;
    let from = at.checked_sub(distance)?;
    if literals == 15 || matched == 15 || distance == 0 {
        return None;
    }
    let to = output.get_mut(..at + SOME)?;
    to[made..made + FEW].copy_from_slice(&input[1..1 + FEW]);
    // Three words for at most 18 bytes; of a pattern, at least 5 bytes each.
    if distance >= WORD {
        copy_word(to, from, at);
        if matched > WORD - MIN_MATCH {
            copy_word(to, from + WORD, at + WORD);
            copy_word(to, from + 2 * WORD, at + 2 * WORD);
        }
    } else {
        store_pattern::<4>(to, at, distance);
    }
    Some((1 + literals + 2, literals + matched + MIN_MATCH))
}

/// A length whose half of the token is `short`.
#[inline(always)]
fn length(short: usize, input: &[u8], at: &mut usize) -> Option<usize> {
    let mut length = short;
    if short == 15 {
        loop {
            let more = *input.get(*at)?;
            *at += 1;
            length = length.checked_add(more.into())?;
            if more < 255 {
                break;
            }
        }
    }
    Some(length)
}

#[inline(always)]
fn copy_literals(from: &[u8], count: usize, to: &mut [u8]) -> Option<()> {
    if count <= SOME
        && let (Some(from), Some(to)) = (from.first_chunk::<SOME>(), to.first_chunk_mut::<SOME>())
    {
        *to = *from;
        return Some(());
    }
    to.get_mut(..count)?.copy_from_slice(from.get(..count)?);
    Some(())
}

/// Writes `count` bytes from `at` on, each as the one `distance` before it.
#[inline(always)]
fn repeat(output: &mut [u8], at: usize, distance: usize, count: usize) -> Option<()> {
    let from = at.checked_sub(distance).filter(|_| distance > 0)?;
    let end = at.checked_add(count).filter(|end| *end <= output.len())?;
    if distance == 1 {
        let byte = output[from];
        match output[at..].first_chunk_mut::<SOME>() {
            Some(to) if count <= SOME => *to = [byte; SOME],
            _ => output[at..end].fill(byte),
        }
    } else if count > LONG || end + MORE > output.len() {
        repeat_slowly(output, at, distance, end);
    } else if distance >= WORD {
        for i in (0..count).step_by(MORE) {
            (i..i + MORE).step_by(WORD).for_each(|i| copy_word(output, from + i, at + i));
        }
    } else {
        let mut at = at;
        while at < end {
            at += store_pattern::<{ MORE / WORD }>(output, at, distance);
        }
    }
    Some(())
}

#[inline(always)]
fn copy_word(bytes: &mut [u8], from: usize, to: usize) {
    bytes.copy_within(from..from + WORD, to);
}

/// Repeats the `distance` bytes before `at`, fewer than a word, `N` times as often as a word holds them, and gives how many bytes that
/// makes. Writes up to `N` words.
#[inline(always)]
fn store_pattern<const N: usize>(bytes: &mut [u8], at: usize, distance: usize) -> usize {
    /// Bytes of as many whole patterns as a word holds.
    const WHOLE: [usize; WORD] = [0, 8, 8, 6, 8, 5, 6, 7];
    let mut word = [0; WORD];
    word.copy_from_slice(&bytes[at - distance..at - distance + WORD]);
    let bits = 8 * distance as u32;
    let mut pattern = u64::from_le_bytes(word) & !(u64::MAX << bits);
    for doubled in 0..3 {
        pattern |= pattern.checked_shl(bits << doubled).unwrap_or(0);
    }
    let step = WHOLE[distance];
    for at in (0..N).map(|i| at + i * step) {
        bytes[at..at + WORD].copy_from_slice(&pattern.to_le_bytes());
    }
    N * step
}

/// Copies what there is, which becomes longer each time.
fn repeat_slowly(output: &mut [u8], mut at: usize, distance: usize, end: usize) {
    let from = at - distance;
    while at < end {
        let count = (at - from).min(end - at);
        output.copy_within(from..from + count, at);
        at += count;
    }
}
