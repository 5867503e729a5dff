//! Sums and sums of squares of pixels.

use std::ops::Range;

use livetime_frame::{DType, with_dtype};
use livetime_kernels::Level;
use livetime_kernels::accumulate::{self, Element, Exact};

/// Sums of each pixel, in the numbers that suit its type.
pub(super) enum Sums {
    /// 8 and 16 bits.
    Narrow(DType, Vec<i64>, Vec<u64>),
    /// 32 bits.
    Wide(DType, Vec<i64>, Vec<u128>),
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
    pub(super) fn new(dtype: DType, pixels: usize) -> Sums {
        match dtype {
            DType::I8 | DType::U8 | DType::I16 | DType::U16 => {
                Sums::Narrow(dtype, vec![0; pixels], vec![0; pixels])
            }
            DType::I32 | DType::U32 => Sums::Wide(dtype, vec![0; pixels], vec![0; pixels]),
            _ => {
                let zeros = || vec![0.0; pixels];
                Sums::Real(dtype, Real { pivots: zeros(), sums: zeros(), squares: zeros() })
            }
        }
    }

    /// Whether sums of pixels of that type are exact.
    pub(super) fn are_exact(dtype: DType) -> bool {
        dtype.bytes() <= 4 && !dtype.is_float()
    }

    /// Adds the pixels `range` of some events, cut out of their frames.
    pub(super) fn add(&mut self, frames: &[&[u8]], range: Range<usize>, is_first: bool) {
        // The lengths are right: frames have the size of the layout's panels.
        let _ = match self {
            Sums::Narrow(dtype, sums, squares) => {
                let (sums, squares) = (&mut sums[range.clone()], &mut squares[range]);
                match dtype {
                    DType::I8 => exact::<i8>(frames, sums, squares),
                    DType::U8 => exact::<u8>(frames, sums, squares),
                    DType::I16 => exact::<i16>(frames, sums, squares),
                    _ => exact::<u16>(frames, sums, squares),
                }
            }
            Sums::Wide(dtype, sums, squares) => {
                let (sums, squares) = (&mut sums[range.clone()], &mut squares[range]);
                match dtype {
                    DType::I32 => exact::<i32>(frames, sums, squares),
                    _ => exact::<u32>(frames, sums, squares),
                }
            }
            Sums::Real(dtype, real) => with_dtype!(*dtype, T => real.add::<T>(frames, range, is_first)),
        };
    }

    /// Takes in the sums of later events and leaves them empty. `counts`: events of both.
    pub(super) fn merge(&mut self, counts: (u64, u64), next: &mut Sums) {
        match (self, next) {
            (Sums::Narrow(_, sums, squares), Sums::Narrow(_, next_sums, next_squares)) => {
                take_in(sums, next_sums);
                take_in(squares, next_squares);
            }
            (Sums::Wide(_, sums, squares), Sums::Wide(_, next_sums, next_squares)) => {
                take_in(sums, next_sums);
                take_in(squares, next_squares);
            }
            (Sums::Real(_, real), Sums::Real(_, next)) => real.merge(counts, next),
            _ => {}
        }
    }

    pub(super) fn means(&self, events: u64, out: &mut Vec<f64>) {
        let n = events as f64;
        match self {
            Sums::Narrow(_, sums, _) | Sums::Wide(_, sums, _) => {
                out.extend(sums.iter().map(|s| *s as f64 / n))
            }
            Sums::Real(_, real) => out.extend(real.pivots.iter().zip(&real.sums).map(|(p, s)| p + s / n)),
        }
    }

    pub(super) fn deviations(&self, events: u64, out: &mut Vec<f64>) {
        match self {
            Sums::Narrow(_, sums, squares) => deviations(events, sums, squares, out),
            Sums::Wide(_, sums, squares) => deviations(events, sums, squares, out),
            Sums::Real(_, real) => real.deviations(events, out),
        }
    }

    /// Exact sums; none of numbers that are not.
    pub(super) fn integers(&self, out: &mut Vec<i64>) {
        if let Sums::Narrow(_, sums, _) | Sums::Wide(_, sums, _) = self {
            out.extend_from_slice(sums);
        }
    }

    /// Sums of any numbers.
    pub(super) fn numbers(&self, events: u64, out: &mut Vec<f64>) {
        match self {
            Sums::Narrow(_, sums, _) | Sums::Wide(_, sums, _) => out.extend(sums.iter().map(|s| *s as f64)),
            Sums::Real(_, real) => {
                out.extend(real.pivots.iter().zip(&real.sums).map(|(p, s)| p * events as f64 + s));
            }
        }
    }
}

fn exact<T: Exact>(
    frames: &[&[u8]],
    sums: &mut [i64],
    squares: &mut [T::Square],
) -> Result<(), livetime_kernels::LengthError> {
    accumulate::exact::<T>(Level::best(), frames, sums, squares)
}

fn take_in<T: Copy + Default + std::ops::AddAssign>(sums: &mut [T], next: &mut [T]) {
    for (sum, next) in sums.iter_mut().zip(next) {
        *sum += std::mem::take(next);
    }
}

/// √(nΣv² − (Σv)²)/n: the difference is exact, so that nothing cancels.
fn deviations<T: Copy + Into<u128>>(events: u64, sums: &[i64], squares: &[T], out: &mut Vec<f64>) {
    let n = events as f64;
    let deviation = |(sum, square): (&i64, &T)| {
        let square_of_sum = u128::from(sum.unsigned_abs()) * u128::from(sum.unsigned_abs());
        let all: u128 = (*square).into();
        let difference = (u128::from(events) * all).saturating_sub(square_of_sum);
        // Mostly 64 bits are enough, which the processor converts itself.
        let difference = u64::try_from(difference).map_or_else(|_| difference as f64, |short| short as f64);
        difference.sqrt() / n
    };
    out.extend(sums.iter().zip(squares).map(deviation));
}

impl Real {
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
                *pivot = if value.is_finite() { value } else { 0.0 };
            }
        }
        let (sums, squares) = (&mut self.sums[range.clone()], &mut self.squares[range]);
        accumulate::about::<T>(Level::best(), frames, pivots, sums, squares)
    }

    /// Sums about another pivot are sums about this one, moved by the distance of the pivots.
    fn merge(&mut self, (events, next_events): (u64, u64), next: &mut Real) {
        if events == 0 {
            std::mem::swap(self, next);
            return;
        }
        let n = next_events as f64;
        for i in 0..self.pivots.len() {
            let distance = next.pivots[i] - self.pivots[i];
            self.sums[i] += next.sums[i] + n * distance;
            self.squares[i] += next.squares[i] + distance * (2.0 * next.sums[i] + n * distance);
        }
        next.sums.fill(0.0);
        next.squares.fill(0.0);
    }

    fn deviations(&self, events: u64, out: &mut Vec<f64>) {
        let n = events as f64;
        let deviation = |(sum, square): (&f64, &f64)| {
            let variance = (square - sum * sum / n) / n;
            // Rounding may leave less than nothing; NaN stays.
            if variance < 0.0 { 0.0 } else { variance.sqrt() }
        };
        out.extend(self.sums.iter().zip(&self.squares).map(deviation));
    }
}
