//! Sets of field numbers.

use super::{Order, Reader, Writer};
use crate::{Error, Result};

// Words without an allocation: 256 fields, more than Normative Types usually have.
const INLINE: usize = 4;

// More than one bit for every field that a type may have; bits beyond are nonsense.
const MAX_BYTES: usize = 1024;

/// A set of field numbers. Up to 256 it needs no heap.
#[derive(Clone, Default)]
pub struct BitSet {
    inline: [u64; INLINE],
    // Holds all words once a bit of 256 or more was set; else empty.
    heap: Vec<u64>,
}

impl BitSet {
    /// The empty set.
    pub fn new() -> BitSet {
        BitSet::default()
    }

    /// The set of all numbers below `end`.
    pub fn below(end: usize) -> BitSet {
        let mut set = BitSet::new();
        set.insert_range(0, end);
        set
    }

    /// Whether `bit` is in the set.
    pub fn contains(&self, bit: usize) -> bool {
        self.words().get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }

    /// Adds `bit`.
    pub fn insert(&mut self, bit: usize) {
        self.reserve(bit / 64 + 1);
        self.words_mut()[bit / 64] |= 1 << (bit % 64);
    }

    /// Adds all of `start..end`.
    pub fn insert_range(&mut self, start: usize, end: usize) {
        // An empty range has no last bit.
        if start >= end {
            return;
        }
        self.reserve(end.div_ceil(64));
        let words = self.words_mut();
        let (first, last) = (start / 64, (end - 1) / 64);
        for (index, word) in words.iter_mut().enumerate().take(last + 1).skip(first) {
            let low = if index == first { !0 << (start % 64) } else { !0 };
            let high = if index == last { !0 >> (63 - (end - 1) % 64) } else { !0 };
            *word |= low & high;
        }
    }

    /// Takes `bit` out.
    pub fn remove(&mut self, bit: usize) {
        // A bit beyond the words is not in the set.
        if let Some(word) = self.words_mut().get_mut(bit / 64) {
            *word &= !(1 << (bit % 64));
        }
    }

    /// Empties the set and keeps its memory.
    pub fn clear(&mut self) {
        self.words_mut().fill(0);
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.words().iter().all(|&word| word == 0)
    }

    /// How many are in it.
    pub fn len(&self) -> usize {
        self.words().iter().map(|word| word.count_ones() as usize).sum()
    }

    /// One more than the highest in it, 0 if empty.
    pub fn end(&self) -> usize {
        let words = self.words();
        let last = words.iter().rposition(|&word| word != 0);
        last.map_or(0, |index| index * 64 + 64 - words[index].leading_zeros() as usize)
    }

    /// The lowest number in the set that is not below `from`.
    pub fn next(&self, from: usize) -> Option<usize> {
        let words = self.words();
        let mut index = from / 64;
        let mut word = words.get(index)? & (!0 << (from % 64));
        while word == 0 {
            index += 1;
            word = *words.get(index)?;
        }
        Some(index * 64 + word.trailing_zeros() as usize)
    }

    /// All numbers, ascending.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let mut from = 0;
        std::iter::from_fn(move || {
            let bit = self.next(from)?;
            from = bit + 1;
            Some(bit)
        })
    }

    /// Adds everything that is in `other`.
    pub fn union_with(&mut self, other: &BitSet) {
        // Room for the highest bit of `other`, not for its empty words.
        self.reserve(other.end().div_ceil(64));
        self.words_mut().iter_mut().zip(other.words()).for_each(|(word, other)| *word |= other);
    }

    /// Keeps only the bits that are also in `other`.
    pub fn intersect_with(&mut self, other: &BitSet) {
        // Words that `other` does not have are empty.
        let others = other.words().iter().copied().chain(std::iter::repeat(0));
        self.words_mut().iter_mut().zip(others).for_each(|(word, other)| *word &= other);
    }

    /// Whether something is in both.
    pub fn intersects(&self, other: &BitSet) -> bool {
        self.words().iter().zip(other.words()).any(|(word, other)| word & other != 0)
    }

    /// Reads a set. Zero bytes at its end, which a sender should drop, are accepted.
    pub fn decode(reader: &mut Reader<'_>) -> Result<BitSet> {
        let at = reader.offset();
        let count = reader.count(1)?;
        if count > MAX_BYTES {
            return Err(Error::at(at, format!("a bit set of at most {MAX_BYTES} bytes"), count.to_string()));
        }
        let bytes = reader.bytes(count)?;
        let mut set = BitSet::new();
        let (words, rest) = bytes.as_chunks::<8>();
        set.reserve(words.len() + usize::from(!rest.is_empty()));
        let (to, order) = (set.words_mut(), reader.order());
        for (word, bytes) in to.iter_mut().zip(words) {
            *word = if order == Order::Big { u64::from_be_bytes(*bytes) } else { u64::from_le_bytes(*bytes) };
        }
        // Behind the last whole word, the lowest byte comes first in either byte order.
        for (index, &byte) in rest.iter().enumerate() {
            to[words.len()] |= u64::from(byte) << (8 * index);
        }
        Ok(set)
    }

    /// Writes the set without zero bytes at its end.
    pub fn encode(&self, writer: &mut Writer) {
        let bytes = self.end().div_ceil(8);
        writer.size(bytes);
        let (words, whole) = (self.words(), bytes / 8);
        words.iter().take(whole).for_each(|&word| writer.u64(word));
        if let Some(last) = words.get(whole) {
            writer.raw(&last.to_le_bytes()[..bytes % 8]);
        }
    }

    fn words(&self) -> &[u64] {
        if self.heap.is_empty() { &self.inline } else { &self.heap }
    }

    fn words_mut(&mut self) -> &mut [u64] {
        if self.heap.is_empty() { &mut self.inline } else { &mut self.heap }
    }

    fn reserve(&mut self, words: usize) {
        if words > INLINE && words > self.heap.len() {
            if self.heap.is_empty() {
                self.heap.extend_from_slice(&self.inline);
            }
            self.heap.resize(words, 0);
        }
    }
}

impl PartialEq for BitSet {
    fn eq(&self, other: &BitSet) -> bool {
        // Sets with the same bits are equal, whatever the number of their words.
        let (mut left, mut right) = (self.words(), other.words());
        if left.len() > right.len() {
            (left, right) = (right, left);
        }
        let (same, beyond) = right.split_at(left.len());
        left == same && beyond.iter().all(|&word| word == 0)
    }
}

impl Eq for BitSet {}

impl std::hash::Hash for BitSet {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        // Equal sets may have different numbers of words.
        self.words()[..self.end().div_ceil(64)].hash(state);
    }
}

impl std::fmt::Debug for BitSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl FromIterator<usize> for BitSet {
    fn from_iter<I: IntoIterator<Item = usize>>(bits: I) -> BitSet {
        let mut set = BitSet::new();
        bits.into_iter().for_each(|bit| set.insert(bit));
        set
    }
}
