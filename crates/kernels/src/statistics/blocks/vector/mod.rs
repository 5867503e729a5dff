//! Vector registers of the levels above portable, for loops that are written once.
//!
//! A loop is an `#[inline(always)]` function over any [`Vector`]; per level there is one small function with `#[target_feature]` that calls it, so
//! that it is compiled for this level. (The loops of other kernels use `lanes` or leave vectors to the compiler; these need sums that are wider than
//! their pixels, in registers.)

mod avx2;
mod avx512;

/// How far ahead of the loads memory is asked for, in bytes.
const AHEAD: usize = 256;

/// A vector register, seen as lanes of 8, 16, 32 or 64 bits as each function says. Arithmetic wraps.
///
/// The functions may be called only from functions that are compiled for the register's level.
pub(crate) trait Vector: Copy {
    /// A register of the same size with lanes of `f64`.
    type Doubles: Doubles;

    fn zero() -> Self;
    fn splat8(value: u8) -> Self;
    fn splat16(value: u16) -> Self;
    fn splat32(value: i32) -> Self;
    /// # Safety
    /// There are as many bytes to read as the register has.
    unsafe fn load(from: *const u8) -> Self;
    /// # Safety
    /// There are as many bytes to write as the register has.
    unsafe fn store(self, to: *mut u8);
    fn and(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn add16(self, other: Self) -> Self;
    fn add32(self, other: Self) -> Self;
    fn add64(self, other: Self) -> Self;
    fn sub32(self, other: Self) -> Self;
    /// Of lanes without a sign.
    fn min8(self, other: Self) -> Self;
    /// Of lanes without a sign.
    fn max8(self, other: Self) -> Self;
    /// Of lanes without a sign.
    fn min16(self, other: Self) -> Self;
    /// Of lanes without a sign.
    fn max16(self, other: Self) -> Self;
    /// Lanes without a sign that are at least those of `least`; zero for the others.
    fn at_least8(self, least: Self) -> Self;
    /// Lanes without a sign that are at least those of `least`; zero for the others.
    fn at_least16(self, least: Self) -> Self;
    /// Of each 16-bit lane the upper byte.
    fn odd8(self) -> Self;
    /// Of each 32-bit lane the upper half.
    fn odd16(self) -> Self;
    /// Of each 64-bit lane the upper half.
    fn odd32(self) -> Self;
    /// Of each 64-bit lane the lower half.
    fn even32(self) -> Self;
    /// The products of 16-bit lanes with a sign, two neighbours added to 32 bits.
    fn dot16(self, other: Self) -> Self;
    /// The sum of the bytes in each 64-bit lane.
    fn sum8(self) -> Self;
    /// The sum of the 64-bit lanes.
    fn fold64(self) -> u64;
    /// The smallest byte.
    fn smallest8(self) -> u8;
    /// 32-bit lanes with a sign as numbers: the lower and the upper half of the register.
    fn doubles(self) -> [Self::Doubles; 2];

    /// Pairs of the 16-bit lanes that have the same number in both registers, as 32-bit lanes: those of the lower halves of all
    /// 128 bits, and those of the upper ones.
    fn zip16(self, other: Self) -> [Self; 2];
    /// 32-bit lanes in the order that the lanes had before [`Vector::zip16`].
    fn in_order32(zipped: [Self; 2]) -> [Self; 2];
    /// 64-bit lanes made of the even and of the odd 32-bit lanes of both, in the order that the lanes had before [`Vector::zip16`].
    fn in_order64(zipped: [[Self; 2]; 2]) -> [Self; 4];

    /// Of each 16-bit lane the lower byte.
    #[inline(always)]
    fn even8(self) -> Self {
        self.and(Self::splat16(0xff))
    }

    /// Of each 32-bit lane the lower half.
    #[inline(always)]
    fn even16(self) -> Self {
        self.and(Self::splat32(0xffff))
    }

    /// The sum of the 32-bit lanes without a sign.
    #[inline(always)]
    fn fold32(self) -> u64 {
        self.odd32().add64(self.even32()).fold64()
    }
}

/// A vector register of `f64`.
pub(crate) trait Doubles: Copy {
    fn splat(value: f64) -> Self;
    /// # Safety
    /// There are as many numbers to read as the register has.
    unsafe fn load(from: *const f64) -> Self;
    /// # Safety
    /// There are as many numbers to write as the register has.
    unsafe fn store(self, to: *mut f64);
    fn add(self, other: Self) -> Self;
    /// `self`·`factor` − `other`, rounded once.
    fn mul_sub(self, factor: Self, other: Self) -> Self;
}

/// A vector of a row, which is read from left to right.
#[inline(always)]
pub(super) fn load<V: Vector, T, const N: usize>(from: &[T; N]) -> V {
    const { assert!(size_of::<[T; N]>() == size_of::<V>()) }
    // Rows lie too far apart for the processor to see that the loads go on to the right.
    prefetch(from.as_ptr().cast::<u8>().wrapping_add(AHEAD));
    // SAFETY: the array is as long as the register.
    unsafe { V::load(from.as_ptr().cast()) }
}

/// The lanes of a vector.
#[inline(always)]
pub(super) fn to_array<V: Vector, const N: usize>(v: V) -> [u16; N] {
    const { assert!(size_of::<[u16; N]>() == size_of::<V>()) }
    let mut lanes = [0; N];
    // SAFETY: the array is as long as the register.
    unsafe { v.store(lanes.as_mut_ptr().cast()) };
    lanes
}

/// Adds 32-bit lanes to the numbers at `to`.
#[inline(always)]
pub(super) fn add_integers<V: Vector, const N: usize>(to: &mut [i32; N], lanes: [V; 4]) {
    const { assert!(size_of::<[i32; N]>() == 4 * size_of::<V>()) }
    for (i, lanes) in lanes.into_iter().enumerate() {
        // SAFETY: the array is as long as four registers.
        unsafe {
            let to = to.as_mut_ptr().add(i * (N / 4)).cast::<u8>();
            V::load(to).add32(lanes).store(to);
        }
    }
}

/// Adds numbers to the numbers at `to`.
#[inline(always)]
pub(super) fn add_doubles<D: Doubles, const N: usize>(to: &mut [f64; N], lanes: [D; 4]) {
    const { assert!(size_of::<[f64; N]>() == 4 * size_of::<D>()) }
    for (i, lanes) in lanes.into_iter().enumerate() {
        // SAFETY: the array is as long as four registers.
        unsafe {
            let to = to.as_mut_ptr().add(i * (N / 4));
            D::load(to).add(lanes).store(to);
        }
    }
}

#[inline(always)]
fn prefetch(at: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: every processor of this architecture has the instruction, and it never fails, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
}
