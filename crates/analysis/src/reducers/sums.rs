//! Sums and sums of squares of pixels.

use std::ops::Range;

use bytemuck::Pod;
use livetime_frame::{DType, with_dtype};
use livetime_kernels::Level;
use livetime_kernels::accumulate::{self, Element};

use super::integers::{Integers, lengthen};
use super::lengths::{Counted, CountedTwice};
use super::moments::Moments;
use crate::{Loader, ReduceError, Saver};

/// Sums of each pixel, in the numbers that suit its type.
pub(super) enum Sums {
    /// 8 and 16 bits.
    Narrow(DType, Integers<u64>),
    /// 32 bits.
    Wide(DType, Integers<u128>),
    /// 64 bits and floats.
    Real(DType, Real),
}

/// Sums of the distances from a pivot, which is the first value of the pixel.
pub(super) struct Real {
    pivots: Vec<f64>,
    sums: Vec<f64>,
    squares: Vec<f64>,
}

impl Sums {
    /// Of floats and 64 bits squares are always kept: their sums are not made at the speed of memory anyhow.
    pub(super) fn new(dtype: DType, pixels: usize, wants_squares: bool) -> Sums {
        match dtype {
            DType::I8 | DType::U8 | DType::I16 | DType::U16 => {
                Sums::Narrow(dtype, Integers::new(pixels, wants_squares))
            }
            DType::I32 | DType::U32 => Sums::Wide(dtype, Integers::new(pixels, wants_squares)),
            // Floats and integers of 64 bits have no exact sums in 64 bits.
            _ => {
                let zeros = || vec![0.0; pixels];
                Sums::Real(dtype, Real { pivots: zeros(), sums: zeros(), squares: zeros() })
            }
        }
    }

    /// Bytes for a pixel.
    pub(super) fn bytes(dtype: DType, wants_squares: bool) -> usize {
        match dtype {
            DType::I8 | DType::U8 | DType::I16 | DType::U16 => {
                if wants_squares {
                    16
                } else {
                    8
                }
            }
            DType::I32 | DType::U32 => {
                if wants_squares {
                    24
                } else {
                    8
                }
            }
            _ => 24,
        }
    }

    /// Grows to at least `pixels` pixels.
    pub(super) fn grow(&mut self, pixels: usize) {
        match self {
            Sums::Narrow(_, exact) => exact.grow(pixels),
            Sums::Wide(_, exact) => exact.grow(pixels),
            Sums::Real(_, real) => {
                let all = [&mut real.pivots, &mut real.sums, &mut real.squares];
                all.into_iter().for_each(|values| lengthen(values, pixels));
            }
        }
    }

    /// Whether sums of pixels of that type are exact.
    pub(super) fn are_exact(dtype: DType) -> bool {
        // Sums of 4-byte integers stay below 2^63 for all events of a run.
        dtype.bytes() <= 4 && !dtype.is_float()
    }

    /// Adds the pixels `range` of some events, cut out of their frames; with `is_first` the old sums are ignored.
    pub(super) fn add(&mut self, frames: &[&[u8]], range: Range<usize>, is_first: bool) {
        // The memory is cleared piece by piece, so that each page is written where it is next used.
        if is_first {
            self.clear(range.clone());
        }
        // The lengths are right: frames have the size of the layout's panels.
        let _ = match self {
            Sums::Narrow(dtype, exact) => match dtype {
                DType::I8 => exact.add::<i8>(frames, range),
                DType::U8 => exact.add::<u8>(frames, range),
                DType::I16 => exact.add::<i16>(frames, range),
                _ => exact.add::<u16>(frames, range),
            },
            Sums::Wide(dtype, exact) => match dtype {
                DType::I32 => exact.add::<i32>(frames, range),
                _ => exact.add::<u32>(frames, range),
            },
            Sums::Real(dtype, real) => with_dtype!(*dtype, T => real.add::<T>(frames, range, is_first)),
        };
    }

    /// Zeroes the sums before their first use. Memory that the system gave as zeros is mapped once if it is written
    /// before it is read; else twice, and the second mapping interrupts all threads page by page, which took longer
    /// than the sums of a short run.
    fn clear(&mut self, range: Range<usize>) {
        match self {
            Sums::Narrow(_, exact) => exact.clear(range),
            Sums::Wide(_, exact) => exact.clear(range),
            Sums::Real(_, real) => {
                real.sums[range.clone()].fill(0.0);
                real.squares[range].fill(0.0);
            }
        }
    }

    /// Takes in the sums of later events, which are not longer and are nothing any more after it. `pieces`: the pixels with the events
    /// of both.
    pub(super) fn merge(&mut self, pieces: &[CountedTwice], next: &Sums) {
        match (self, next) {
            (Sums::Narrow(_, exact), Sums::Narrow(_, next)) => exact.merge(pieces, next),
            (Sums::Wide(_, exact), Sums::Wide(_, next)) => exact.merge(pieces, next),
            (Sums::Real(_, real), Sums::Real(_, next)) => real.merge(pieces, next),
            // Both have the type of the same panel, so the kinds never differ.
            _ => {}
        }
    }

    /// The sums of the first pixels.
    pub(super) fn save(&self, pixels: usize, out: &mut Saver) {
        match self {
            Sums::Narrow(_, Integers { sums, squares }) => {
                out.list(&sums[..pixels]);
                squares.iter().for_each(|squares| out.list(&squares[..pixels]));
            }
            Sums::Wide(_, Integers { sums, squares }) => {
                out.list(&sums[..pixels]);
                squares.iter().for_each(|squares| out.list_u128(&squares[..pixels]));
            }
            Sums::Real(_, Real { pivots, sums, squares }) => {
                [pivots, sums, squares].iter().for_each(|values| out.list(&values[..pixels]));
            }
        }
    }

    /// Takes the sums of the first pixels, which are sums of at most `events` values.
    pub(super) fn load(
        &mut self,
        pixels: usize,
        events: u64,
        from: &mut Loader<'_>,
    ) -> Result<(), ReduceError> {
        match self {
            Sums::Narrow(dtype, Integers { sums, squares }) => {
                let most = largest(*dtype, events, pixels)?;
                take(&mut sums[..pixels], from, |sum| sum.unsigned_abs() <= most)?;
                let Some(squares) = squares else { return Ok(()) };
                // A square is at most 2^16 times the value of 16 bits.
                take(&mut squares[..pixels], from, |square| u128::from(*square) <= u128::from(most) << 16)
            }
            Sums::Wide(dtype, Integers { sums, squares }) => {
                let most = largest(*dtype, events, pixels)?;
                take(&mut sums[..pixels], from, |sum| sum.unsigned_abs() <= most)?;
                let Some(squares) = squares else { return Ok(()) };
                // A square is at most 2^32 times the value of 32 bits.
                take(&mut squares[..pixels], from, |square| *square <= u128::from(most) << 32)
            }
            Sums::Real(_, real) => {
                for values in [&mut real.pivots, &mut real.sums, &mut real.squares] {
                    // Doubles may be anything, also NaN.
                    take(&mut values[..pixels], from, |_| true)?;
                }
                Ok(())
            }
        }
    }

    /// Appends the mean of each pixel of `pieces`.
    pub(super) fn means(&self, pieces: &[Counted], out: &mut Vec<f64>) {
        for (range, events) in pieces {
            let n = *events as f64;
            match self {
                Sums::Narrow(_, Integers { sums, .. }) | Sums::Wide(_, Integers { sums, .. }) => {
                    out.extend(sums[range.clone()].iter().map(|s| *s as f64 / n));
                }
                Sums::Real(_, real) => out.extend(real.values(range).map(|(p, s, _)| p + s / n)),
            }
        }
    }

    /// Appends the standard deviation of each pixel of `pieces`; nothing without squares.
    pub(super) fn deviations(&self, pieces: &[Counted], out: &mut Vec<f64>) {
        for (range, events) in pieces {
            match self {
                Sums::Narrow(_, exact) => exact.deviations(range, *events, out),
                Sums::Wide(_, exact) => exact.deviations(range, *events, out),
                Sums::Real(_, real) => real.deviations(range, *events, out),
            }
        }
    }

    /// All values of `pieces` together; without squares their spread means nothing.
    pub(super) fn moments(&self, pieces: &[Counted]) -> Moments {
        let mut all = Moments::default();
        for (range, events) in pieces {
            match self {
                Sums::Narrow(_, exact) => all.add(exact.moments(range, *events)),
                Sums::Wide(_, exact) => all.add(exact.moments(range, *events)),
                Sums::Real(_, real) => {
                    real.values(range).for_each(|(p, s, q)| all.add(Moments::about(*events, p, s, q)));
                }
            }
        }
        all
    }

    /// Appends the exact sums of `pieces`; none of numbers that are not.
    pub(super) fn integers(&self, pieces: &[Counted], out: &mut Vec<i64>) {
        // Doubles have no exact sums.
        if let Sums::Narrow(_, Integers { sums, .. }) | Sums::Wide(_, Integers { sums, .. }) = self {
            pieces.iter().for_each(|(range, _)| out.extend_from_slice(&sums[range.clone()]));
        }
    }

    /// Appends the sums of `pieces`, of any numbers.
    pub(super) fn numbers(&self, pieces: &[Counted], out: &mut Vec<f64>) {
        for (range, events) in pieces {
            match self {
                Sums::Narrow(_, Integers { sums, .. }) | Sums::Wide(_, Integers { sums, .. }) => {
                    out.extend(sums[range.clone()].iter().map(|s| *s as f64));
                }
                Sums::Real(_, real) => out.extend(real.values(range).map(|(p, s, _)| p * *events as f64 + s)),
            }
        }
    }
}

/// The largest sum of `events` values of the type, checked so that all values of all pixels can be summed too.
fn largest(dtype: DType, events: u64, pixels: usize) -> Result<u64, ReduceError> {
    let values = events.checked_mul(pixels as u64).filter(|values| *values <= 1 << 60);
    values.ok_or_else(|| format!("wanted up to 2^60 values, found {events} events of {pixels} pixels"))?;
    // A product beyond 64 bits stays the largest number, and every sum passes the check.
    Ok(events.saturating_mul(1 << (8 * dtype.bytes())))
}

/// Fills `values` with numbers that pass the check `is_possible`.
fn take<T: Pod>(
    values: &mut [T],
    from: &mut Loader<'_>,
    is_possible: impl Fn(&T) -> bool,
) -> Result<(), ReduceError> {
    from.fill(values)?;
    // A whole block at a time, since a search that may end anywhere is not made of vectors.
    if !values.chunks(256).all(|block| block.iter().fold(true, |all, value| all & is_possible(value))) {
        return Err("wanted sums of so many events, found one that is too large".into());
    }
    Ok(())
}

impl Real {
    /// Pivots, sums and squares.
    fn values(&self, range: &Range<usize>) -> impl Iterator<Item = (f64, f64, f64)> {
        let at = || range.clone();
        let sums = self.sums[at()].iter().zip(&self.squares[at()]);
        self.pivots[at()].iter().zip(sums).map(|(p, (s, q))| (*p, *s, *q))
    }

    fn add<T: Element>(
        &mut self,
        frames: &[&[u8]],
        range: Range<usize>,
        is_first: bool,
    ) -> Result<(), livetime_kernels::LengthError> {
        let pivots = &mut self.pivots[range.clone()];
        if let (true, Some(first)) = (is_first, frames.first()) {
            for (i, pivot) in pivots.iter_mut().enumerate() {
                let value = T::load::<1>(first, i)[0].to_f64();
                // A pivot of NaN or infinity would make all later sums NaN.
                *pivot = if value.is_finite() { value } else { 0.0 };
            }
        }
        let (sums, squares) = (&mut self.sums[range.clone()], &mut self.squares[range]);
        accumulate::about::<T>(Level::best(), frames, pivots, sums, squares)
    }

    /// Sums about another pivot are sums about this one, moved by the distance of the pivots.
    fn merge(&mut self, pieces: &[CountedTwice], next: &Real) {
        for (range, [events, next_events]) in pieces.iter().filter(|(_, [_, next])| *next > 0) {
            let at = || range.clone();
            // Without earlier events there is no pivot, so the pivot of the later events is taken.
            if *events == 0 {
                self.pivots[at()].copy_from_slice(&next.pivots[at()]);
                self.sums[at()].copy_from_slice(&next.sums[at()]);
                self.squares[at()].copy_from_slice(&next.squares[at()]);
                continue;
            }
            let n = *next_events as f64;
            for i in at() {
                let distance = next.pivots[i] - self.pivots[i];
                self.sums[i] += next.sums[i] + n * distance;
                self.squares[i] += next.squares[i] + distance * (2.0 * next.sums[i] + n * distance);
            }
        }
    }

    fn deviations(&self, range: &Range<usize>, events: u64, out: &mut Vec<f64>) {
        let n = events as f64;
        out.extend(self.values(range).map(|(_, sum, square)| {
            let variance = (square - sum * sum / n) / n;
            // Rounding may leave less than nothing; NaN stays.
            if variance < 0.0 { 0.0 } else { variance.sqrt() }
        }));
    }
}
