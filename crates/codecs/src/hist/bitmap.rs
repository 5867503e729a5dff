//! The map in a stream: plain, or with runs of words whose pixels are all in the window.

use super::{Flag, plain_words};
use crate::CodecError;
use crate::stream::{Reader, Writer};

/// A word of the map whose pixels are all in the window, and the longest run of such words that a count holds.
const ALL_IN: u16 = 0xFFFF;
const LONGEST_RUN: usize = 0xFFFF;

/// Writes the map of `pixels` pixels with its length: with runs if that is shorter. `pairs` is working memory.
pub(crate) fn write_map(map: &[u16], pixels: usize, pairs: &mut Vec<Pair>, stream: &mut Writer<'_>) -> Flag {
    let plain = plain_words(pixels);
    let runs = find_runs(map, plain, pairs);
    let words = runs.map_or(plain, |pairs| 2 * pairs);
    stream.put(&(words as u32).to_le_bytes());
    if let Some(count) = runs {
        stream.put(pairs[..count].as_flattened());
        return Flag::RunLengthMap;
    }
    let to = &mut stream.rest()[..2 * plain];
    let (to, unused) = to.split_at_mut(2 * map.len());
    to.as_chunks_mut().0.iter_mut().zip(map).for_each(|(to, word)| *to = word.to_le_bytes());
    unused.fill(0);
    stream.skip(2 * plain);
    Flag::PlainMap
}

/// A count and a word that comes so often, little-endian.
pub(crate) type Pair = [u8; 4];

/// The number of words that are examined together.
const CHUNK: usize = 64;

/// Finds the pairs; gives their number, `None` if they have as many words as the plain map, or more.
fn find_runs(map: &[u16], plain: usize, pairs: &mut Vec<Pair>) -> Option<usize> {
    // A word becomes two pairs at most: the run before it, and itself.
    pairs.resize(plain / 2 + 2 * CHUNK + 2, [0; 4]);
    let (mut found, mut run) = (0, 0);
    for words in map.chunks(CHUNK) {
        if 2 * found >= plain {
            return None;
        }
        let mut others = others(words);
        let mut done = 0;
        while others != 0 {
            let next = others.trailing_zeros() as usize;
            others &= others - 1;
            run = shorten(run + next - done, &mut found, pairs);
            // Written always and counted where it is a run, which is faster than asking.
            pairs[found] = pair(run, ALL_IN);
            found += usize::from(run > 0);
            pairs[found] = pair(1, words[next]);
            found += 1;
            (run, done) = (0, next + 1);
        }
        run = shorten(run + words.len() - done, &mut found, pairs);
    }
    pairs[found] = pair(run, ALL_IN);
    found += usize::from(run > 0);
    (2 * found < plain).then_some(found)
}

/// Writes the part of a run that is too long for one pair.
#[inline(always)]
fn shorten(run: usize, found: &mut usize, pairs: &mut [Pair]) -> usize {
    if run <= LONGEST_RUN {
        return run;
    }
    pairs[*found] = pair(LONGEST_RUN, ALL_IN);
    *found += 1;
    run - LONGEST_RUN
}

fn pair(count: usize, word: u16) -> Pair {
    (count as u32 | u32::from(word) << 16).to_le_bytes()
}

/// A bit for each of at most 64 words that has a pixel outside the window.
fn others(words: &[u16]) -> u64 {
    let mut flags = [0u8; 64];
    for (flag, word) in flags.iter_mut().zip(words) {
        *flag = u8::from(*word != ALL_IN);
    }
    let gather = |bytes: &[u8; 8]| u64::from_le_bytes(*bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    flags.as_chunks().0.iter().rev().fold(0, |bits, bytes| bits << 8 | gather(bytes))
}

/// Words beyond the map that may be written.
const SLACK: usize = 16;

/// Reads the words of a map of `pixels` pixels to the start of `map`. Further words of the stream are ignored.
pub(crate) fn read_map(
    stream: &mut Reader<'_>,
    flag: Flag,
    pixels: usize,
    map: &mut Vec<u16>,
) -> Result<(), CodecError> {
    let wanted = pixels.div_ceil(16);
    let words = stream.u32("length of the map")? as usize;
    let bytes = stream.take(words.saturating_mul(2), "words of the map")?;
    // As long as the pixels of the caller need, not as the stream says.
    map.resize(wanted + SLACK, 0);
    let found = match flag {
        Flag::RunLengthMap => read_runs(bytes, wanted, map),
        _ => {
            let words = bytes.as_chunks().0;
            map.iter_mut().zip(words).for_each(|(to, word)| *to = u16::from_le_bytes(*word));
            words.len()
        }
    };
    if found < wanted { Err(stream.damaged("words of the map", wanted as u64, found as u64)) } else { Ok(()) }
}

/// Gives the number of words that were found, which may be more than were wanted.
fn read_runs(bytes: &[u8], wanted: usize, map: &mut [u16]) -> usize {
    let mut at = 0;
    for pair in bytes.as_chunks::<4>().0 {
        let (count, word) = (usize::from(u16::from_le_bytes([pair[0], pair[1]])), [pair[2], pair[3]]);
        let word = u16::from_le_bytes(word);
        // Most runs are short: always sixteen words, without asking how many.
        if let Some(to) = map.get_mut(at..at + SLACK) {
            to.fill(word);
        }
        if count > SLACK {
            let end = (at + count).min(wanted);
            map[at.min(end)..end].fill(word);
        }
        at += count;
        if at >= wanted {
            break;
        }
    }
    at
}
