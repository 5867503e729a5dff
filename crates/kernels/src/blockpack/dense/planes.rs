//! High parts in unary code, plane by plane.

use super::super::{GROUP, ROW, Word};
use super::LAST_PLANE;
use crate::bits::Bits;

/// A bit for each element of a group, in the order of a row of packed bits.
pub(super) type Plane = [u64; GROUP / 64];

/// The high parts of a group, bit by bit; 7 is an escape.
pub(super) type HighParts = [Plane; 3];

/// Bytes of the planes behind the first.
const MOST_BYTES: usize = (LAST_PLANE - 1) * GROUP / 8;
/// The bits read of a stream at once: all planes, and as many more as keep every index in bounds.
const WINDOW: usize = 512 + 16;

/// Where the bit of an element lies, as its number in the plane: the inverse of the order of a row.
#[inline(always)]
pub(super) fn element_of<T: Word>(bit: usize) -> usize {
    let lanes = GROUP / T::BITS as usize;
    bit % T::BITS as usize * lanes + bit / T::BITS as usize
}

/// The ones of a plane, in order. How many there are in which word cannot be foretold, so no branch depends on it.
pub(super) struct Ones {
    words: Plane,
    /// A bit for each word that has ones left.
    some: u32,
}

impl Ones {
    #[inline(always)]
    pub(super) fn of(plane: &Plane) -> Ones {
        let some = plane.iter().enumerate().map(|(i, word)| u32::from(*word != 0) << i).sum();
        Ones { words: *plane, some }
    }

    /// The number of the next one; its value when there is none means nothing.
    #[inline(always)]
    pub(super) fn next(&mut self) -> usize {
        // Without ones the number of zeros is 32: the remainder keeps the index in bounds.
        let i = self.some.trailing_zeros() as usize % self.words.len();
        let word = self.words[i];
        self.words[i] = word & word.wrapping_sub(1);
        self.some &= !(u32::from(self.words[i] == 0) << i);
        64 * i + word.trailing_zeros() as usize
    }
}

/// Whether a plane has no ones.
#[inline(always)]
pub(super) fn is_empty(plane: &Plane) -> bool {
    plane.iter().fold(0, |all, word| all | word) == 0
}

/// How many ones a plane has.
#[inline(always)]
pub(super) fn count_ones(plane: &Plane) -> usize {
    plane.iter().map(|word| word.count_ones() as usize).sum()
}

/// The high parts that planes stand for, the escapes, and how many bits of the stream were used.
pub(super) struct Read {
    pub(super) high: HighParts,
    pub(super) escapes: Plane,
    pub(super) bits: usize,
}

/// Reads the planes behind the first. A stream that is too short counts as one with zeros behind it; the caller compares the bits.
#[inline(always)]
pub(super) fn read<B: Bits>(first: &[u8; ROW], stream: &[u8]) -> Read {
    let mut padded;
    let window: &[u8; WINDOW] = match stream.first_chunk() {
        Some(window) => window,
        None => {
            padded = [0; WINDOW];
            padded[..stream.len()].copy_from_slice(stream);
            &padded
        }
    };
    let mut plane = words_of(first);
    let (mut low, mut middle, mut top, mut at) = (plane, Plane::default(), Plane::default(), 0);
    for number in 2..=LAST_PLANE {
        for (word, low) in plane.iter_mut().zip(&mut low) {
            let mask = *word;
            *word = B::deposit(peek(window, at), mask);
            // Plane `p` has a one where `q >= p`, so `q` is the number of ones: its lowest bit is their parity.
            *low ^= *word;
            at += mask.count_ones() as usize;
        }
        // The middle bit of `q` changes at 2, 4 and 6, the top bit at 4.
        match number {
            4 => (top, middle) = (plane, xor(middle, plane)),
            2 | 6 => middle = xor(middle, plane),
            _ => {}
        }
        // Later planes have ones only where this one has.
        if is_empty(&plane) {
            break;
        }
    }
    Read { high: [low, middle, top], escapes: plane, bits: at }
}

#[inline(always)]
fn xor(a: Plane, b: Plane) -> Plane {
    std::array::from_fn(|i| a[i] ^ b[i])
}

#[inline(always)]
fn words_of(row: &[u8; ROW]) -> Plane {
    let mut words = Plane::default();
    for (word, bytes) in words.iter_mut().zip(row.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
}

/// The 64 bits from bit `at` on, which is no further than the planes are long.
#[inline(always)]
fn peek(window: &[u8; WINDOW], at: usize) -> u64 {
    const { assert!(MOST_BYTES < 512) }
    // The mask changes nothing, and shows the compiler that the index is in bounds.
    let byte = (at / 8) & 511;
    let mut low = [0; 8];
    low.copy_from_slice(&window[byte..byte + 8]);
    let high = u64::from(window[byte + 8]);
    // Two shifts, because one of 64 bits, where `at` is a multiple of 8, is an overflow.
    u64::from_le_bytes(low) >> (at % 8) | (high << 1) << (63 - at % 8)
}

/// Up to 32 bits from bit `at` of a stream on; zeros behind its end.
#[inline(always)]
pub(super) fn peek_few(stream: &[u8], at: usize, bits: u32) -> u32 {
    let rest = stream.get(at / 8..).unwrap_or_default();
    let word = rest.first_chunk().copied().unwrap_or_else(|| {
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        word
    });
    (u64::from_le_bytes(word) >> (at % 8) & ((1 << bits) - 1)) as u32
}

/// A stream of bits that is written.
pub(super) struct BitWriter<'a> {
    bytes: &'a mut [u8],
    at: usize,
}

impl BitWriter<'_> {
    /// Bytes beyond the bits that must be there.
    pub(super) const ROOM: usize = 16;

    #[inline(always)]
    pub(super) fn new(bytes: &mut [u8]) -> BitWriter<'_> {
        BitWriter { bytes, at: 0 }
    }

    /// Whole bytes that have been written.
    #[inline(always)]
    pub(super) fn bytes(&self) -> usize {
        self.at.div_ceil(8)
    }

    /// Appends the lowest `count` bits of `word`, which has no others.
    #[inline(always)]
    pub(super) fn put(&mut self, word: u64, count: u32) {
        let (byte, shift) = (self.at / 8, self.at % 8);
        // `ROOM` bytes are there behind the bits, so these nine always are.
        if let Some(to) = self.bytes[byte..].first_chunk_mut::<9>() {
            // Bits behind the end may be left over from the group before.
            let before = u64::from(to[0]) & ((1 << shift) - 1);
            to[..8].copy_from_slice(&(before | word << shift).to_le_bytes());
            to[8] = ((word >> 1) >> (63 - shift)) as u8;
        }
        self.at += count as usize;
    }
}

/// Writes the first plane and the bits of the others, and gives the escapes.
#[inline(always)]
pub(super) fn write<B: Bits>(high: &HighParts, first: &mut [u8; ROW], stream: &mut BitWriter<'_>) -> Plane {
    let [low, middle, top] = high;
    let plane = |number: usize| -> Plane {
        std::array::from_fn(|i| {
            let (low, middle, top) = (low[i], middle[i], top[i]);
            // `q >= number`, from the three bits of `q`.
            match number {
                1 => low | middle | top,
                2 => middle | top,
                3 => low & middle | top,
                4 => top,
                5 => top & (low | middle),
                6 => top & middle,
                _ => top & middle & low,
            }
        })
    };
    let mut before = plane(1);
    for (bytes, word) in first.as_chunks_mut().0.iter_mut().zip(before) {
        *bytes = word.to_le_bytes();
    }
    for number in 2..=LAST_PLANE {
        if is_empty(&before) {
            break;
        }
        let now = plane(number);
        for (mask, word) in before.into_iter().zip(now) {
            stream.put(B::extract(word, mask), mask.count_ones());
        }
        before = now;
    }
    before
}
