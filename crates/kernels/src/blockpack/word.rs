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

    /// Packs the `width` lowest bits of all remainders of a group into so many rows.
    fn pack(width: u32, remainders: &[Self; GROUP], rows: &mut [Self::Bytes]);
    /// Unpacks so many rows; a width that does not exist changes nothing.
    fn unpack(width: u32, rows: &[Self::Bytes], remainders: &mut [Self; GROUP]);

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
    ($t:ty, $signed:ty, $bits:literal, $($width:literal)*) => {
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

            #[inline(always)]
            fn pack(width: u32, remainders: &[$t; GROUP], rows: &mut [Self::Bytes]) {
                match width {
                    $($width => pack::<$t, $width>(remainders, rows),)*
                    _ => (),
                }
            }

            #[inline(always)]
            fn unpack(width: u32, rows: &[Self::Bytes], remainders: &mut [$t; GROUP]) {
                match width {
                    0 => *remainders = [0; GROUP],
                    $($width => unpack::<$t, $width>(rows, remainders),)*
                    _ => (),
                }
            }
        }
    };
}

word!(u8, i8, 8, 1 2 3 4 5 6 7 8);
word!(u16, i16, 16, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
word!(u32, i32, 32, 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);

/// One lane after the other, which the compiler turns into as many at once as fit a vector.
#[inline(always)]
fn pack<T: Word, const WIDTH: u32>(remainders: &[T; GROUP], rows: &mut [T::Bytes]) {
    let Some(rows) = rows.get_mut(..WIDTH as usize * T::LANES) else { return };
    for lane in 0..T::LANES {
        let mut open = T::default();
        for i in 0..T::BITS {
            let z = remainders[i as usize * T::LANES + lane] & T::ones(WIDTH);
            let (row, bit) = (i * WIDTH / T::BITS, i * WIDTH % T::BITS);
            open = open | (z << bit);
            if bit + WIDTH >= T::BITS {
                rows[row as usize * T::LANES + lane] = open.to_le();
                open = if bit + WIDTH > T::BITS { z >> (T::BITS - bit) } else { T::default() };
            }
        }
    }
}

#[inline(always)]
fn unpack<T: Word, const WIDTH: u32>(rows: &[T::Bytes], remainders: &mut [T; GROUP]) {
    let Some(rows) = rows.get(..WIDTH as usize * T::LANES) else { return };
    for lane in 0..T::LANES {
        for i in 0..T::BITS {
            let (row, bit) = (i * WIDTH / T::BITS, i * WIDTH % T::BITS);
            let mut z = T::from_le(rows[row as usize * T::LANES + lane]) >> bit;
            if bit + WIDTH > T::BITS {
                z = z | (T::from_le(rows[(row as usize + 1) * T::LANES + lane]) << (T::BITS - bit));
            }
            remainders[i as usize * T::LANES + lane] = z & T::ones(WIDTH);
        }
    }
}
