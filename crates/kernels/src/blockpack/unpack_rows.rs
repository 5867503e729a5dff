//! From packed rows to elements.

use super::word::unpack_words;
#[cfg(target_arch = "x86_64")]
use super::word_lanes::{left, minus, plus, right, splat};
use super::{GROUP, ROW, Word};
#[cfg(target_arch = "x86_64")]
use crate::vector::{self, Avx2, Avx512, Vector};

/// How a level unpacks a whole group.
pub(super) trait Rows {
    /// Unpacks numbers of `width` bits from `width` rows, and adds `base` and the reference to them.
    fn unpack<T: Word>(width: u32, rows: &[u8], base: T, reference: &[u8], elements: &mut [u8]);

    /// Puts three bits of high parts, each in the order of a row of width 1, above the `width` bits of `low`; unfolds the
    /// sign, and adds the centre of each eighth of the group and the reference. `width` is less than the bits of a word.
    fn unfold<T: Word>(
        width: u32,
        low: &[u8],
        high: &[[u8; ROW]; 3],
        centres: &[T; 8],
        reference: &[u8],
        elements: &mut [u8],
    );
}

/// For every processor: any width in the same loop.
pub(super) struct Portable;

impl Rows for Portable {
    #[inline(always)]
    fn unpack<T: Word>(width: u32, rows: &[u8], base: T, reference: &[u8], elements: &mut [u8]) {
        let mut numbers = [T::default(); GROUP];
        unpack_words(width, rows, &mut numbers);
        for ((x, z), r) in T::split_mut(elements).iter_mut().zip(&numbers).zip(T::split(reference)) {
            *x = z.plus(base).plus(T::from_le(*r)).to_le();
        }
    }

    #[inline(always)]
    fn unfold<T: Word>(
        width: u32,
        low: &[u8],
        high: &[[u8; ROW]; 3],
        centres: &[T; 8],
        reference: &[u8],
        elements: &mut [u8],
    ) {
        let lanes = ROW / size_of::<T>();
        let (low, reference) = (T::split(low).chunks_exact(lanes), T::split(reference).chunks_exact(lanes));
        let (rows, one) = (T::split_mut(elements).chunks_exact_mut(lanes), T::from_low(1));
        for (i, ((row, low), reference)) in (0..T::BITS).zip(rows.zip(low).zip(reference)) {
            let centre = centres[i as usize * 8 / T::BITS as usize];
            for (lane, x) in row.iter_mut().enumerate() {
                let bit = |plane: usize| T::from_le(T::split(&high[plane])[lane]) >> i & one;
                let high = bit(0) | bit(1) << 1 | bit(2) << 2;
                let number = T::from_le(low[lane]) | high << width;
                // An odd number is a negative remainder: all its bits are turned over.
                let remainder = number >> 1 ^ T::default().minus(number & one);
                *x = remainder.plus(centre).plus(T::from_le(reference[lane])).to_le();
            }
        }
    }
}

/// A loop for each width, in which all shifts are known when it is compiled.
macro_rules! loops_by_width {
    ($vector:ident, $features:literal, $($width:literal)*) => {
        #[cfg(target_arch = "x86_64")]
        impl Rows for $vector {
            #[inline(always)]
            fn unpack<T: Word>(
                width: u32,
                rows: &[u8],
                base: T,
                reference: &[u8],
                elements: &mut [u8],
            ) {
                #[target_feature(enable = $features)]
                fn of_width<T: Word, const W: u32>(
                    rows: &[u8],
                    base: T,
                    reference: &[u8],
                    elements: &mut [u8],
                ) {
                    unpack_width::<$vector, T, W>(rows, base, reference, elements);
                }
                match width {
                    // SAFETY: as for the vectors: this runs only in functions that `per_level!` compiled for this
                    // level.
                    $($width => unsafe { of_width::<T, $width>(rows, base, reference, elements) },)*
                    _ => {}
                }
            }

            #[inline(always)]
            fn unfold<T: Word>(
                width: u32,
                low: &[u8],
                high: &[[u8; ROW]; 3],
                centres: &[T; 8],
                reference: &[u8],
                elements: &mut [u8],
            ) {
                unfold_vectors::<$vector, T>(width, low, high, centres, reference, elements);
            }
        }
    };
}

loops_by_width!(Avx2, "avx2", 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);
loops_by_width!(Avx512, "avx512f,avx512bw", 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32);

/// The step for all rows of a group one after the other, so that the compiler knows the number of each.
#[cfg(target_arch = "x86_64")]
macro_rules! each_row {
    ($i:ident of $count:expr => $step:block, $($number:literal)*) => {$(
        if $number < $count {
            let $i = $number;
            $step
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn unpack_width<V: Vector, T: Word, const W: u32>(
    rows: &[u8],
    base: T,
    reference: &[u8],
    elements: &mut [u8],
) {
    let (rows, count) = (rows.as_chunks::<ROW>().0, T::BITS as usize);
    let (reference, elements) = (reference.as_chunks::<ROW>().0, elements.as_chunks_mut::<ROW>().0);
    // True of no whole group; the compiler learns all lengths here, and checks no index below.
    if W > T::BITS || rows.len() != W as usize || reference.len() != count || elements.len() != count {
        return;
    }
    let (base, mask) = (splat::<V, T>(base), splat::<V, T>(T::ones(W)));
    for part in 0..parts::<V>() {
        each_row!(i of T::BITS as usize => {
            let (row, bit) = (i * W as usize / count, (i as u32 * W) % T::BITS);
            let mut x = plus::<V, T>(base, load(&reference[i], part));
            if W > 0 {
                let mut low = right::<V, T>(load(&rows[row], part), bit);
                // The number goes on in the next word of its lane.
                if bit + W > T::BITS {
                    low = low.or(left::<V, T>(load(&rows[row + 1], part), T::BITS - bit));
                }
                x = plus::<V, T>(x, low.and(mask));
            }
            store(x, &mut elements[i], part);
        }, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn unfold_vectors<V: Vector, T: Word>(
    width: u32,
    low: &[u8],
    high: &[[u8; ROW]; 3],
    centres: &[T; 8],
    reference: &[u8],
    elements: &mut [u8],
) {
    let (low, count) = (low.as_chunks::<ROW>().0, T::BITS as usize);
    let (reference, elements) = (reference.as_chunks::<ROW>().0, elements.as_chunks_mut::<ROW>().0);
    // As above.
    if width >= T::BITS || low.len() != count || reference.len() != count || elements.len() != count {
        return;
    }
    let bits: [V; 3] = [1, 2, 4].map(|bit| splat(T::from_low(bit)));
    for part in 0..parts::<V>() {
        let planes = high.map(|plane| load::<V>(&plane, part));
        each_row!(i of T::BITS as usize => {
            // Bit `i` of each plane, at the place of this plane in the high part.
            let mut high = right::<V, T>(planes[0], i as u32).and(bits[0]);
            for bit in 1..3 {
                let (plane, i) = (planes[bit as usize], i as u32);
                let moved = if i >= bit { right::<V, T>(plane, i - bit) } else { left::<V, T>(plane, bit - i) };
                high = high.or(moved.and(bits[bit as usize]));
            }
            let number = load::<V>(&low[i], part).or(left::<V, T>(high, width));
            let sign = minus::<V, T>(V::zero(), number.and(bits[0]));
            let base = plus::<V, T>(load(&reference[i], part), splat(centres[i * 8 / count]));
            let remainder = right::<V, T>(number, 1).xor(sign);
            store(plus::<V, T>(remainder, base), &mut elements[i], part);
        }, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    }
}

/// Vectors of a row.
#[cfg(target_arch = "x86_64")]
const fn parts<V>() -> usize {
    ROW / size_of::<V>()
}

/// Vector `part` of a row.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn load<V: Vector>(row: &[u8; ROW], part: usize) -> V {
    vector::load(&row[part * size_of::<V>()..])
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn store<V: Vector>(v: V, row: &mut [u8; ROW], part: usize) {
    vector::store(v, &mut row[part * size_of::<V>()..]);
}
