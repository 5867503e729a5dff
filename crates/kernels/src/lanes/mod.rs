//! Lanes of 16-bit integers that stay in one vector register, for loops that carry much state from step to step.
//!
//! Loops over arrays are vectorised too, but the compiler then keeps the arrays in memory: the hit finder took half as
//! long again. So an algorithm is written once, for any [`Lanes`], and `per_level!` compiles it for three of them. The
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

/// Most lanes that a [`Lanes`] has.
pub(crate) const MOST: usize = 32;

/// A vector of `i16`. Arithmetic wraps unless the name says otherwise.
///
/// The implementations for levels above portable may be used only in functions that `per_level!` has compiled for that level.
pub(crate) trait Lanes: Copy {
    /// A yes or no for each lane.
    type Mask: Mask;
    /// Lanes in the vector; divides [`MOST`].
    const COUNT: usize;

    fn splat(value: i16) -> Self;
    /// The first [`Lanes::COUNT`] values.
    fn load(from: &[i16]) -> Self;
    /// Into the first [`Lanes::COUNT`] values.
    fn store(self, to: &mut [i16]);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn add_saturating(self, other: Self) -> Self;
    /// Of lanes seen as `u16`.
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
    /// Where `self > other`.
    fn greater(self, other: Self) -> Self::Mask;
    /// Where `self == other`.
    fn equal(self, other: Self) -> Self::Mask;
    /// `self` where `mask`, else `other`.
    fn select(self, mask: Self::Mask, other: Self) -> Self;
    /// `self` where `mask`, else 0.
    fn only(self, mask: Self::Mask) -> Self;
    /// `self` + `one` where `a > b`, − `one` where `a < b`; `a − b` fits 16 bits. `one` is 1.
    fn toward(self, a: Self, b: Self, one: Self) -> Self;
    /// Where `mask` as [`Lanes::toward`], elsewhere `self`.
    fn toward_where(self, a: Self, b: Self, one: Self, mask: Self::Mask) -> Self;
    /// `self + one` where `mask`. `one` is 1.
    fn count(self, mask: Self::Mask, one: Self) -> Self;
    /// Where `self < other`, both seen as `u16`: in a sum and one of its terms, where there was a carry.
    fn less_unsigned(self, other: Self) -> Self::Mask;

    /// 1 in all lanes, of which the compiler does not know that it is 1: it would replace what is added under a mask
    /// by something slower.
    #[inline(always)]
    fn one() -> Self {
        Self::splat(std::hint::black_box(1))
    }
}

/// A yes or no for each lane of a vector.
pub(crate) trait Mask: Copy {
    const NONE: Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    /// Where `self` and not `other`.
    fn and_not(self, other: Self) -> Self;
    /// Lane 0 is bit 0.
    fn bits(self) -> u32;
    fn any(self) -> bool;
}
