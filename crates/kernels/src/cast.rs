//! Conversions between the ten pixel types, written so that loops over them become vector code.
//!
//! Every [`Pixel`](crate::Pixel) can be made from every other one (it is `CastFrom` all ten), so a kernel that is
//! generic over two pixel types can convert without naming either.
//!
//! The conversions of whole slices belong to the types, not to the callers: each is compiled once,
//! in this crate, however many kernels and programs use it.

use crate::Level;

/// Makes a pixel out of a value of type `I`.
pub trait CastFrom<I> {
    /// Limited to the range of the type, as Rust's `as` does from floats; floats are cut towards
    /// zero and NaN becomes 0 for integers.
    fn saturating(value: I) -> Self;

    /// Taken modulo 2^bits for integers. A float is first cut towards zero and limited to the
    /// range -2^63 .. 2^64.
    fn wrapping(value: I) -> Self;

    /// All values `saturating`; as many as the shorter slice has.
    fn saturating_slice(level: Level, from: &[I], to: &mut [Self])
    where
        Self: Sized;
}

/// A type that is made from each of the ten pixel types.
pub trait FromAny:
    CastFrom<i8>
    + CastFrom<u8>
    + CastFrom<i16>
    + CastFrom<u16>
    + CastFrom<i32>
    + CastFrom<u32>
    + CastFrom<i64>
    + CastFrom<u64>
    + CastFrom<f32>
    + CastFrom<f64>
{
}

/// [`CastFrom`] seen from the source.
pub trait Cast: Copy {
    /// Keeps every value of a float; keeps of an integer every bit that its wrapped conversions depend on.
    type Wide: Wide;

    fn cast<O: FromAny>(self) -> O;
    fn cast_wrapping<O: FromAny>(self) -> O;
    fn cast_slice<O: FromAny>(level: Level, from: &[Self], to: &mut [O]);
    fn widen(level: Level, from: &[Self], to: &mut [Self::Wide]);
    fn wrap_integers(level: Level, from: &[i64], to: &mut [Self]);
    fn wrap_floats(level: Level, from: &[f64], to: &mut [Self]);
}

/// `i64` or `f64`: wrapped conversions go through one of these two, so that each type needs two of them and not ten.
pub trait Wide: Copy + Default {
    fn wrap_slice<O: Cast>(level: Level, from: &[Self], to: &mut [O]);
}

impl Wide for i64 {
    fn wrap_slice<O: Cast>(level: Level, from: &[i64], to: &mut [O]) {
        O::wrap_integers(level, from, to);
    }
}

impl Wide for f64 {
    fn wrap_slice<O: Cast>(level: Level, from: &[f64], to: &mut [O]) {
        O::wrap_floats(level, from, to);
    }
}

per_level! {
    fn saturate_all<I: Copy, O: CastFrom<I>>(from: &[I], to: &mut [O]) = saturate_all_body;
}

#[inline(always)]
fn saturate_all_body<I: Copy, O: CastFrom<I>>(from: &[I], to: &mut [O]) {
    for (o, &v) in to.iter_mut().zip(from) {
        *o = O::saturating(v);
    }
}

per_level! {
    fn wrap_all<I: Copy, O: CastFrom<I>>(from: &[I], to: &mut [O]) = wrap_all_body;
}

#[inline(always)]
fn wrap_all_body<I: Copy, O: CastFrom<I>>(from: &[I], to: &mut [O]) {
    for (o, &v) in to.iter_mut().zip(from) {
        *o = O::wrapping(v);
    }
}

macro_rules! int_from_int {
    ($o:ty: $($i:ty)*) => {$(
        impl CastFrom<$i> for $o {
            #[inline(always)]
            fn saturating(value: $i) -> $o {
                // The limits of the target as far as the source can reach them.
                const LOW: $i = if (<$o>::MIN as i128) > (<$i>::MIN as i128) { <$o>::MIN as $i } else { <$i>::MIN };
                const HIGH: $i = if (<$o>::MAX as i128) < (<$i>::MAX as i128) { <$o>::MAX as $i } else { <$i>::MAX };
                value.clamp(LOW, HIGH) as $o
            }
            #[inline(always)]
            fn wrapping(value: $i) -> $o { value as $o }
            #[inline(never)]
            fn saturating_slice(level: Level, from: &[$i], to: &mut [$o]) { saturate_all(level, from, to); }
        }
    )*};
}

// `as` from a float does not become vector code; a clamp followed by an unchecked conversion
// through `$via` does. For targets whose every value is exact in the float.
macro_rules! small_int_from_float {
    ($o:ty, $via:ty: $($f:ty)*) => {$(
        impl CastFrom<$f> for $o {
            #[inline(always)]
            fn saturating(value: $f) -> $o {
                const LOW: $f = <$o>::MIN as $f;
                const HIGH: $f = <$o>::MAX as $f;
                // Where `LOW` is 0 the next comparison, which is false for NaN, gives 0.
                let value = if LOW != 0.0 && value.is_nan() { 0.0 } else { value };
                let value = if value > LOW { value } else { LOW };
                let value = if value < HIGH { value } else { HIGH };
                // SAFETY: the value is not NaN and lies within the range of `$o`, hence of `$via`.
                unsafe { value.to_int_unchecked::<$via>() as $o }
            }
            #[inline(always)]
            fn wrapping(value: $f) -> $o { wrap_float!(value as $o) }
            #[inline(never)]
            fn saturating_slice(level: Level, from: &[$f], to: &mut [$o]) { saturate_all(level, from, to); }
        }
    )*};
}

// For targets whose largest value is not exact in the float.
macro_rules! large_int_from_float {
    ($o:ty: $($f:ty)*) => {$(
        impl CastFrom<$f> for $o {
            #[inline(always)]
            fn saturating(value: $f) -> $o {
                const LOW: $f = <$o>::MIN as $f;
                const BEYOND: $f = <$o>::MAX as $f;
                let above = value >= BEYOND;
                let value = if LOW != 0.0 && value.is_nan() { 0.0 } else { value };
                let value = if value > LOW { value } else { LOW };
                let value = if above { 0.0 } else { value };
                // SAFETY: the value is not NaN, not below the smallest value of `$o`, and below
                // `BEYOND`, which is the largest one rounded up to a power of two.
                let inside = unsafe { value.to_int_unchecked::<$o>() };
                if above { <$o>::MAX } else { inside }
            }
            #[inline(always)]
            fn wrapping(value: $f) -> $o { wrap_float!(value as $o) }
            #[inline(never)]
            fn saturating_slice(level: Level, from: &[$f], to: &mut [$o]) { saturate_all(level, from, to); }
        }
    )*};
}

// The range of an `i64` below 0 and of a `u64` above it: no single type has both.
macro_rules! wrap_float {
    ($value:ident as $o:ty) => {
        if $value < 0.0 { $value as i64 as $o } else { $value as u64 as $o }
    };
}

macro_rules! float_from {
    ($o:ty: $($i:ty)*) => {$(
        impl CastFrom<$i> for $o {
            #[inline(always)]
            fn saturating(value: $i) -> $o { value as $o }
            #[inline(always)]
            fn wrapping(value: $i) -> $o { value as $o }
            #[inline(never)]
            fn saturating_slice(level: Level, from: &[$i], to: &mut [$o]) { saturate_all(level, from, to); }
        }
    )*};
}

macro_rules! cast {
    ($($t:ty => $wide:ty;)*) => {$(
        impl FromAny for $t {}
        impl Cast for $t {
            type Wide = $wide;
            #[inline(always)]
            fn cast<O: FromAny>(self) -> O { <O as CastFrom<$t>>::saturating(self) }
            #[inline(always)]
            fn cast_wrapping<O: FromAny>(self) -> O { <O as CastFrom<$t>>::wrapping(self) }
            fn cast_slice<O: FromAny>(level: Level, from: &[$t], to: &mut [O]) {
                <O as CastFrom<$t>>::saturating_slice(level, from, to);
            }
            #[inline(never)]
            fn widen(level: Level, from: &[$t], to: &mut [$wide]) { wrap_all(level, from, to); }
            #[inline(never)]
            fn wrap_integers(level: Level, from: &[i64], to: &mut [$t]) { wrap_all(level, from, to); }
            #[inline(never)]
            fn wrap_floats(level: Level, from: &[f64], to: &mut [$t]) { wrap_all(level, from, to); }
        }
    )*};
}

macro_rules! all_sources {
    ($($o:ty)*) => {$( int_from_int!($o: i8 u8 i16 u16 i32 u32 i64 u64); )*};
}

all_sources!(i8 u8 i16 u16 i32 u32 i64 u64);
small_int_from_float!(i8, i32: f32 f64);
small_int_from_float!(u8, i32: f32 f64);
small_int_from_float!(i16, i32: f32 f64);
small_int_from_float!(u16, i32: f32 f64);
small_int_from_float!(i32, i32: f64);
small_int_from_float!(u32, u32: f64);
large_int_from_float!(i32: f32);
large_int_from_float!(u32: f32);
large_int_from_float!(i64: f32 f64);
large_int_from_float!(u64: f32 f64);
float_from!(f32: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);
float_from!(f64: i8 u8 i16 u16 i32 u32 i64 u64 f32 f64);
cast! {
    i8 => i64;
    u8 => i64;
    i16 => i64;
    u16 => i64;
    i32 => i64;
    u32 => i64;
    i64 => i64;
    u64 => i64;
    f32 => f64;
    f64 => f64;
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FLOATS: [f64; 22] = [
        0.0,
        -0.0,
        0.5,
        0.999,
        1.0,
        -1.0,
        127.9,
        128.0,
        -128.9,
        -129.0,
        255.5,
        256.0,
        65535.9,
        65536.0,
        2147483647.9,
        2147483648.0,
        4294967295.9,
        4294967296.0,
        9.3e18,
        1.9e19,
        f64::MAX,
        f64::INFINITY,
    ];

    macro_rules! same_as_rust {
        ($value:expr => $($o:ty)*) => {$(
            assert_eq!($value.cast::<$o>(), $value as $o, "{:?} to {}", $value, stringify!($o));
        )*};
    }

    #[test]
    fn floats_convert_as_rust_does() {
        for value in FLOATS.into_iter().flat_map(|v| [v, -v]).chain([f64::NAN]) {
            same_as_rust!(value => i8 u8 i16 u16 i32 u32 i64 u64);
            same_as_rust!((value as f32) => i8 u8 i16 u16 i32 u32 i64 u64);
        }
    }

    #[test]
    fn integers_saturate_and_wrap() {
        assert_eq!((-1i8).cast::<u64>(), 0);
        assert_eq!((-1i8).cast_wrapping::<u64>(), u64::MAX);
        assert_eq!(u64::MAX.cast::<i8>(), 127);
        assert_eq!(u64::MAX.cast_wrapping::<i8>(), -1);
        assert_eq!(i64::MIN.cast::<u16>(), 0);
        assert_eq!((-257.5f64).cast_wrapping::<u8>(), 255);
        assert_eq!((1.5 * 2f64.powi(63)).cast_wrapping::<u64>(), 3 << 62);
    }

    proptest! {
        #[test]
        fn any_float_converts_as_rust_does(bits: u64, exponent in -3i32..70, mantissa in -1.0f64..1.0) {
            for value in [f64::from_bits(bits), mantissa * 2f64.powi(exponent)] {
                same_as_rust!(value => i8 u8 i16 u16 i32 u32 i64 u64);
                let (ours, rust) = (value.cast::<f32>(), value as f32);
                prop_assert!(ours == rust || ours.is_nan() && rust.is_nan(), "{value:?} to {ours:?}");
                same_as_rust!((value as f32) => i8 u8 i16 u16 i32 u32 i64 u64);
            }
        }
    }
}
