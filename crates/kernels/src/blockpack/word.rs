//! The elements of blocks: unsigned integers of 8, 16 and 32 bits.

use std::fmt::Debug;
use std::ops::{BitAnd, BitOr, BitXor, Shl, Shr};

use super::GROUP;

/// An unsigned integer as a lane of packed bits. Signed elements are packed as the unsigned ones with the same bits.
pub trait Word:
    Copy
    + Default
    + Debug
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
    /// Lanes of a row of packed bits.
    const LANES: usize = GROUP / Self::BITS as usize;

    /// The elements of a byte slice; bytes that are too few for one are left out.
    fn split(bytes: &[u8]) -> &[Self::Bytes];
    /// As [`Word::split`], to write to.
    fn split_mut(bytes: &mut [u8]) -> &mut [Self::Bytes];
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
    /// `self`, but no less than `-limit` and no more than `limit` as a number with a sign.
    fn limited(self, limit: Self) -> Self;

    /// Numbers without sign for numbers with one: 0, -1, 1, -2, 2 … become 0, 1, 2, 3, 4 …
    #[inline(always)]
    fn fold_sign(self) -> Self {
        (self << 1) ^ Self::default().minus(self >> (Self::BITS - 1))
    }

    /// The inverse of [`Word::fold_sign`].
    #[inline(always)]
    fn unfold_sign(self) -> Self {
        (self >> 1) ^ Self::default().minus(self & Self::from_low(1))
    }

    /// A number of so many ones.
    #[inline(always)]
    fn ones(bits: u32) -> Self {
        Self::from_low((1i64 << bits) - 1)
    }
}

macro_rules! word {
    ($t:ty, $signed:ty, $bits:literal) => {
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
            fn limited(self, limit: $t) -> $t {
                (self as $signed).min(limit as $signed).max((limit as $signed).wrapping_neg()) as $t
            }
        }
    };
}

word!(u8, i8, 8);
word!(u16, i16, 16);
word!(u32, i32, 32);

/// Lanes of the narrowest word: the most there are.
pub(super) const MOST_LANES: usize = GROUP / 8;

/// Packs the `width` lowest bits of all remainders of a group into so many rows.
#[inline(always)]
pub(super) fn pack_rows<T: Word>(width: u32, remainders: &[T; GROUP], rows: &mut [T::Bytes]) {
    let ones = T::ones(width);
    let mut open = [T::default(); MOST_LANES];
    let open = &mut open[..T::LANES];
    let (mut bit, mut done) = (0, 0);
    for remainders in remainders.chunks_exact(T::LANES) {
        for (open, z) in open.iter_mut().zip(remainders) {
            *open = *open | ((*z & ones) << bit);
        }
        bit += width;
        if bit < T::BITS {
            continue;
        }
        bit -= T::BITS;
        // The length is a constant for the compiler, and the loop becomes one or two vectors.
        let Some(row) = rows.get_mut(done * T::LANES..(done + 1) * T::LANES) else { return };
        done += 1;
        for (to, open) in row.iter_mut().zip(&*open) {
            *to = open.to_le();
        }
        if bit == 0 {
            open.fill(T::default());
        } else {
            for (open, z) in open.iter_mut().zip(remainders) {
                *open = (*z & ones) >> (width - bit);
            }
        }
    }
}

/// Unpacks so many rows; a width of 0 has none.
#[inline(always)]
pub(super) fn unpack_rows<T: Word>(width: u32, rows: &[T::Bytes], remainders: &mut [T; GROUP]) {
    let ones = T::ones(width);
    for (i, remainders) in remainders.chunks_exact_mut(T::LANES).enumerate() {
        let start = i as u32 * width;
        let (row, bit) = ((start / T::BITS) as usize, start % T::BITS);
        let Some(words) = rows.get(row * T::LANES..(row + 1) * T::LANES) else { return };
        if bit + width <= T::BITS {
            for (z, word) in remainders.iter_mut().zip(words) {
                *z = (T::from_le(*word) >> bit) & ones;
            }
            continue;
        }
        let Some(next) = rows.get((row + 1) * T::LANES..(row + 2) * T::LANES) else { return };
        for ((z, low), high) in remainders.iter_mut().zip(words).zip(next) {
            *z = ((T::from_le(*low) >> bit) | (T::from_le(*high) << (T::BITS - bit))) & ones;
        }
    }
}
