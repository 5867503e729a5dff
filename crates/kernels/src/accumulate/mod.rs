//! Sums over many frames, element by element, for mean, deviation and extremes of a run.
//!
//! Several frames are taken at once. The sums of some elements stay in registers while the same elements of all frames go by, so
//! that the sums, which are larger than a frame, are read and written once for all of them.
//!
//! Frames are little-endian bytes of any alignment, as they lie in files. Integers of up to 32 bits are summed exactly: the
//! result does not depend on the order of the frames. Larger ones and floats are summed as `f64` in the order of the frames, so
//! that every level gives the same bits.

mod ahead;
mod element;
mod integers;
#[cfg(test)]
mod tests;
mod words;

pub use element::{Element, Exact};

use std::marker::PhantomData;

use crate::{LengthError, Level};
use ahead::ask_ahead;
use words::{Avx2, Avx512, Portable};

/// Frames whose elements fit the short sums of a group: 2^15 times 2^16.
const MOST_FRAMES: usize = 1 << 15;

/// Adds the elements of `frames` to `sums`, and their squares to `squares`: `u64` for elements of 8 and 16 bits, `u128` for 32.
/// The caller sees to it that they suffice: they do for 2^31 frames.
///
/// ```
/// use livetime_kernels::{Level, accumulate};
/// let frames: [&[u8]; 2] = [&[3, 0, 10, 0], &[4, 0, 0, 1]];
/// let (mut sums, mut squares) = ([0; 2], [0; 2]);
/// accumulate::exact::<u16>(Level::best(), &frames, &mut sums, &mut squares)?;
/// assert_eq!((sums, squares), ([7, 266], [25, 65_636]));
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
///
/// # Errors
/// [`LengthError`] if `squares` or a frame does not have as many elements as `sums`.
pub fn exact<T: Exact>(
    level: Level,
    frames: &[&[u8]],
    sums: &mut [i64],
    squares: &mut [T::Square],
) -> Result<(), LengthError> {
    LengthError::check("squares", squares.len(), sums.len())?;
    check_frames::<T>(frames, sums.len())?;
    for frames in frames.chunks(MOST_FRAMES) {
        exact_sums::<T>(level, PhantomData, frames, sums, squares);
    }
    Ok(())
}

per_level! {
    fn exact_sums<T: Exact>(element: PhantomData<T>, frames: &[&[u8]], sums: &mut [i64], squares: &mut [T::Square])
        = integers::exact::<T, Portable, 8> | integers::exact::<T, Avx2, 16> | integers::exact::<T, Avx512, 32>;
}

/// Adds the elements of `frames` to `sums`, as [`exact`] without squares.
///
/// ```
/// use livetime_kernels::{Level, accumulate};
/// let mut sums = [0; 2];
/// accumulate::sums::<u16>(Level::best(), &[&[3, 0, 10, 0], &[4, 0, 0, 1]], &mut sums)?;
/// assert_eq!(sums, [7, 266]);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
///
/// # Errors
/// [`LengthError`] if a frame does not have as many elements as `sums`.
pub fn sums<T: Exact>(level: Level, frames: &[&[u8]], sums: &mut [i64]) -> Result<(), LengthError> {
    check_frames::<T>(frames, sums.len())?;
    for frames in frames.chunks(MOST_FRAMES) {
        plain_sums::<T>(level, PhantomData, frames, sums);
    }
    Ok(())
}

per_level! {
    fn plain_sums<T: Exact>(element: PhantomData<T>, frames: &[&[u8]], sums: &mut [i64])
        = integers::sums::<T, 16> | integers::sums::<T, 32> | integers::sums::<T, 64>;
}

/// Adds the distances of the elements of `frames` from `pivots` to `sums`, and the squares of the distances to `squares`.
///
/// With pivots near the mean nothing cancels. NaN and infinite elements make the sums NaN or infinite.
///
/// ```
/// use livetime_kernels::{Level, accumulate};
/// let (frame, mut sums, mut squares) = (1.5f32.to_le_bytes(), [0.0], [0.0]);
/// accumulate::about::<f32>(Level::best(), &[&frame], &[1.0], &mut sums, &mut squares)?;
/// assert_eq!((sums, squares), ([0.5], [0.25]));
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
///
/// # Errors
/// [`LengthError`] if `sums`, `squares` or a frame does not have as many elements as `pivots`.
pub fn about<T: Element>(
    level: Level,
    frames: &[&[u8]],
    pivots: &[f64],
    sums: &mut [f64],
    squares: &mut [f64],
) -> Result<(), LengthError> {
    LengthError::check("sums", sums.len(), pivots.len())?;
    LengthError::check("squares", squares.len(), pivots.len())?;
    check_frames::<T>(frames, pivots.len())?;
    sums_about::<T>(level, PhantomData, frames, pivots, sums, squares);
    Ok(())
}

per_level! {
    fn sums_about<T: Element>(element: PhantomData<T>, frames: &[&[u8]], pivots: &[f64], sums: &mut [f64], squares: &mut [f64])
        = about_body::<T, 4> | about_body::<T, 8> | about_body::<T, 16>;
}

#[inline(always)]
fn about_body<T: Element, const L: usize>(
    _: PhantomData<T>,
    frames: &[&[u8]],
    pivots: &[f64],
    sums: &mut [f64],
    squares: &mut [f64],
) {
    let mut at = 0;
    while at + L <= pivots.len() {
        about_group::<T, L>(frames, at, pivots, sums, squares);
        at += L;
    }
    while at < pivots.len() {
        about_group::<T, 1>(frames, at, pivots, sums, squares);
        at += 1;
    }
}

#[inline(always)]
fn about_group<T: Element, const L: usize>(
    frames: &[&[u8]],
    at: usize,
    pivots: &[f64],
    sums: &mut [f64],
    squares: &mut [f64],
) {
    let range = at..at + L;
    let (pivots, sums, squares) = (&pivots[range.clone()], &mut sums[range.clone()], &mut squares[range]);
    // Arrays of a known length stay in registers while the frames go by.
    let (mut sum, mut square, mut pivot) = ([0.0; L], [0.0; L], [0.0; L]);
    sum.copy_from_slice(sums);
    square.copy_from_slice(squares);
    pivot.copy_from_slice(pivots);
    for frame in frames {
        ask_ahead::<T, L>(frame, at);
        let elements: [T; L] = T::load(frame, at);
        for i in 0..L {
            let distance = elements[i].to_f64() - pivot[i];
            sum[i] += distance;
            square[i] += distance * distance;
        }
    }
    sums.copy_from_slice(&sum);
    squares.copy_from_slice(&square);
}

/// Lowers `lowest` and raises `highest` to the extremes of `frames`. NaN is passed over.
///
/// ```
/// use livetime_kernels::{Level, accumulate};
/// let (mut lowest, mut highest) = ([u8::MAX; 2], [u8::MIN; 2]);
/// accumulate::extremes(Level::best(), &[&[3, 9], &[5, 0]], &mut lowest, &mut highest)?;
/// assert_eq!((lowest, highest), ([3, 0], [5, 9]));
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
///
/// # Errors
/// [`LengthError`] if `highest` or a frame does not have as many elements as `lowest`.
pub fn extremes<T: Element>(
    level: Level,
    frames: &[&[u8]],
    lowest: &mut [T],
    highest: &mut [T],
) -> Result<(), LengthError> {
    LengthError::check("highest", highest.len(), lowest.len())?;
    check_frames::<T>(frames, lowest.len())?;
    find_extremes::<T>(level, frames, lowest, highest);
    Ok(())
}

per_level! {
    fn find_extremes<T: Element>(frames: &[&[u8]], lowest: &mut [T], highest: &mut [T])
        = extremes_body::<T, 16> | extremes_body::<T, 32> | extremes_body::<T, 64>;
}

#[inline(always)]
fn extremes_body<T: Element, const L: usize>(frames: &[&[u8]], lowest: &mut [T], highest: &mut [T]) {
    let mut at = 0;
    while at + L <= lowest.len() {
        extremes_group::<T, L>(frames, at, &mut lowest[at..at + L], &mut highest[at..at + L]);
        at += L;
    }
    while at < lowest.len() {
        extremes_group::<T, 1>(frames, at, &mut lowest[at..at + 1], &mut highest[at..at + 1]);
        at += 1;
    }
}

#[inline(always)]
fn extremes_group<T: Element, const L: usize>(
    frames: &[&[u8]],
    at: usize,
    lowest: &mut [T],
    highest: &mut [T],
) {
    let (mut low, mut high) = ([T::default(); L], [T::default(); L]);
    low.copy_from_slice(lowest);
    high.copy_from_slice(highest);
    for frame in frames {
        ask_ahead::<T, L>(frame, at);
        let elements: [T; L] = T::load(frame, at);
        for i in 0..L {
            // No comparison with NaN is true, so NaN changes nothing.
            low[i] = if elements[i] < low[i] { elements[i] } else { low[i] };
            high[i] = if elements[i] > high[i] { elements[i] } else { high[i] };
        }
    }
    lowest.copy_from_slice(&low);
    highest.copy_from_slice(&high);
}

/// Adds 1 to each of `counts` where the element of `frame` is at or above `threshold`, and gives the number of these
/// elements.
///
/// ```
/// use livetime_kernels::{Level, accumulate};
/// let mut counts = [0; 3];
/// assert_eq!(accumulate::count_from(Level::best(), &[3, 9, 5], 5u8, &mut counts)?, 2);
/// assert_eq!(counts, [0, 1, 1]);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
///
/// # Errors
/// [`LengthError`] if the frame does not have as many elements as `counts`.
pub fn count_from<T: Element>(
    level: Level,
    frame: &[u8],
    threshold: T,
    counts: &mut [u32],
) -> Result<u64, LengthError> {
    check_frames::<T>(&[frame], counts.len())?;
    Ok(count::<T>(level, frame, threshold, counts))
}

per_level! {
    fn count<T: Element>(frame: &[u8], threshold: T, counts: &mut [u32]) -> u64 = count_body::<T>;
}

#[inline(always)]
fn count_body<T: Element>(frame: &[u8], threshold: T, counts: &mut [u32]) -> u64 {
    const L: usize = 64;
    let mut found = 0;
    let whole = counts.len() / L * L;
    let (groups, rest) = counts.split_at_mut(whole);
    for (group, counts) in groups.as_chunks_mut::<L>().0.iter_mut().enumerate() {
        let elements: [T; L] = T::load(frame, group * L);
        // Of 32 bits, as the counts: vectors of both have as many lanes.
        let mut here = 0;
        for i in 0..L {
            let is_hit = u32::from(elements[i] >= threshold);
            counts[i] += is_hit;
            here += is_hit;
        }
        found += u64::from(here);
    }
    for (i, count) in rest.iter_mut().enumerate() {
        let [element] = T::load(frame, whole + i);
        let is_hit = u32::from(element >= threshold);
        *count += is_hit;
        found += u64::from(is_hit);
    }
    found
}

fn check_frames<T>(frames: &[&[u8]], elements: usize) -> Result<(), LengthError> {
    frames.iter().try_for_each(|frame| LengthError::check("frame", frame.len(), elements * size_of::<T>()))
}
