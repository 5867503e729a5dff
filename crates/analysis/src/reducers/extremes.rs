//! The lowest and the highest value of pixels of any type.

use std::ops::Range;

use livetime_frame::{DType, with_dtype};
use livetime_kernels::{Level, Pixel, accumulate};

use crate::{Loader, ReduceError, Saver};

/// Lowest and highest values. They are kept in words, which are aligned for every type.
pub(super) struct Extremes {
    dtype: DType,
    lowest: Vec<u64>,
    highest: Vec<u64>,
}

impl Extremes {
    pub(super) fn new(dtype: DType, pixels: usize) -> Extremes {
        let mut extremes = Extremes { dtype, lowest: Vec::new(), highest: Vec::new() };
        extremes.grow(pixels);
        extremes
    }

    /// Grows to at least `pixels` pixels.
    pub(super) fn grow(&mut self, pixels: usize) {
        let (known, words) = (self.lowest.len(), (pixels * self.dtype.bytes()).div_ceil(8));
        if words > known {
            self.lowest.resize(words, 0);
            self.highest.resize(words, 0);
            self.clear_from(known);
        }
    }

    /// The pixels from a word on have had no value.
    fn clear_from(&mut self, word: usize) {
        with_dtype!(self.dtype, T => {
            slice_mut::<T>(&mut self.lowest[word..]).fill(T::from_f64(f64::INFINITY));
            slice_mut::<T>(&mut self.highest[word..]).fill(T::from_f64(f64::NEG_INFINITY));
        });
    }

    /// Takes in the pixels `range` of some events, cut out of their frames.
    pub(super) fn add(&mut self, frames: &[&[u8]], range: Range<usize>) {
        with_dtype!(self.dtype, T => {
            let lowest = &mut slice_mut::<T>(&mut self.lowest)[range.clone()];
            let highest = &mut slice_mut::<T>(&mut self.highest)[range];
            // The lengths are right: frames have the size of the layout's panels.
            let _ = accumulate::extremes::<T>(Level::best(), frames, lowest, highest);
        });
    }

    /// Takes in the extremes of later events, which are not longer, and leaves them empty.
    pub(super) fn merge(&mut self, next: &mut Extremes) {
        with_dtype!(self.dtype, T => {
            let lowest = slice_mut::<T>(&mut self.lowest).iter_mut().zip(slice::<T>(&next.lowest));
            lowest.for_each(|(low, next)| if next < low { *low = *next });
            let highest = slice_mut::<T>(&mut self.highest).iter_mut().zip(slice::<T>(&next.highest));
            highest.for_each(|(high, next)| if next > high { *high = *next });
        });
        next.clear_from(0);
    }

    /// The extremes of the first pixels.
    pub(super) fn save(&self, pixels: usize, out: &mut Saver) {
        with_dtype!(self.dtype, T => {
            out.list(&slice::<T>(&self.lowest)[..pixels]);
            out.list(&slice::<T>(&self.highest)[..pixels]);
        });
    }

    /// Takes the extremes of the first pixels.
    pub(super) fn load(&mut self, pixels: usize, from: &mut Loader<'_>) -> Result<(), ReduceError> {
        with_dtype!(self.dtype, T => {
            for words in [&mut self.lowest, &mut self.highest] {
                let loaded = from.list::<T>()?;
                fits(loaded.len(), pixels)?;
                slice_mut::<T>(words)[..pixels].copy_from_slice(&loaded);
            }
        });
        Ok(())
    }

    /// Appends the lowest or the highest values of `pixels` pixels as numbers of type `O`. A pixel whose lowest value
    /// is above the highest has had no value: NaN.
    pub(super) fn append<O: Pixel>(&self, is_highest: bool, pixels: usize, out: &mut Vec<O>) {
        let words = if is_highest { &self.highest } else { &self.lowest };
        with_dtype!(self.dtype, T => {
            let both = slice::<T>(&self.lowest).iter().zip(slice::<T>(&self.highest));
            let values = slice::<T>(words).iter().zip(both).take(pixels);
            out.extend(values.map(|(value, (low, high))| {
                if low > high { O::from_f64(f64::NAN) } else { O::saturating(*value) }
            }));
        });
    }
}

/// # Errors
/// If there are not as many numbers as pixels.
pub(super) fn fits(found: usize, pixels: usize) -> Result<(), ReduceError> {
    if found == pixels {
        Ok(())
    } else {
        Err(format!("wanted numbers of {pixels} pixels, found {found}").into())
    }
}

/// The lowest and the highest value of all pixels, if there is any.
pub(super) fn whole(parts: &[(&Extremes, usize)]) -> Option<(f64, f64)> {
    let (mut lowest, mut highest) = (Vec::new(), Vec::new());
    for (extremes, pixels) in parts {
        extremes.append::<f64>(false, *pixels, &mut lowest);
        extremes.append::<f64>(true, *pixels, &mut highest);
    }
    let numbers = |all: Vec<f64>| all.into_iter().filter(|v| !v.is_nan());
    numbers(lowest).reduce(f64::min).zip(numbers(highest).reduce(f64::max))
}

fn slice<T: Pixel + bytemuck::Pod>(words: &[u64]) -> &[T] {
    bytemuck::cast_slice(words)
}

fn slice_mut<T: Pixel + bytemuck::Pod>(words: &mut [u64]) -> &mut [T] {
    bytemuck::cast_slice_mut(words)
}
