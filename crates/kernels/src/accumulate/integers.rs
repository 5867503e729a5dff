//! Exact sums of integers.

use std::marker::PhantomData;

use super::ahead::ask_ahead;
use super::element::{Element, Exact};
use super::words::Words;

#[inline(always)]
pub(super) fn exact<T: Exact, W: Words, const L: usize>(
    _: PhantomData<T>,
    frames: &[&[u8]],
    sums: &mut [i64],
    squares: &mut [T::Square],
) {
    let mut at = 0;
    while at + L <= sums.len() {
        T::add_group::<W, L>(frames, at, &mut sums[at..at + L], &mut squares[at..at + L]);
        at += L;
    }
    while at < sums.len() {
        T::add_group::<W, 1>(frames, at, &mut sums[at..at + 1], &mut squares[at..at + 1]);
        at += 1;
    }
}

#[inline(always)]
pub(super) fn sums<T: Exact, const L: usize>(_: PhantomData<T>, frames: &[&[u8]], sums: &mut [i64]) {
    let mut at = 0;
    while at + L <= sums.len() {
        T::sum_group::<L>(frames, at, &mut sums[at..at + L]);
        at += L;
    }
    while at < sums.len() {
        T::sum_group::<1>(frames, at, &mut sums[at..at + 1]);
        at += 1;
    }
}

/// For 8 and 16 bits: sums of at most 2^15 elements fit 32 bits, so that twice as many fit a register.
#[inline(always)]
pub(super) fn sum_narrow<T: Element + Into<i32>, const L: usize>(
    frames: &[&[u8]],
    at: usize,
    sums: &mut [i64],
) {
    let mut sum = [0i32; L];
    for frame in frames {
        ask_ahead::<T, L>(frame, at);
        let elements: [T; L] = T::load(frame, at);
        for i in 0..L {
            sum[i] += elements[i].into();
        }
    }
    sums.iter_mut().zip(sum).for_each(|(all, sum)| *all += i64::from(sum));
}

/// For 32 bits.
#[inline(always)]
pub(super) fn sum_wide<T: Element + Into<i64>, const L: usize>(
    frames: &[&[u8]],
    at: usize,
    sums: &mut [i64],
) {
    let mut sum = [0i64; L];
    for frame in frames {
        ask_ahead::<T, L>(frame, at);
        let elements: [T; L] = T::load(frame, at);
        for i in 0..L {
            sum[i] += elements[i].into();
        }
    }
    sums.iter_mut().zip(sum).for_each(|(all, sum)| *all += sum);
}

/// For 16 bits: as [`add_narrow`], with vectors where the level has them.
#[inline(always)]
pub(super) fn add_words<T: Element + Into<i32>, W: Words, const L: usize>(
    frames: &[&[u8]],
    at: usize,
    sums: &mut [i64],
    squares: &mut [u64],
) {
    let centre = centre::<T>();
    match W::sums::<L>(frames, at, centre as u16) {
        Some((sum, square)) => put::<L>(frames.len(), centre, (&sum, &square), sums, squares),
        None => add_narrow::<T, W, L>(frames, at, sums, squares),
    }
}

/// The centre of unsigned numbers of 16 bits; 0 of others, whose squares are small enough.
#[inline(always)]
fn centre<T: Element + Into<i32>>() -> i32 {
    let highest: i32 = T::HIGHEST.into();
    if highest == 0xFFFF { 0x8000 } else { 0 }
}

/// For 8 and 16 bits: sums of at most 2^15 elements fit 32 bits. Values are counted from the centre of unsigned 16-bit numbers, so
/// that the sum of two squares fits 32 bits too, and two frames need one sum of 64 bits.
#[inline(always)]
pub(super) fn add_narrow<T: Element + Into<i32>, W: Words, const L: usize>(
    frames: &[&[u8]],
    at: usize,
    sums: &mut [i64],
    squares: &mut [u64],
) {
    let centre = centre::<T>();
    let (mut sum, mut square) = ([0i32; L], [0u64; L]);
    let (pairs, rest) = frames.as_chunks::<2>();
    for [one, other] in pairs {
        ask_ahead::<T, L>(one, at);
        ask_ahead::<T, L>(other, at);
        let (one, other): ([T; L], [T; L]) = (T::load(one, at), T::load(other, at));
        for i in 0..L {
            let (a, b): (i32, i32) = (one[i].into(), other[i].into());
            let (a, b) = (a - centre, b - centre);
            sum[i] += a + b;
            // A square is at most 2^30: two of them need the bit that an i32 has for its sign.
            square[i] += u64::from((a * a) as u32 + (b * b) as u32);
        }
    }
    for frame in rest {
        ask_ahead::<T, L>(frame, at);
        let elements: [T; L] = T::load(frame, at);
        for i in 0..L {
            let value: i32 = elements[i].into();
            let value = value - centre;
            sum[i] += value;
            square[i] += u64::from((value * value) as u32);
        }
    }
    put::<L>(frames.len(), centre, (&sum, &square), sums, squares);
}

/// Adds the sums of distances from the centre over `frames` frames, and the sums of their squares.
#[inline(always)]
fn put<const L: usize>(
    frames: usize,
    centre: i32,
    (sum, square): (&[i32; L], &[u64; L]),
    sums: &mut [i64],
    squares: &mut [u64],
) {
    let (sums, squares) = (&mut sums[..L], &mut squares[..L]);
    // With v = d + c for each of n frames: Σv = Σd + n·c, and Σv² = Σd² + 2c·Σd + n·c².
    let (n, c) = (frames as i64, i64::from(centre));
    for i in 0..L {
        let distance = i64::from(sum[i]);
        sums[i] += distance + n * c;
        // Terms may be negative; the whole is a sum of squares, and is not.
        squares[i] += (square[i] as i64 + 2 * c * distance + n * c * c) as u64;
    }
}

/// For 32 bits: the two halves of squares are summed apart.
#[inline(always)]
pub(super) fn add_wide<T: Element + Into<i64>, W: Words, const L: usize>(
    frames: &[&[u8]],
    at: usize,
    sums: &mut [i64],
    squares: &mut [u128],
) {
    let (mut sum, mut low, mut high) = ([0i64; L], [0u64; L], [0u64; L]);
    for frame in frames {
        ask_ahead::<T, L>(frame, at);
        let elements: [T; L] = T::load(frame, at);
        for i in 0..L {
            let value: i64 = elements[i].into();
            // The square of a u32 needs all 64 bits: as an i64 it may wrap, as a u64 it is right.
            let square = value.wrapping_mul(value) as u64;
            sum[i] += value;
            // Halves of 32 bits: 2^15 of them cannot overflow a u64.
            low[i] += square & 0xFFFF_FFFF;
            high[i] += square >> 32;
        }
    }
    for i in 0..L {
        sums[i] += sum[i];
        squares[i] += u128::from(low[i]) + (u128::from(high[i]) << 32);
    }
}

macro_rules! exact {
    ($add:ident, $sum:ident, $square:ty: $($t:ty)*) => {$(
        impl Exact for $t {
            type Square = $square;

            #[inline(always)]
            #[allow(private_bounds, reason = "as above")]
            fn add_group<W: Words, const L: usize>(
                frames: &[&[u8]],
                at: usize,
                sums: &mut [i64],
                squares: &mut [$square],
            ) {
                $add::<$t, W, L>(frames, at, sums, squares);
            }

            #[inline(always)]
            fn sum_group<const L: usize>(frames: &[&[u8]], at: usize, sums: &mut [i64]) {
                $sum::<$t, L>(frames, at, sums);
            }
        }
    )*};
}

exact!(add_narrow, sum_narrow, u64: i8 u8);
exact!(add_words, sum_narrow, u64: i16 u16);
exact!(add_wide, sum_wide, u128: i32 u32);
