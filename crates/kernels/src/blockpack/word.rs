//! The elements of blocks: unsigned integers of 8, 16 and 32 bits.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitXor, Shl, Shr};

use super::sizes::{GROUP, ROW};
use crate::Pixel;
use crate::bytes::{bytes, bytes_mut};

/// Numbers side by side: enough for the compiler to keep the loop over them and to make vectors of it.
pub(super) const LANES: usize = 128;

/// An unsigned integer as a lane of packed bits. Signed elements are packed as the unsigned ones with the same bits.
pub trait Word:
    Pixel
    + Ord
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + Send
    + 'static
{
    /// Its little-endian bytes.
    type Bytes: Copy + Default + Debug + Send + 'static;

    /// Number of its bits.
    const BITS: u32;

    /// The elements of a byte slice; bytes that are too few for one are left out.
    fn split(bytes: &[u8]) -> &[Self::Bytes];
    /// As [`Word::split`], to write to.
    fn split_mut(bytes: &mut [u8]) -> &mut [Self::Bytes];
    /// The inverse of [`Word::split`].
    fn join(elements: &[Self::Bytes]) -> &[u8];
    /// From little-endian bytes.
    fn from_le(bytes: Self::Bytes) -> Self;
    /// To little-endian bytes.
    fn to_le(self) -> Self::Bytes;
    /// The lowest bits of a number.
    fn from_low(number: i64) -> Self;
    /// The number as one without sign.
    fn unsigned(self) -> u32;
    /// The number with the same bits that has a sign.
    fn signed(self) -> i64;
    /// Addition that wraps round.
    fn plus(self, other: Self) -> Self;
    /// Subtraction that wraps round.
    fn minus(self, other: Self) -> Self;
    /// Whether `self > other`, both as numbers with a sign.
    fn exceeds(self, other: Self) -> bool;
    /// The sum of numbers with a sign.
    fn total<const N: usize>(numbers: &[Self; N]) -> i64;
    /// `self`, but no less than `-limit` and no more than `limit` as a number with a sign.
    fn limited(self, limit: Self) -> Self;

    /// Numbers without sign for numbers with one: 0, -1, 1, -2, 2 … become 0, 1, 2, 3, 4 …
    #[inline(always)]
    fn fold_sign(self) -> Self {
        // The sign, subtracted from 0, is all ones for a negative number.
        (self << 1) ^ Self::default().minus(self >> (Self::BITS - 1))
    }

    /// The addend for numbers from `-bias` on so that they have no sign: half of the range of `width` bits.
    #[inline(always)]
    fn bias(width: u32) -> Self {
        // Two shifts, so that width 0 has the bias 0.
        Self::from_low((1i64 << width) >> 1)
    }

    /// The number whose lowest `bits` bits are ones.
    #[inline(always)]
    fn ones(bits: u32) -> Self {
        // In 64 bits, because a shift by all bits of a word would overflow.
        Self::from_low((1i64 << bits) - 1)
    }
}

macro_rules! word {
    ($t:ty, $signed:ty, $total:ty, $bits:literal) => {
        impl Word for $t {
            type Bytes = [u8; $bits / 8];
            const BITS: u32 = $bits;

            #[inline(always)]
            fn split(bytes: &[u8]) -> &[Self::Bytes] {
                bytes.as_chunks().0
            }

            #[inline(always)]
            fn split_mut(bytes: &mut [u8]) -> &mut [Self::Bytes] {
                bytes.as_chunks_mut().0
            }

            #[inline(always)]
            fn join(elements: &[Self::Bytes]) -> &[u8] {
                elements.as_flattened()
            }

            #[inline(always)]
            fn from_le(bytes: Self::Bytes) -> $t {
                <$t>::from_le_bytes(bytes)
            }

            #[inline(always)]
            fn to_le(self) -> Self::Bytes {
                self.to_le_bytes()
            }

            #[inline(always)]
            fn from_low(number: i64) -> $t {
                number as $t
            }

            #[inline(always)]
            fn unsigned(self) -> u32 {
                self.into()
            }

            #[inline(always)]
            fn signed(self) -> i64 {
                (self as $signed).into()
            }

            #[inline(always)]
            fn plus(self, other: $t) -> $t {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn minus(self, other: $t) -> $t {
                self.wrapping_sub(other)
            }

            #[inline(always)]
            fn exceeds(self, other: $t) -> bool {
                (self as $signed) > other as $signed
            }

            #[inline(always)]
            fn total<const N: usize>(numbers: &[$t; N]) -> i64 {
                numbers.iter().map(|number| <$total>::from(*number as $signed)).sum::<$total>().into()
            }

            #[inline(always)]
            fn limited(self, limit: $t) -> $t {
                (self as $signed).min(limit as $signed).max((limit as $signed).wrapping_neg()) as $t
            }
        }
    };
}

word!(u8, i8, i32, 8);
word!(u16, i16, i32, 16);
word!(u32, i32, i64, 32);

/// A row of packed bits as words that are shifted at once. Bits that a shift would carry from one lane into the next are
/// masked before, or after: so one loop serves lanes of every width.
pub(super) type RowWords = [u64; ROW / 8];

/// Packs the `width` lowest bits of all numbers of a group into `width` rows.
#[inline(always)]
pub(super) fn pack_rows<T: Word>(width: u32, remainders: &[T; GROUP], rows: &mut [u8]) {
    let mut rows = rows.as_chunks_mut::<ROW>().0.iter_mut();
    let (mut bit, mut open) = (0, [0; ROW / 8]);
    for remainders in bytes(remainders).as_chunks::<ROW>().0 {
        let z = load::<T>(remainders);
        let low = repeat(T::ones(width.min(T::BITS - bit)));
        for (open, z) in open.iter_mut().zip(z) {
            *open |= (z & low) << bit;
        }
        bit += width;
        if bit < T::BITS {
            continue;
        }
        bit -= T::BITS;
        let Some(row) = rows.next() else { return };
        store(open, row);
        // The bits that did not fit any more; none if `bit` is 0.
        let done = width - bit;
        let high = repeat(T::ones(width)) & !repeat(T::ones(done));
        for (open, z) in open.iter_mut().zip(z) {
            *open = (z & high).unbounded_shr(done);
        }
    }
}

/// The three lowest bits of all numbers of a group, each in the order of rows of width 1.
#[inline(always)]
pub(super) fn low_bits_by_row<T: Word>(numbers: &[T; GROUP]) -> [RowWords; 3] {
    let (one, mut found) = (repeat(T::from_low(1)), [[0; ROW / 8]; 3]);
    for (i, numbers) in bytes(numbers).as_chunks::<ROW>().0.iter().enumerate() {
        let numbers = load::<T>(numbers);
        for (bit, found) in found.iter_mut().enumerate() {
            for (found, number) in found.iter_mut().zip(numbers) {
                *found |= (number >> bit & one) << i;
            }
        }
    }
    found
}

/// Unpacks `width` rows; a width of 0 has none.
#[inline(always)]
pub(super) fn unpack_words<T: Word>(width: u32, rows: &[u8], remainders: &mut [T; GROUP]) {
    let rows = rows.as_chunks::<ROW>().0;
    for (i, remainders) in bytes_mut(remainders).as_chunks_mut::<ROW>().0.iter_mut().enumerate() {
        let start = i as u32 * width;
        let (row, bit) = ((start / T::BITS) as usize, start % T::BITS);
        let Some(words) = rows.get(row) else { return };
        let low = repeat(T::ones(width.min(T::BITS - bit)));
        let mut z = from_bytes(words);
        for z in &mut z {
            *z = (*z >> bit) & low;
        }
        if bit + width > T::BITS {
            let Some(next) = rows.get(row + 1) else { return };
            let high = repeat(T::ones(width)) & !low;
            for (z, next) in z.iter_mut().zip(from_bytes(next)) {
                *z |= (next << (T::BITS - bit)) & high;
            }
        }
        store_remainders::<T>(z, remainders);
    }
}

/// A number in every lane.
#[inline(always)]
fn repeat<T: Word>(number: T) -> u64 {
    // The lowest bit of each lane, so that the product repeats the number.
    let all = u64::MAX / u64::from(T::ones(T::BITS).unsigned());
    all * u64::from(number.unsigned())
}

#[inline(always)]
fn from_bytes(bytes: &[u8; ROW]) -> RowWords {
    let mut words = [0; ROW / 8];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u64::from_le_bytes(*bytes);
    }
    words
}

#[inline(always)]
fn store(words: RowWords, bytes: &mut [u8; ROW]) {
    for (bytes, word) in bytes.as_chunks_mut().0.iter_mut().zip(words) {
        *bytes = word.to_le_bytes();
    }
}

/// Remainders, which are in the byte order of the machine.
#[inline(always)]
fn load<T: Word>(remainders: &[u8; ROW]) -> RowWords {
    if cfg!(target_endian = "little") {
        return from_bytes(remainders);
    }
    let mut turned = *remainders;
    turned.chunks_exact_mut(size_of::<T>()).for_each(<[u8]>::reverse);
    from_bytes(&turned)
}

#[inline(always)]
fn store_remainders<T: Word>(words: RowWords, remainders: &mut [u8; ROW]) {
    store(words, remainders);
    if cfg!(target_endian = "big") {
        remainders.chunks_exact_mut(size_of::<T>()).for_each(<[u8]>::reverse);
    }
}
