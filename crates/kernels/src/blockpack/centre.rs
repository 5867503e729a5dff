//! The centre of a group: the mean of its differences, those far from the median of some samples counted as less far.

use super::word::LANES;
use super::{BLOCK, GROUP, Word};

/// The sample of a group's elements that estimates where the others lie: odd, so that the median is one of them.
const SAMPLES: usize = 9;
/// Groups of a block.
const GROUPS: usize = BLOCK / GROUP;

/// Medians of samples, and how far from them the others may lie, for all groups of a block side by side.
pub(super) struct Guesses<T> {
    medians: [T; GROUPS],
    limits: [T; GROUPS],
}

impl<T: Word> Guesses<T> {
    #[inline(always)]
    pub(super) fn new(input: &[u8], reference: Option<&[u8]>) -> Guesses<T> {
        let (mut firsts, mut samples) = ([T::default(); GROUPS], [[T::default(); GROUPS]; SAMPLES]);
        let (input, reference) = (T::split(input), T::split(reference.unwrap_or_default()));
        for (group, elements) in input.chunks(GROUP).take(GROUPS).enumerate() {
            let reference = reference.get(group * GROUP..).unwrap_or_default();
            let difference = |i: usize| {
                // Without a reference its elements count as 0.
                let r = reference.get(i).copied().unwrap_or_default();
                T::from_le(elements[i]).minus(T::from_le(r))
            };
            // Differences wrap round: only their distances from one of them compare as numbers with sign.
            firsts[group] = difference(0);
            for (i, samples) in samples.iter_mut().enumerate() {
                samples[group] = difference(i * elements.len() / SAMPLES).minus(firsts[group]);
            }
        }
        sort(&mut samples);
        let medians = std::array::from_fn(|i| firsts[i].plus(samples[SAMPLES / 2][i]));
        // Without the lowest and the highest sample, which may be outliers.
        let limits = std::array::from_fn(|i| limit(samples[1][i], samples[SAMPLES - 2][i]));
        Guesses { medians, limits }
    }

    #[inline(always)]
    pub(super) fn of(&self, group: usize) -> (T, T) {
        // The remainders change nothing, and show the compiler that the index is in bounds.
        (self.medians[group % GROUPS], self.limits[group % GROUPS])
    }
}

/// Sorts the samples of each group, all groups at once, by exchanging neighbours without a branch.
#[inline(always)]
fn sort<T: Word>(samples: &mut [[T; GROUPS]; SAMPLES]) {
    // Odd and even pairs in turn sort as many samples as there are rounds.
    for round in 0..SAMPLES {
        for i in (round % 2..SAMPLES - 1).step_by(2) {
            let (a, b) = (samples[i], samples[i + 1]);
            for group in 0..GROUPS {
                let swap = a[group].exceeds(b[group]);
                samples[i][group] = if swap { b[group] } else { a[group] };
                samples[i + 1][group] = if swap { a[group] } else { b[group] };
            }
        }
    }
}

/// How far from the median a difference may be counted. The sum of a lane must not wrap round.
#[inline(always)]
fn limit<T: Word>(second: T, last_but_one: T) -> T {
    let most = (1i64 << (T::BITS - 1)) / (GROUP / LANES) as i64 - 1;
    T::from_low((2 * (last_but_one.signed() - second.signed()) + 4).min(most))
}

/// The centre of a whole group, from the median and the limit that were guessed.
#[inline(always)]
pub(super) fn centre<T: Word>(differences: &[T; GROUP], (median, limit): (T, T)) -> T {
    let mut sums = [T::default(); LANES];
    for row in differences.as_chunks::<LANES>().0 {
        for (sum, d) in sums.iter_mut().zip(row) {
            *sum = sum.plus(d.minus(median).limited(limit));
        }
    }
    // Half of the group is added, so that the shift rounds to the nearest.
    median.plus(T::from_low((T::total(&sums) + GROUP as i64 / 2) >> GROUP.ilog2()))
}
