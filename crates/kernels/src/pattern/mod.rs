//! The arithmetic of the simulated detector.
//!
//! The formulas follow ADSimDetector `simDetector.cpp`. Where C leaves a conversion of an out-of-range `double` open,
//! these kernels define it: the value is cut towards zero, limited to the range -2^63 .. 2^64 and taken modulo 2^bits
//! for integer types; floats are not limited. Additions wrap round for integers.

mod canvas;
mod noise;
mod peak;
#[cfg(test)]
mod tests;

use crate::cast::Cast;
use crate::{LengthError, Level, Pixel};
pub use canvas::{Canvas, CanvasError, add_sine};
pub use noise::{Noise, noise};
pub use peak::{add_stamp, peak_size, peak_stamp};

/// Adds a constant to every pixel: `out[i] = base[i] + constant`, wrapping round for integers.
///
/// This makes the frames of a ramp: `base` is the first one, `constant` the frame number times
/// the increment, taken modulo the type.
///
/// # Errors
/// [`LengthError`] if the lengths differ.
///
/// ```
/// use livetime_kernels::{Level, add_constant};
/// let mut out = [0u8; 3];
/// add_constant(Level::best(), &[1, 2, 255], 2, &mut out)?;
/// assert_eq!(out, [3, 4, 1]);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn add_constant<T: Pixel>(
    level: Level,
    base: &[T],
    constant: T,
    out: &mut [T],
) -> Result<(), LengthError> {
    LengthError::check("out", out.len(), base.len())?;
    add_one(level, base, constant, out);
    Ok(())
}

/// As [`add_constant`] for pixel-interleaved colours (RGB1): `constants[c]` is added to the samples of colour `c`,
/// whose numbers have `i % 3 == c`.
///
/// # Errors
/// [`LengthError`] if the lengths differ.
///
/// ```
/// use livetime_kernels::{Level, add_constant_rgb};
/// let mut out = [0u8; 6];
/// add_constant_rgb(Level::best(), &[0, 0, 0, 1, 1, 1], [1, 2, 3], &mut out)?;
/// assert_eq!(out, [1, 2, 3, 2, 3, 4]);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn add_constant_rgb<T: Pixel>(
    level: Level,
    base: &[T],
    constants: [T; 3],
    out: &mut [T],
) -> Result<(), LengthError> {
    LengthError::check("out", out.len(), base.len())?;
    add_three(level, base, constants, out);
    Ok(())
}

/// Adds an image that is read in a circle: `out[i] += background[(start + i) % background.len()]`,
/// wrapping round for integers.
///
/// A `start` that changes from frame to frame is a cheap way to make frames differ.
///
/// # Errors
/// [`LengthError`] if `background` is empty and `out` is not.
///
/// ```
/// use livetime_kernels::{Level, add_circular};
/// let mut out = [10u8; 4];
/// add_circular(Level::best(), &[1, 2, 3], 2, &mut out)?;
/// assert_eq!(out, [13, 11, 12, 13]);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn add_circular<T: Pixel>(
    level: Level,
    background: &[T],
    start: usize,
    out: &mut [T],
) -> Result<(), LengthError> {
    circular(background, start, out, |out, part| add_to(level, part, out))
}

/// [`add_constant`] and [`add_circular`] in one pass:
/// `out[i] = base[i] + constant + background[(start + i) % background.len()]`.
///
/// # Errors
/// [`LengthError`] if the lengths of `base` and `out` differ, or `background` is empty and `out` is
/// not.
pub fn add_constant_circular<T: Pixel>(
    level: Level,
    base: &[T],
    constant: T,
    background: &[T],
    start: usize,
    out: &mut [T],
) -> Result<(), LengthError> {
    LengthError::check("out", out.len(), base.len())?;
    let mut rest = base;
    circular(background, start, out, |out, part| {
        let (base, after) = rest.split_at(out.len());
        add_both(level, base, constant, part, out);
        rest = after;
    })
}

/// Copies an image that is read in a circle: `out[i] = background[(start + i) % background.len()]`.
///
/// # Errors
/// [`LengthError`] if `background` is empty and `out` is not.
///
/// ```
/// let mut out = [0u8; 4];
/// livetime_kernels::fill_circular(&[1, 2, 3], 2, &mut out)?;
/// assert_eq!(out, [3, 1, 2, 3]);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn fill_circular<T: Pixel>(background: &[T], start: usize, out: &mut [T]) -> Result<(), LengthError> {
    circular(background, start, out, <[T]>::copy_from_slice)
}

/// Calls `f` with the parts of `out` and the parts of the background that belong to them.
fn circular<T>(
    background: &[T],
    start: usize,
    mut out: &mut [T],
    mut f: impl FnMut(&mut [T], &[T]),
) -> Result<(), LengthError> {
    if background.is_empty() && !out.is_empty() {
        return Err(LengthError { what: "background", len: 0, expected: out.len() });
    }
    // An empty background has no remainder, and only an empty output.
    let mut start = start.checked_rem(background.len()).unwrap_or(0);
    while !out.is_empty() {
        let part = &background[start..];
        let (now, later) = out.split_at_mut(part.len().min(out.len()));
        f(now, &part[..now.len()]);
        (out, start) = (later, 0);
    }
    Ok(())
}

/// A row of the first frame of a ramp: `out[x] = (T)(increment * (gain_x * x + gain_y * y))`, in
/// `f64`, with the conversion of this module.
///
/// ```
/// use livetime_kernels::{Level, ramp_row};
/// let mut row = [0u8; 4];
/// ramp_row(Level::best(), 2.0, 50.0, 1.0, 3, &mut row);
/// assert_eq!(row, [6, 106, 206, 50]);
/// ```
pub fn ramp_row<T: Pixel>(level: Level, increment: f64, gain_x: f64, gain_y: f64, y: usize, out: &mut [T]) {
    ramp(level, increment, gain_x, gain_y * y as f64, out);
}

per_level! {
    fn add_one<T: Pixel>(base: &[T], constant: T, out: &mut [T]) = add_one_body;
}

#[inline(always)]
fn add_one_body<T: Pixel>(base: &[T], constant: T, out: &mut [T]) {
    for (o, b) in out.iter_mut().zip(base) {
        *o = b.add_wrapping(constant);
    }
}

per_level! {
    fn add_three<T: Pixel>(base: &[T], constants: [T; 3], out: &mut [T]) = add_three_body;
}

#[inline(always)]
fn add_three_body<T: Pixel>(base: &[T], constants: [T; 3], out: &mut [T]) {
    // 64 pixels are whole vectors of every type.
    const BLOCK: usize = 192;
    let mut pattern = [T::default(); BLOCK];
    for (i, p) in pattern.iter_mut().enumerate() {
        *p = constants[i % 3];
    }
    for (out, base) in out.chunks_mut(BLOCK).zip(base.chunks(BLOCK)) {
        for ((o, b), p) in out.iter_mut().zip(base).zip(&pattern) {
            *o = b.add_wrapping(*p);
        }
    }
}

per_level! {
    fn add_to<T: Pixel>(part: &[T], out: &mut [T]) = add_to_body;
}

#[inline(always)]
fn add_to_body<T: Pixel>(part: &[T], out: &mut [T]) {
    for (o, p) in out.iter_mut().zip(part) {
        *o = o.add_wrapping(*p);
    }
}

per_level! {
    fn add_both<T: Pixel>(base: &[T], constant: T, part: &[T], out: &mut [T]) = add_both_body;
}

#[inline(always)]
fn add_both_body<T: Pixel>(base: &[T], constant: T, part: &[T], out: &mut [T]) {
    for ((o, b), p) in out.iter_mut().zip(base).zip(part) {
        *o = b.add_wrapping(constant).add_wrapping(*p);
    }
}

per_level! {
    fn ramp<T: Pixel>(increment: f64, gain_x: f64, start: f64, out: &mut [T]) = ramp_body;
}

#[inline(always)]
fn ramp_body<T: Pixel>(increment: f64, gain_x: f64, start: f64, out: &mut [T]) {
    for (x, o) in out.iter_mut().enumerate() {
        *o = (increment * (gain_x * x as f64 + start)).cast_wrapping();
    }
}

/// Values that are made at a time and then converted.
const BLOCK: usize = 64;

/// Converts a block as this module says. Values that fit in 32 bits, the usual case, are
/// converted many at a time.
#[inline(always)]
fn to_pixels<T: Pixel>(values: &[f64; BLOCK]) -> [T; BLOCK] {
    let mut pixels = [T::default(); BLOCK];
    let mut small = true;
    for v in values {
        // Not true for NaN either.
        small &= v.abs() < 2147483648.0;
    }
    if small && !T::FLOAT {
        for (p, v) in pixels.iter_mut().zip(values) {
            *p = v.cast::<i32>().cast_wrapping();
        }
    } else {
        for (p, v) in pixels.iter_mut().zip(values) {
            *p = v.cast_wrapping();
        }
    }
    pixels
}
