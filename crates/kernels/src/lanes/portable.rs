//! Lanes that any processor has.

use super::{Lanes, Mask};

const COUNT: usize = 8;

/// 128 bits, which every 64-bit processor has registers for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable([i16; COUNT]);

/// All bits or none in each lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PortableMask([i16; COUNT]);

#[inline(always)]
fn each(a: Portable, b: Portable, f: impl Fn(i16, i16) -> i16) -> Portable {
    let mut out = [0; COUNT];
    for i in 0..COUNT {
        out[i] = f(a.0[i], b.0[i]);
    }
    Portable(out)
}

#[inline(always)]
fn product(a: i16, b: i16) -> i32 {
    i32::from(a) * i32::from(b)
}

impl Lanes for Portable {
    type Mask = PortableMask;
    const COUNT: usize = COUNT;

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
    fn greater(self, other: Self) -> PortableMask {
        PortableMask(each(self, other, |a, b| -i16::from(a > b)).0)
    }

    #[inline(always)]
    fn equal(self, other: Self) -> PortableMask {
        PortableMask(each(self, other, |a, b| -i16::from(a == b)).0)
    }

    #[inline(always)]
    fn select(self, mask: PortableMask, other: Self) -> Self {
        let chosen = each(self, Portable(mask.0), |a, m| a & m);
        let rest = each(other, Portable(mask.0), |b, m| b & !m);
        each(chosen, rest, |a, b| a | b)
    }

    #[inline(always)]
    fn toward(self, a: Self, b: Self, _: Self) -> Self {
        each(self, each(a, b, |a, b| i16::from(a > b) - i16::from(a < b)), i16::wrapping_add)
    }

    #[inline(always)]
    fn toward_where(self, a: Self, b: Self, one: Self, mask: PortableMask) -> Self {
        self.add(Portable::splat(0).toward(a, b, one).only(mask))
    }

    #[inline(always)]
    fn count(self, mask: PortableMask, _: Self) -> Self {
        self.sub(Portable(mask.0))
    }

    #[inline(always)]
    fn less_unsigned(self, other: Self) -> PortableMask {
        PortableMask(each(self, other, |a, b| -i16::from((a as u16) < b as u16)).0)
    }

    #[inline(always)]
    fn only(self, mask: PortableMask) -> Self {
        each(self, Portable(mask.0), |a, m| a & m)
    }
}

impl Mask for PortableMask {
    const NONE: Self = PortableMask([0; COUNT]);

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        PortableMask(each(Portable(self.0), Portable(other.0), |a, b| a & b).0)
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        PortableMask(each(Portable(self.0), Portable(other.0), |a, b| a | b).0)
    }

    #[inline(always)]
    fn and_not(self, other: Self) -> Self {
        PortableMask(each(Portable(self.0), Portable(other.0), |a, b| a & !b).0)
    }

    #[inline(always)]
    fn bits(self) -> u32 {
        self.0.iter().enumerate().fold(0, |bits, (i, lane)| bits | u32::from(*lane != 0) << i)
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.0.iter().fold(0, |all, lane| all | lane) != 0
    }
}
