//! The steps for each type, or pair of types, compiled once.

use super::real::{FilterFrom, Filtered, Real};
use super::{Coefficients, Corrections, steps};
use crate::Level;

macro_rules! real {
    ($($t:ty, $mask:ty;)*) => {$(
        impl Real for $t {
            type Mask = $mask;
            #[inline(always)]
            fn mask(keep: bool) -> $mask { if keep { <$mask>::MAX } else { 0 } }
            #[inline(always)]
            fn masked(self, mask: $mask) -> $t { <$t>::from_bits(self.to_bits() & mask) }
            #[inline(never)]
            fn correct(level: Level, corrections: &Corrections<'_, $t>, start: usize, block: &mut [$t]) {
                steps::correct(level, corrections, start, block);
            }
        }
    )*};
}

real! { f32, u32; f64, u64; }

macro_rules! filter_from {
    ($s:ty: $($i:ty)*) => {$(
        impl FilterFrom<$i> for $s {
            #[inline(never)]
            fn filter(level: Level, c: &Coefficients<$s>, pixels: &[$i], state: &mut [$s], output: &mut [$s]) {
                steps::filter(level, c, pixels, state, output);
            }
            #[inline(never)]
            fn filter_in_kind(
                level: Level, c: &Coefficients<$s>, pixels: &[$i], state: &mut [$s], output: &mut [$i],
            ) {
                steps::filter_in_kind(level, c, pixels, state, output);
            }
            #[inline(never)]
            fn follow(level: Level, c: &Coefficients<$s>, pixels: &[$i], state: &mut [$s]) {
                steps::follow(level, c, pixels, state);
            }
        }
    )*};
}

filter_from!(f32: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);
filter_from!(f64: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);

macro_rules! filtered {
    ($($t:ty)*) => {$(
        impl Filtered for $t {
            fn filter<S: Real>(
                level: Level, c: &Coefficients<S>, pixels: &[$t], state: &mut [S], output: Option<&mut [S]>,
            ) {
                match output {
                    Some(output) => <S as FilterFrom<$t>>::filter(level, c, pixels, state, output),
                    None => <S as FilterFrom<$t>>::follow(level, c, pixels, state),
                }
            }
            fn filter_in_kind<S: Real>(
                level: Level, c: &Coefficients<S>, pixels: &[$t], state: &mut [S], output: &mut [$t],
            ) {
                <S as FilterFrom<$t>>::filter_in_kind(level, c, pixels, state, output);
            }
        }
    )*};
}

filtered!(i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);
