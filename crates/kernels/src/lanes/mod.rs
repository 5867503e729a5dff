//! Lanes of 16-bit integers that stay in one vector register, for loops that carry much state from step to step.
//!
//! The compiler vectorises loops over arrays too, but keeps the arrays in memory: the hit finder took half as long
//! again. So an algorithm is written once, for any [`Lanes`], and `per_level!` compiles it for three of them. The
//! portable one is plain loops over an array.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
#[cfg(test)]
mod tests;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx512::Avx512;
pub(crate) use portable::Portable;

use std::ops::{BitAnd, BitOr, Not};

/// Most lanes that a [`Lanes`] has.
pub(crate) const MOST: usize = 32;

/// A vector of `i16`. Arithmetic wraps unless the name says otherwise.
///
/// The implementations for levels above portable may be used only in functions that `per_level!` has compiled for that
/// level.
pub(crate) trait Lanes: Copy {
    /// A yes or no for each lane.
    type Mask: Copy + BitAnd<Output = Self::Mask> + BitOr<Output = Self::Mask> + Not<Output = Self::Mask>;
    /// Lanes in the vector; divides [`MOST`].
    const COUNT: usize;
    /// No for all lanes.
    const NONE: Self::Mask;

    fn splat(value: i16) -> Self;
    /// The first [`Lanes::COUNT`] values of `from`.
    fn load(from: &[i16]) -> Self;
    /// Writes the first [`Lanes::COUNT`] values of `to`.
    fn store(self, to: &mut [i16]);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn add_saturating(self, other: Self) -> Self;
    /// The saturating sum of lanes seen as `u16`.
    fn add_saturating_unsigned(self, other: Self) -> Self;
    fn min(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    /// |v|; `i16::MIN` stays.
    fn abs(self) -> Self;
    /// v / 2^bits, rounded down.
    fn shift_right(self, bits: u32) -> Self;
    /// Lower 16 bits of the product.
    fn mul_low(self, other: Self) -> Self;
    /// Upper 16 bits of the product.
    fn mul_high(self, other: Self) -> Self;
    /// (a·b + 2¹⁴) >> 15.
    fn mul_rounded(self, other: Self) -> Self;
    /// Yes where `self > other`.
    fn greater(self, other: Self) -> Self::Mask;
    /// Yes where `self == other`.
    fn equal(self, other: Self) -> Self::Mask;
    /// Yes where `self < other`, both seen as `u16`. For a sum and one of its terms: where the addition had a carry.
    fn less_unsigned(self, other: Self) -> Self::Mask;
    /// `self` where `mask`, else `other`.
    fn select(self, mask: Self::Mask, other: Self) -> Self;
    /// `self` where `mask`, else 0.
    fn only(self, mask: Self::Mask) -> Self;
    /// `self` + `one` where `a > b`, − `one` where `a < b`; `a − b` fits 16 bits. `one` is [`Lanes::one`].
    fn toward(self, a: Self, b: Self, one: Self) -> Self;
    /// [`Lanes::toward`] where `mask`, else `self`.
    fn toward_where(self, a: Self, b: Self, one: Self, mask: Self::Mask) -> Self;
    /// `self + one` where `mask`, else `self`. `one` is [`Lanes::one`].
    fn count(self, mask: Self::Mask, one: Self) -> Self;
    /// One bit for each lane, bit 0 for lane 0.
    fn bits(mask: Self::Mask) -> u32;
    /// Whether any lane has a yes.
    fn any(mask: Self::Mask) -> bool;

    /// 1 in all lanes. The value is hidden from the compiler, which would replace an addition of 1 under a mask by
    /// something slower.
    #[inline(always)]
    fn one() -> Self {
        Self::splat(std::hint::black_box(1))
    }
}
