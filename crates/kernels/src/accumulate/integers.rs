//! Exact sums of integers.

use std::marker::PhantomData;

use super::{Element, Exact};

#[inline(always)]
pub(super) fn exact<T: Exact, const L: usize>(
    _: PhantomData<T>,
    frames: &[&[u8]],
    sums: &mut [i64],
    squares: &mut [T::Square],
) {
    let mut at = 0;
    while at + L <= sums.len() {
        T::add_group::<L>(frames, at, &mut sums[at..at + L], &mut squares[at..at + L]);
        at += L;
    }
    while at < sums.len() {
        T::add_group::<1>(frames, at, &mut sums[at..at + 1], &mut squares[at..at + 1]);
        at += 1;
    }
}

/// For 8 and 16 bits: sums of at most 2^15 elements fit 32 bits, and so does a square without its sign.
#[inline(always)]
pub(super) fn add_narrow<T: Element + Into<i32>, const L: usize>(
    frames: &[&[u8]],
    at: usize,
    sums: &mut [i64],
    squares: &mut [u64],
) {
    let (mut sum, mut square) = ([0i32; L], [0u64; L]);
    for frame in frames {
        let elements: [T; L] = T::load(frame, at);
        for i in 0..L {
            let value: i32 = elements[i].into();
            sum[i] = sum[i].wrapping_add(value);
            square[i] += u64::from(value.wrapping_mul(value) as u32);
        }
    }
    for i in 0..L {
        sums[i] += i64::from(sum[i]);
        squares[i] += square[i];
    }
}

/// For 32 bits: the two halves of squares are summed apart.
#[inline(always)]
pub(super) fn add_wide<T: Element + Into<i64>, const L: usize>(
    frames: &[&[u8]],
    at: usize,
    sums: &mut [i64],
    squares: &mut [u128],
) {
    let (mut sum, mut low, mut high) = ([0i64; L], [0u64; L], [0u64; L]);
    for frame in frames {
        let elements: [T; L] = T::load(frame, at);
        for i in 0..L {
            let value: i64 = elements[i].into();
            let square = value.wrapping_mul(value) as u64;
            sum[i] += value;
            low[i] += square & 0xFFFF_FFFF;
            high[i] += square >> 32;
        }
    }
    for i in 0..L {
        sums[i] += sum[i];
        squares[i] += u128::from(low[i]) + (u128::from(high[i]) << 32);
    }
}
