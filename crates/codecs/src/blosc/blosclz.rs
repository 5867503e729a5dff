//! BloscLZ: LZ77 of whole bytes, in the format that FastLZ calls its second level.
//!
//! ```text
//! control < 32     control + 1 literals follow. The first control byte stands for literals whatever its upper bits
//! control >= 32    match. Upper 3 bits: length less 2; 7: bytes of 255 and a smaller one follow, to be added.
//!                  Lower 5 bits and the byte behind the length: distance less 1. If all 13 bits are ones:
//!                  u16 big-endian follows, distance less 8192
//! ```
//!
//! The last one is literals.

/// Literals behind one control byte.
const RUN: usize = 32;
/// Distances that are in 13 bits.
const NEAR: usize = 8191;
/// Slightly less than the format allows, as in the original.
const FARTHEST: usize = 73_725;
/// A shorter match from afar saves nothing.
const SHORTEST_FAR: usize = 6;
/// Bytes at the end in which no match starts.
const LAST_START: usize = 12;
/// Bytes at the end that are always literals.
const LAST_LITERALS: usize = 5;
/// The logarithm of the table's length; short streams have a shorter table, because it is cleared for each stream.
const MOST_BITS: u32 = 13;

/// Where the encoder has seen four bytes last.
pub(super) struct Encoder {
    seen: Vec<u32>,
}

impl Encoder {
    /// Takes memory with the first stream.
    pub(super) fn new() -> Encoder {
        Encoder { seen: Vec::new() }
    }

    /// Writes a stream that is shorter than `input`; `None` if it would not be, or `output` has less room.
    pub(super) fn encode(&mut self, input: &[u8], output: &mut [u8]) -> Option<usize> {
        let bits = input.len().max(1).ilog2().clamp(9, MOST_BITS);
        self.seen.clear();
        self.seen.resize(1 << bits, 0);
        let last_start = input.len().checked_sub(LAST_START)?;
        let end = input.len() - LAST_LITERALS;
        let most = output.len().min(input.len() - 1);
        let mut to = Output { bytes: &mut output[..most], at: 0 };
        // The first byte is a literal: a match needs bytes before it.
        let (mut literals, mut at, mut misses) = (0, 1, 0);
        while at < last_start {
            let four = word(input, at)?;
            let slot = &mut self.seen[(four.wrapping_mul(0x9E37_79B1) >> (32 - bits)) as usize];
            let from = std::mem::replace(slot, at as u32) as usize;
            let distance = at - from;
            // The slot may be of another word with the same hash, or empty.
            let is_same = distance <= FARTHEST && word(input, from) == Some(four);
            let length = if is_same { 4 + common(&input[from + 4..], &input[at + 4..end]) } else { 0 };
            if length < 4 || (distance > NEAR && length < SHORTEST_FAR) {
                // Where nothing repeats, matches are searched at fewer and fewer places.
                at += 1 + (misses >> 6);
                misses += 1;
                continue;
            }
            to.put_literals(&input[literals..at])?;
            to.put_match(distance, length)?;
            at += length;
            (literals, misses) = (at, 0);
        }
        to.put_literals(&input[literals..])?;
        // Readers of the format know the second level by this bit.
        *to.bytes.first_mut()? |= 1 << 5;
        Some(to.at)
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes[at..].first_chunk()?))
}

/// Bytes that are equal from the start on.
fn common(a: &[u8], b: &[u8]) -> usize {
    let mut equal = 0;
    for (a, b) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        let differ = eight(a) ^ eight(b);
        if differ != 0 {
            return equal + differ.trailing_zeros() as usize / 8;
        }
        equal += 8;
    }
    equal + a[equal..].iter().zip(&b[equal..]).take_while(|(a, b)| a == b).count()
}

fn eight(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// The bytes written so far; `None` where there is no room for more.
struct Output<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl Output<'_> {
    fn put(&mut self, byte: usize) -> Option<()> {
        *self.bytes.get_mut(self.at)? = byte as u8;
        self.at += 1;
        Some(())
    }

    fn put_literals(&mut self, literals: &[u8]) -> Option<()> {
        for run in literals.chunks(RUN) {
            self.put(run.len() - 1)?;
            self.bytes.get_mut(self.at..self.at + run.len())?.copy_from_slice(run);
            self.at += run.len();
        }
        Some(())
    }

    fn put_match(&mut self, distance: usize, length: usize) -> Option<()> {
        let near = (distance - 1).min(NEAR);
        let short = (length - 2).min(7);
        self.put(short << 5 | near >> 8)?;
        if short == 7 {
            (0..(length - 9) / 255).try_for_each(|_| self.put(255))?;
            self.put((length - 9) % 255)?;
        }
        self.put(near & 255)?;
        if near == NEAR {
            self.put((distance - 1 - NEAR) >> 8)?;
            self.put((distance - 1 - NEAR) & 255)?;
        }
        Some(())
    }
}

/// Reads a stream to its end into the start of `output` and gives the number of bytes; `None` if it is none, or more than fit.
pub(super) fn decode(stream: &[u8], output: &mut [u8]) -> Option<usize> {
    let (mut at, mut made) = (1, 0);
    let mut control = usize::from(*stream.first()? & 31);
    loop {
        if control < RUN {
            copy_literals(stream.get(at..)?, control + 1, output.get_mut(made..)?)?;
            (at, made) = (at + control + 1, made + control + 1);
        } else {
            let (length, distance) = read_match(control, stream, &mut at)?;
            copy_match(output, made, distance, length)?;
            made += length;
        }
        let Some(next) = stream.get(at) else { return Some(made) };
        control = usize::from(*next);
        at += 1;
    }
}

/// Length and distance.
fn read_match(control: usize, stream: &[u8], at: &mut usize) -> Option<(usize, usize)> {
    let mut next = || {
        let byte = usize::from(*stream.get(*at)?);
        *at += 1;
        Some(byte)
    };
    let mut length = (control >> 5) + 2;
    if control >> 5 == 7 {
        loop {
            let more = next()?;
            length += more;
            if more < 255 {
                break;
            }
        }
    }
    let near = (control & 31) << 8 | next()?;
    let far = if near == NEAR { next()? << 8 | next()? } else { 0 };
    Some((length, near + far + 1))
}

fn copy_literals(from: &[u8], count: usize, to: &mut [u8]) -> Option<()> {
    // Copying a few more bytes is faster than checking how many are needed.
    if let (Some(from), Some(to)) = (from.first_chunk::<RUN>(), to.first_chunk_mut::<RUN>()) {
        *to = *from;
        return Some(());
    }
    to.get_mut(..count)?.copy_from_slice(from.get(..count)?);
    Some(())
}

fn copy_match(output: &mut [u8], made: usize, distance: usize, length: usize) -> Option<()> {
    const SOME: usize = 16;
    // The distance is a claim of the stream.
    let from = made.checked_sub(distance)?;
    output.get(made..made + length)?;
    let room = output.get(made..made + SOME).is_some();
    // Sixteen bytes cost less than the exact number; the bytes too many are written over later.
    if length <= SOME && distance >= SOME && room {
        output.copy_within(from..from + SOME, made);
    } else if distance == 1 {
        let byte = output[from];
        output[made..made + length].fill(byte);
    } else {
        // Copied bytes can be copied again, so that each copy doubles the length.
        let mut done = 0;
        while done < length {
            let count = (distance + done).min(length - done);
            output.copy_within(from..from + count, made + done);
            done += count;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes without repetitions.
    fn noise(i: u64) -> u8 {
        let x = (i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((x ^ (x >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 56) as u8
    }

    fn check(input: &[u8]) -> usize {
        let mut stream = vec![0xaa; input.len()];
        let Some(size) = Encoder::new().encode(input, &mut stream) else { return input.len() };
        assert!(size < input.len());
        let mut back = vec![0x55; input.len()];
        assert_eq!(decode(&stream[..size], &mut back), Some(input.len()));
        assert!(back == input, "{} bytes", input.len());
        size
    }

    #[test]
    fn matches_are_written_as_the_format_says() {
        let mut stream = [0; 40];
        let size = Encoder::new().encode(&[7; 40], &mut stream).unwrap();
        // One literal, a match of 34 bytes at distance 1, five literals.
        assert_eq!(stream[..size], [32, 7, 7 << 5, 34 - 9, 0, 4, 7, 7, 7, 7, 7]);
    }

    #[test]
    fn matches_of_any_length_and_distance_come_back() {
        for distance in [1, 2, 3, 15, 16, 17, 300, 8190, 8191, 8192, 8193, 20_000, 73_725, 73_726] {
            for length in [4, 5, 8, 9, 10, 17, 263, 264, 265, 518, 519, 520, 3000] {
                let mut input: Vec<u8> = (0..distance as u64).map(noise).collect();
                (0..length).for_each(|_| input.push(input[input.len() - distance]));
                input.extend((0..100).map(|i| noise(i + 1_000_000)));
                // So that it gets shorter in any case.
                input.extend([3; 3000]);
                check(&input);
            }
        }
    }

    #[test]
    fn what_does_not_shrink_is_left_alone() {
        let noise: Vec<u8> = (0..5000).map(noise).collect();
        assert_eq!(Encoder::new().encode(&noise, &mut vec![0; 6000]), None);
        (0..40).for_each(|length| assert!(check(&vec![1; length]) <= length));
        assert_eq!(Encoder::new().encode(&[1; 100], &mut [0; 5]), None);
    }

    #[test]
    fn broken_streams_are_refused() {
        let mut output = [0; 50];
        for stream in [&[][..], &[3, 1, 2], &[0, 9, 1 << 5], &[0, 9, 1 << 5, 1], &[0, 9, 7 << 5, 255]] {
            assert_eq!(decode(stream, &mut output), None, "{stream:?}");
        }
        // A match that goes beyond the output; distance 1 of one byte; a far match that lacks a byte.
        assert_eq!(decode(&[0, 9, 7 << 5, 60, 0], &mut output), None);
        assert_eq!(decode(&[0, 9, 2 << 5, 0], &mut output), Some(5));
        assert_eq!(decode(&[0, 9, 63, 255, 0], &mut output), None);
    }
}
