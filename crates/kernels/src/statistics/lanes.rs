//! Loops over lanes, shaped so that the compiler keeps every lane array in vector registers.
//!
//! Each array is combined with the next chunk as a whole, and put into memory before its lanes are
//! folded. Otherwise the compiler plans the loop from the fold backwards, in pairs and with shuffles,
//! which costs a factor of three.

use std::hint::black_box;

/// `f` of both, lane by lane.
#[inline(always)]
pub(super) fn zip<A: Copy, B: Copy + Default, const N: usize>(
    chunk: &[A; N],
    lanes: &[B; N],
    f: impl Fn(A, B) -> B,
) -> [B; N] {
    let mut out = [B::default(); N];
    for i in 0..N {
        out[i] = f(chunk[i], lanes[i]);
    }
    out
}

/// All lanes combined by `f`, halves first. `N` is a power of two.
#[inline(always)]
pub(super) fn fold<B: Copy, const N: usize>(lanes: [B; N], f: impl Fn(B, B) -> B) -> B {
    let mut lanes = black_box(lanes);
    let mut half = N / 2;
    while half > 0 {
        for i in 0..half {
            lanes[i] = f(lanes[i + half], lanes[i]);
        }
        half /= 2;
    }
    lanes[0]
}

/// `row` combined by `f` in `N` lanes that start as `start`; `combine` joins lanes.
#[inline(always)]
pub(super) fn reduce<A: Copy, B: Copy + Default, const N: usize>(
    row: &[A],
    start: B,
    f: impl Fn(A, B) -> B,
    combine: impl Fn(B, B) -> B,
) -> B {
    let mut lanes = [start; N];
    let (chunks, tail) = row.as_chunks::<N>();
    for chunk in chunks {
        lanes = zip(chunk, &lanes, &f);
    }
    tail.iter().fold(fold(lanes, combine), |found, &v| f(v, found))
}
