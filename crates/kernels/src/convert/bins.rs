//! Bins of a line are added to sums.

use super::sums::SumOf;

per_level! {
    pub(super) fn add_bins<I: Copy, A: SumOf<I>>(row: &[I], sums: &mut [A], bin: usize, samples: usize)
        = add_bins_body;
}

#[inline(always)]
pub(super) fn add_bins_body<I: Copy, A: SumOf<I>>(row: &[I], sums: &mut [A], bin: usize, samples: usize) {
    match (samples, bin) {
        // In bins of one pixel each sample has a sum of its own, whatever its colour.
        (_, 1) => add_fixed::<1, I, A>(row, sums),
        (1, 2) => add_fixed::<2, I, A>(row, sums),
        (1, 3) => add_fixed::<3, I, A>(row, sums),
        (1, 4) => add_fixed::<4, I, A>(row, sums),
        (1, _) => {
            for (sum, bin) in sums.iter_mut().zip(row.chunks_exact(bin)) {
                for &v in bin {
                    *sum = sum.plus(A::of(v));
                }
            }
        }
        // Colours in bins of two pixels: again the compiler knows all lengths.
        (3, 2) => {
            let (sums, bins) = (sums.as_chunks_mut::<3>().0, row.as_chunks::<6>().0);
            for (sums, bin) in sums.iter_mut().zip(bins) {
                for (colour, sum) in sums.iter_mut().enumerate() {
                    *sum = sum.plus(A::of(bin[colour])).plus(A::of(bin[colour + 3]));
                }
            }
        }
        _ => {
            for (sums, bin) in sums.chunks_exact_mut(samples).zip(row.chunks_exact(bin * samples)) {
                for pixel in bin.chunks_exact(samples) {
                    for (sum, &v) in sums.iter_mut().zip(pixel) {
                        *sum = sum.plus(A::of(v));
                    }
                }
            }
        }
    }
}

/// Bins of a size known to the compiler, which then adds up many at a time.
#[inline(always)]
fn add_fixed<const N: usize, I: Copy, A: SumOf<I>>(row: &[I], sums: &mut [A]) {
    for (sum, bin) in sums.iter_mut().zip(row.as_chunks::<N>().0) {
        for &v in bin {
            *sum = sum.plus(A::of(v));
        }
    }
}
