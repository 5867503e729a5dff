//! Shared data of the tests of the kernels: awkward sizes and awkward values.

use crate::Pixel;

/// Widths from nothing over three vectors of 64 lanes, with their tails.
pub(crate) const WIDTHS: [usize; 19] =
    [0, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 127, 130, 192, 201];

/// Calls `$f::<T, …>` for the ten pixel types.
macro_rules! for_all_pixels {
    ($f:ident $(, $more:ty)*) => {
        for_all_pixels!(@ $f ($($more),*): i8 u8 i16 u16 i32 u32 i64 u64 f32 f64)
    };
    (@ $f:ident $more:tt: $($t:ty)*) => {$( for_all_pixels!(# $f $t, $more); )*};
    (# $f:ident $t:ty, ($($more:ty),*)) => { $f::<$t $(, $more)*>() };
}

/// A repeatable sequence of numbers.
pub(crate) fn numbers(seed: u64) -> impl Iterator<Item = u64> {
    let mut x = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    std::iter::repeat_with(move || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x.wrapping_mul(0x2545_F491_4F6C_DD1D)
    })
}

/// Small values of both signs, with the extreme ones of the type strewn in, NaN and infinities too.
pub(crate) fn values<T: Pixel>(len: usize, seed: u64) -> Vec<T> {
    let odd = [T::LOWEST, T::HIGHEST, T::default(), T::from_f64(f64::NAN), T::from_f64(f64::INFINITY)];
    let value = |x: u64| match x % 16 {
        0 => odd[(x >> 8) as usize % odd.len()],
        _ => T::from_f64((x >> 40) as f64 / 8192.0 - 700.0),
    };
    numbers(seed).map(value).take(len).collect()
}

/// Small values without NaN or infinities.
pub(crate) fn tame<T: Pixel>(len: usize, seed: u64) -> Vec<T> {
    numbers(seed).map(|x| T::from_f64((x >> 44) as f64 / 4096.0)).take(len).collect()
}

/// Equal, or both NaN.
pub(crate) fn same<T: Pixel>(a: T, b: T) -> bool {
    let nan = |v: T| v.partial_cmp(&v).is_none();
    a == b || (nan(a) && nan(b))
}

/// Panics where the first difference is.
#[track_caller]
pub(crate) fn assert_same<T: Pixel>(got: &[T], expected: &[T], context: impl std::fmt::Debug) {
    assert_eq!(got.len(), expected.len(), "{context:?}");
    for (i, (&g, &e)) in got.iter().zip(expected).enumerate() {
        assert!(same(g, e), "element {i}: {g:?} instead of {e:?}, {context:?}");
    }
}

/// The file `name` of the recorded data, unpacked if it ends in `.zst`.
pub(crate) fn file(name: &str) -> Option<Vec<u8>> {
    let bytes = std::fs::read(livetime_testkit::data(name)?).unwrap();
    Some(if name.ends_with(".zst") { zstd::decode_all(&bytes[..]).unwrap() } else { bytes })
}

/// Numbers of a text table; lines that begin with `#` are left out.
pub(crate) fn table(text: &[u8]) -> Vec<Vec<i64>> {
    let text = std::str::from_utf8(text).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_whitespace().map(|n| n.parse().unwrap()).collect()).collect()
}
