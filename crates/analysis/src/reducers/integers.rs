//! Exact sums of integers of up to 32 bits, and of their squares where deviations are wanted.

use std::ops::{AddAssign, Range};

use livetime_kernels::accumulate::{self, Exact};
use livetime_kernels::{LengthError, Level};

use super::lengths::CountedTwice;
use super::moments::Moments;

/// Sums of each pixel. Sums of squares, of the type `Q`, take at least as much memory again, so a mean alone has none.
pub(super) struct Integers<Q> {
    pub(super) sums: Vec<i64>,
    pub(super) squares: Option<Vec<Q>>,
}

impl<Q: Copy + Default + Into<u128> + AddAssign> Integers<Q> {
    pub(super) fn new(pixels: usize, wants_squares: bool) -> Integers<Q> {
        let squares = wants_squares.then(|| vec![Q::default(); pixels]);
        Integers { sums: vec![0; pixels], squares }
    }

    pub(super) fn grow(&mut self, pixels: usize) {
        lengthen(&mut self.sums, pixels);
        self.squares.iter_mut().for_each(|squares| lengthen(squares, pixels));
    }

    pub(super) fn clear(&mut self, range: Range<usize>) {
        self.sums[range.clone()].fill(0);
        self.squares.iter_mut().for_each(|squares| squares[range.clone()].fill(Q::default()));
    }

    pub(super) fn add<T: Exact<Square = Q>>(
        &mut self,
        frames: &[&[u8]],
        range: Range<usize>,
    ) -> Result<(), LengthError> {
        let sums = &mut self.sums[range.clone()];
        match &mut self.squares {
            Some(squares) => accumulate::exact::<T>(Level::best(), frames, sums, &mut squares[range]),
            None => accumulate::sums::<T>(Level::best(), frames, sums),
        }
    }

    /// Both are of the same analysis, so both have squares, or none has.
    pub(super) fn merge(&mut self, pieces: &[CountedTwice], next: &Integers<Q>) {
        take_in(pieces, &mut self.sums, &next.sums);
        if let (Some(squares), Some(next)) = (&mut self.squares, &next.squares) {
            take_in(pieces, squares, next);
        }
    }

    /// √(nΣv² − (Σv)²)/n: the difference is exact, so that nothing cancels.
    pub(super) fn deviations(&self, range: &Range<usize>, events: u64, out: &mut Vec<f64>) {
        let n = events as f64;
        let deviation = |(sum, square): (&i64, &Q)| {
            let square_of_sum = u128::from(sum.unsigned_abs()) * u128::from(sum.unsigned_abs());
            let all: u128 = (*square).into();
            let difference = (u128::from(events) * all).saturating_sub(square_of_sum);
            // Mostly 64 bits are enough, which the processor converts itself.
            let difference =
                u64::try_from(difference).map_or_else(|_| difference as f64, |short| short as f64);
            difference.sqrt() / n
        };
        let sums = &self.sums[range.clone()];
        let squares = self.squares.iter().flat_map(|squares| &squares[range.clone()]);
        out.extend(sums.iter().zip(squares).map(deviation));
    }

    /// Moments of all values of some pixels of `events` events.
    pub(super) fn moments(&self, range: &Range<usize>, events: u64) -> Moments {
        let sum = self.sums[range.clone()].iter().map(|sum| i128::from(*sum)).sum();
        let squares = self.squares.iter().flat_map(|squares| &squares[range.clone()]);
        Moments::exact(range.len() as u64 * events, sum, squares.map(|square| (*square).into()).sum())
    }
}

pub(super) fn lengthen<T: Copy + Default>(values: &mut Vec<T>, pixels: usize) {
    values.resize(values.len().max(pixels), T::default());
}

fn take_in<T: Copy + AddAssign>(pieces: &[CountedTwice], sums: &mut [T], next: &[T]) {
    for (range, [events, _]) in pieces.iter().filter(|(_, [_, next_events])| *next_events > 0) {
        let (sums, next) = (&mut sums[range.clone()], &next[range.clone()]);
        if *events == 0 {
            sums.copy_from_slice(next);
        } else {
            sums.iter_mut().zip(next).for_each(|(sum, next)| *sum += *next);
        }
    }
}
