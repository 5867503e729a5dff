//! Lanes that any processor has.

use super::Lanes;
use std::ops::{BitAnd, BitOr, Not};

const COUNT: usize = 8;

/// 128 bits, which every 64-bit processor has registers for. A mask has all bits of a lane, or none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable([i16; COUNT]);

#[inline(always)]
fn each(a: Portable, b: Portable, f: impl Fn(i16, i16) -> i16) -> Portable {
    let mut out = [0; COUNT];
    for (out, (a, b)) in out.iter_mut().zip(a.0.into_iter().zip(b.0)) {
        *out = f(a, b);
    }
    Portable(out)
}

#[inline(always)]
fn product(a: i16, b: i16) -> i32 {
    i32::from(a) * i32::from(b)
}

impl Lanes for Portable {
    type Mask = Portable;
    const COUNT: usize = COUNT;
    const NONE: Portable = Portable([0; COUNT]);

    #[inline(always)]
    fn splat(value: i16) -> Self {
        Portable([value; COUNT])
    }

    #[inline(always)]
    fn load(from: &[i16]) -> Self {
        let mut lanes = [0; COUNT];
        lanes.copy_from_slice(&from[..COUNT]);
        Portable(lanes)
    }

    #[inline(always)]
    fn store(self, to: &mut [i16]) {
        to[..COUNT].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        each(self, other, i16::wrapping_add)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        each(self, other, i16::wrapping_sub)
    }

    #[inline(always)]
    fn add_saturating(self, other: Self) -> Self {
        each(self, other, i16::saturating_add)
    }

    #[inline(always)]
    fn add_saturating_unsigned(self, other: Self) -> Self {
        each(self, other, |a, b| (a as u16).saturating_add(b as u16) as i16)
    }

    #[inline(always)]
    fn min(self, other: Self) -> Self {
        each(self, other, Ord::min)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        each(self, other, Ord::max)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        each(self, self, |a, _| a.wrapping_abs())
    }

    #[inline(always)]
    fn shift_right(self, bits: u32) -> Self {
        // The vector instructions shift by more bits as by 15.
        each(self, self, |a, _| a >> bits.min(15))
    }

    #[inline(always)]
    fn mul_low(self, other: Self) -> Self {
        each(self, other, i16::wrapping_mul)
    }

    #[inline(always)]
    fn mul_high(self, other: Self) -> Self {
        each(self, other, |a, b| (product(a, b) >> 16) as i16)
    }

    #[inline(always)]
    fn mul_rounded(self, other: Self) -> Self {
        each(self, other, |a, b| ((product(a, b) + 0x4000) >> 15) as i16)
    }

    #[inline(always)]
    fn greater(self, other: Self) -> Portable {
        each(self, other, |a, b| -i16::from(a > b))
    }

    #[inline(always)]
    fn equal(self, other: Self) -> Portable {
        each(self, other, |a, b| -i16::from(a == b))
    }

    #[inline(always)]
    fn select(self, mask: Portable, other: Self) -> Self {
        self & mask | other & !mask
    }

    #[inline(always)]
    fn toward(self, a: Self, b: Self, _: Self) -> Self {
        each(self, each(a, b, |a, b| i16::from(a > b) - i16::from(a < b)), i16::wrapping_add)
    }

    #[inline(always)]
    fn toward_where(self, a: Self, b: Self, one: Self, mask: Portable) -> Self {
        self.add(Portable::splat(0).toward(a, b, one).only(mask))
    }

    #[inline(always)]
    fn count(self, mask: Portable, _: Self) -> Self {
        // A yes is −1.
        self.sub(mask)
    }

    #[inline(always)]
    fn less_unsigned(self, other: Self) -> Portable {
        each(self, other, |a, b| -i16::from((a as u16) < b as u16))
    }

    #[inline(always)]
    fn only(self, mask: Portable) -> Self {
        self & mask
    }

    #[inline(always)]
    fn bits(mask: Portable) -> u32 {
        mask.0.iter().enumerate().fold(0, |bits, (i, lane)| bits | u32::from(*lane != 0) << i)
    }

    #[inline(always)]
    fn any(mask: Portable) -> bool {
        mask.0.iter().fold(0, |all, lane| all | lane) != 0
    }
}

impl BitAnd for Portable {
    type Output = Portable;

    #[inline(always)]
    fn bitand(self, other: Portable) -> Portable {
        each(self, other, |a, b| a & b)
    }
}

impl BitOr for Portable {
    type Output = Portable;

    #[inline(always)]
    fn bitor(self, other: Portable) -> Portable {
        each(self, other, |a, b| a | b)
    }
}

impl Not for Portable {
    type Output = Portable;

    #[inline(always)]
    fn not(self) -> Portable {
        each(self, self, |a, _| !a)
    }
}
