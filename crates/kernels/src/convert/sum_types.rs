//! Sums of each pixel type, compiled once.

use super::bins::{add_bins, add_bins_body};
use super::sums::{Accumulator, SumOf, Summed};
use super::values::Overflow;
use super::values::{BLOCK, convert_values};
use crate::cast::Cast;
use crate::{Level, Pixel};

macro_rules! accumulator {
    ($($t:ty)*) => {$(
        impl Accumulator for $t {
            #[inline(always)]
            fn plus(self, other: $t) -> $t { self + other }
            #[inline(always)]
            fn to_f64(self) -> f64 { self as f64 }
            #[inline(always)]
            fn saturating<O: Pixel>(self) -> O { self.cast() }
            #[inline(always)]
            fn wrapping<O: Pixel>(self) -> O { self.cast_wrapping() }
            fn store<O: Pixel>(level: Level, sums: &[$t], to: &mut [O], overflow: Overflow) {
                convert_values(level, sums, to, overflow);
            }
            #[inline(never)]
            fn divide(level: Level, sums: &[$t], divisor: f64, to: &mut [f64]) {
                quotients(level, sums, divisor, to);
            }
        }
    )*};
}

accumulator!(i32 i64 f64);

impl Accumulator for i128 {
    #[inline(always)]
    fn plus(self, other: i128) -> i128 {
        self + other
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self as f64
    }
    #[inline(always)]
    fn saturating<O: Pixel>(self) -> O {
        if O::FLOAT {
            (self as f64).cast()
        } else if self < 0 {
            // Limited to 64 bits, and from there to the output: so each output needs no loop over `i128`.
            (self.max(i64::MIN as i128) as i64).cast()
        } else {
            (self.min(u64::MAX as i128) as u64).cast()
        }
    }
    #[inline(always)]
    fn wrapping<O: Pixel>(self) -> O {
        // Modulo 2^64 first, which keeps all bits of a smaller modulus.
        if O::FLOAT { (self as f64).cast() } else { (self as u64).cast_wrapping() }
    }
    fn store<O: Pixel>(level: Level, sums: &[i128], to: &mut [O], overflow: Overflow) {
        if O::FLOAT {
            store_through::<f64, O>(level, sums, to, overflow);
        } else if overflow == Overflow::Saturate && O::LOWEST == O::default() {
            // An output whose lowest value is 0 has no sign: a `u64` keeps all its values.
            store_through::<u64, O>(level, sums, to, overflow);
        } else {
            store_through::<i64, O>(level, sums, to, overflow);
        }
    }
    #[inline(never)]
    fn divide(_level: Level, sums: &[i128], divisor: f64, to: &mut [f64]) {
        quotients_body(sums, divisor, to);
    }
}

/// Converts first to `W`, a type of 64 bits that keeps every value, so that there are three loops over `i128`
/// and not ten.
fn store_through<W: Pixel, O: Pixel>(level: Level, sums: &[i128], to: &mut [O], overflow: Overflow) {
    let mut near = [W::default(); BLOCK];
    let near = &mut near[..sums.len()];
    for (w, sum) in near.iter_mut().zip(sums) {
        *w = if overflow == Overflow::Wrap { sum.wrapping() } else { sum.saturating() };
    }
    convert_values(level, near, to, overflow);
}

per_level! {
    fn quotients<A: Accumulator>(sums: &[A], divisor: f64, to: &mut [f64]) = quotients_body;
}

#[inline(always)]
fn quotients_body<A: Accumulator>(sums: &[A], divisor: f64, to: &mut [f64]) {
    for (o, sum) in to.iter_mut().zip(sums) {
        *o = sum.to_f64() / divisor;
    }
}

macro_rules! sum_of {
    ($($a:ty, $add:path: $($i:ty)*;)*) => {$($(
        impl SumOf<$i> for $a {
            #[inline(always)]
            fn of(value: $i) -> $a { value as $a }
            #[inline(never)]
            fn add_bins(level: Level, row: &[$i], sums: &mut [$a], bin: usize, samples: usize) {
                $add(level, row, sums, bin, samples);
            }
        }
    )*)*};
}

sum_of! {
    i32, add_bins: i8 u8 i16 u16;
    i64, add_bins: i8 u8 i16 u16 i32 u32;
    i128, add_bins_portable: i64 u64;
    f64, add_bins: f32 f64;
}

/// No level has vectors of `i128`.
fn add_bins_portable<I: Copy, A: SumOf<I>>(
    _level: Level,
    row: &[I],
    sums: &mut [A],
    bin: usize,
    samples: usize,
) {
    add_bins_body(row, sums, bin, samples);
}

macro_rules! summed {
    ($($t:ty => $sum:ty, $long:ty;)*) => {$(
        impl Summed for $t {
            type Sum = $sum;
            type LongSum = $long;
        }
    )*};
}

summed! {
    i8 => i32, i64;
    u8 => i32, i64;
    i16 => i32, i64;
    u16 => i32, i64;
    i32 => i64, i64;
    u32 => i64, i64;
    i64 => i128, i128;
    u64 => i128, i128;
    f32 => f64, f64;
    f64 => f64, f64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_beyond_64_bits_saturate_and_wrap() {
        assert_eq!(Accumulator::saturating::<u64>(u64::MAX as i128 + 1), u64::MAX);
        assert_eq!(Accumulator::saturating::<i64>(i64::MIN as i128 - 1), i64::MIN);
        assert_eq!(Accumulator::wrapping::<i64>(u64::MAX as i128 + 2), 1);
    }
}
