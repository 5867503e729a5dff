//! Vector registers of the levels above portable, for loops that are written once.
//!
//! A loop is an `#[inline(always)]` function over any [`Vector`]; each level has one small function with
//! `#[target_feature]` that calls the loop, so that the compiler translates it for this level.
//!
//! Two traits abstract vectors in this crate. [`Lanes`](crate::lanes::Lanes) has lanes of `i16` with masks, on every
//! level: an algorithm over it has no second version. A [`Vector`] has lanes of any width, which a loop may reinterpret
//! at each step; its loops have a portable version in plain Rust. One trait for both would need a portable version of
//! every instruction here, which no kernel would call.

/// Methods that are one instruction with two operands.
macro_rules! instructions {
    ($($name:ident = $intrinsic:ident;)*) => {$(
        #[inline(always)]
        fn $name(self, other: Self) -> Self {
            unsafe { $intrinsic(self, other) }
        }
    )*};
}

/// Methods that are one instruction with a number of bits. A constant number becomes part of the instruction.
macro_rules! shifts {
    ($($name:ident = $intrinsic:ident;)*) => {$(
        #[inline(always)]
        fn $name(self, bits: u32) -> Self {
            unsafe { $intrinsic(self, _mm_cvtsi32_si128(bits as i32)) }
        }
    )*};
}

mod avx2;
mod avx512;
#[cfg(test)]
mod tests;

use crate::Pixel;
pub(crate) use std::arch::x86_64::{__m256i as Avx2, __m512i as Avx512};

/// A vector register, seen as lanes of 8, 16, 32 or 64 bits as each function says. Arithmetic wraps.
///
/// The functions may be called only from functions that are compiled for the register's level.
pub(crate) trait Vector: Copy {
    fn zero() -> Self;
    fn splat8(value: u8) -> Self;
    fn splat16(value: u16) -> Self;
    fn splat32(value: u32) -> Self;
    /// # Safety
    /// As many bytes can be read as the register has.
    unsafe fn load(from: *const u8) -> Self;
    /// # Safety
    /// As many bytes can be written as the register has.
    unsafe fn store(self, to: *mut u8);

    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;

    fn add8(self, other: Self) -> Self;
    fn add16(self, other: Self) -> Self;
    fn add32(self, other: Self) -> Self;
    fn add64(self, other: Self) -> Self;
    fn sub8(self, other: Self) -> Self;
    fn sub16(self, other: Self) -> Self;
    fn sub32(self, other: Self) -> Self;

    /// Each lane by `bits`, which are fewer than the bits of a lane. No instruction shifts lanes of 8 bits.
    fn left16(self, bits: u32) -> Self;
    /// As [`Vector::left16`].
    fn left32(self, bits: u32) -> Self;
    /// As [`Vector::left16`].
    fn left64(self, bits: u32) -> Self;
    /// As [`Vector::left16`], to the right; zeros move in.
    fn right16(self, bits: u32) -> Self;
    /// As [`Vector::right16`].
    fn right32(self, bits: u32) -> Self;
    /// As [`Vector::right16`].
    fn right64(self, bits: u32) -> Self;

    /// The smaller lanes, without a sign.
    fn min8(self, other: Self) -> Self;
    /// The larger lanes, without a sign.
    fn max8(self, other: Self) -> Self;
    /// The smaller lanes, without a sign.
    fn min16(self, other: Self) -> Self;
    /// The larger lanes, without a sign.
    fn max16(self, other: Self) -> Self;
    /// Lanes without a sign that are at least the lanes of `least`; zero for the others.
    fn at_least8(self, least: Self) -> Self;
    /// Lanes without a sign that are at least the lanes of `least`; zero for the others.
    fn at_least16(self, least: Self) -> Self;

    /// The products of 16-bit lanes with a sign, two neighbours added to 32 bits.
    fn dot16(self, other: Self) -> Self;
    /// The sum of the bytes in each 64-bit lane.
    fn sum8(self) -> Self;
    /// The sum of the 64-bit lanes.
    fn fold64(self) -> u64;
    /// The smallest byte.
    fn smallest8(self) -> u8;

    /// Each 16-bit lane of `self` with the lane of the same number in `other`, as a 32-bit lane. The first register has
    /// the pairs from the lower half of each 128 bits, the second one from the upper half.
    fn zip16(self, other: Self) -> [Self; 2];
    /// 32-bit lanes in the order of the 16-bit lanes before [`Vector::zip16`].
    fn in_order32(zipped: [Self; 2]) -> [Self; 2];
    /// 64-bit lanes in the order of the 16-bit lanes before [`Vector::zip16`]. Each element of `zipped` has the sums of
    /// its even and of its odd lanes.
    fn in_order64(zipped: [[Self; 2]; 2]) -> [Self; 4];

    /// Adds the 32-bit lanes with a sign to the numbers at `to`.
    ///
    /// # Safety
    /// `to` has as many numbers as the register has such lanes.
    unsafe fn add_to(self, to: *mut f64);
    /// Adds `factor`·`self` − `less`, for 32-bit lanes with a sign and rounded once, to the numbers at `to`.
    ///
    /// # Safety
    /// As for [`Vector::add_to`].
    unsafe fn add_product_to(self, factor: f64, less: Self, to: *mut f64);

    /// The lower byte of each 16-bit lane.
    #[inline(always)]
    fn even8(self) -> Self {
        self.and(Self::splat16(0xff))
    }

    /// The upper byte of each 16-bit lane.
    #[inline(always)]
    fn odd8(self) -> Self {
        self.right16(8)
    }

    /// The lower half of each 32-bit lane.
    #[inline(always)]
    fn even16(self) -> Self {
        self.and(Self::splat32(0xffff))
    }

    /// The upper half of each 32-bit lane.
    #[inline(always)]
    fn odd16(self) -> Self {
        self.right32(16)
    }

    /// The lower half of each 64-bit lane.
    #[inline(always)]
    fn even32(self) -> Self {
        self.left64(32).right64(32)
    }

    /// The upper half of each 64-bit lane.
    #[inline(always)]
    fn odd32(self) -> Self {
        self.right64(32)
    }

    /// The sum of the 32-bit lanes without a sign.
    #[inline(always)]
    fn fold32(self) -> u64 {
        self.odd32().add64(self.even32()).fold64()
    }
}

/// The first numbers of `from`, as many as a register holds. Panics if there are fewer.
#[inline(always)]
pub(crate) fn load<V: Vector, T: Pixel>(from: &[T]) -> V {
    let from = &from[..size_of::<V>() / size_of::<T>()];
    // SAFETY: the slice is as long as the register, and a pixel has no bytes without a value.
    unsafe { V::load(from.as_ptr().cast()) }
}

/// Writes a register to the first numbers of `to`. Panics if `to` is shorter than the register.
#[inline(always)]
pub(crate) fn store<V: Vector, T: Pixel>(vector: V, to: &mut [T]) {
    let to = &mut to[..size_of::<V>() / size_of::<T>()];
    // SAFETY: the slice is as long as the register, and any bits are a pixel.
    unsafe { vector.store(to.as_mut_ptr().cast()) }
}

/// Adds the 32-bit lanes with a sign to the first numbers of `to`. Panics if there are fewer than lanes.
#[inline(always)]
pub(crate) fn add_to<V: Vector>(vector: V, to: &mut [f64]) {
    let to = &mut to[..size_of::<V>() / size_of::<i32>()];
    // SAFETY: the slice has a number for each lane.
    unsafe { vector.add_to(to.as_mut_ptr()) }
}

/// Adds `factor`·`vector` − `less`, as [`add_to`] does.
#[inline(always)]
pub(crate) fn add_product_to<V: Vector>(vector: V, factor: f64, less: V, to: &mut [f64]) {
    let to = &mut to[..size_of::<V>() / size_of::<i32>()];
    // SAFETY: the slice has a number for each lane.
    unsafe { vector.add_product_to(factor, less, to.as_mut_ptr()) }
}

/// The lanes of registers, one register after the other. Panics if the array has another size.
#[inline(always)]
pub(crate) fn to_array<V: Vector, T: Pixel, const N: usize, const L: usize>(vectors: [V; N]) -> [T; L] {
    assert!(size_of::<[T; L]>() == size_of::<[V; N]>());
    let mut lanes = [T::default(); L];
    for (lanes, vector) in lanes.chunks_exact_mut(L / N).zip(vectors) {
        store(vector, lanes);
    }
    lanes
}
