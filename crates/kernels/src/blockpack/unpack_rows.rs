//! From packed rows to elements.

#[cfg(target_arch = "x86_64")]
use super::vector::Vector;
#[cfg(target_arch = "x86_64")]
use super::vector_x86::{Avx2, Avx512};
use super::word::unpack_words;
use super::{GROUP, ROW, Word};

/// How a level unpacks a whole group.
pub(super) trait Rows {
    /// Unpacks numbers of so many bits from as many rows, and adds `base` and the reference to them.
    fn unpack<T: Word>(width: u32, rows: &[u8], base: T, reference: &[u8], elements: &mut [u8]);
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
                    // SAFETY: as that of the vectors: only where `per_level!` compiled for this level.
                    $($width => unsafe { of_width::<T, $width>(rows, base, reference, elements) },)*
                    _ => {}
                }
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
    if W > T::BITS || rows.len() != W as usize || reference.len() != count || elements.len() != count {
        return;
    }
    let (base, mask) = (V::splat(base), V::splat(T::ones(W)));
    for part in 0..ROW / V::BYTES {
        each_row!(i of T::BITS as usize => {
            let (row, bit) = (i * W as usize / count, (i as u32 * W) % T::BITS);
            let mut x = base.plus::<T>(V::load(&reference[i], part));
            if W > 0 {
                let mut low = V::load(&rows[row], part).right::<T>(bit);
                if bit + W > T::BITS {
                    low = low.or(V::load(&rows[row + 1], part).left::<T>(T::BITS - bit));
                }
                x = x.plus::<T>(low.and(mask));
            }
            x.store(&mut elements[i], part);
        }, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    }
}
