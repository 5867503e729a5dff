//! Gaussian peaks: a stamp that is made once and then added wherever a peak is.

use super::canvas::add_pixels;
use super::{BLOCK, Canvas, to_pixels};
use crate::cast::Cast;
use crate::{LengthError, Level, Pixel, Plane};

/// Pixels that a stamp has along an axis: `2 * (4 * peak_width) + 1`, or one less than the image
/// has if that does not fit.
///
/// ```
/// use livetime_kernels::peak_size;
/// assert_eq!(peak_size(10, 1024), 81);
/// assert_eq!(peak_size(10, 80), 79);
/// ```
pub fn peak_size(peak_width: usize, image_size: usize) -> usize {
    let full = peak_width.saturating_mul(8).saturating_add(1);
    if full < image_size { full } else { image_size.saturating_sub(1) }
}

/// Makes a stamp of `width` columns and packed rows, its centre at column `width / 2` and row
/// `height / 2`: `(T)(gain * exp(-dx² / 2σx²) * exp(-dy² / 2σy²))`, with the conversion of
/// [`ramp_row`](crate::ramp_row). The sigmas are in pixels; a sigma of 0 leaves the centre alone.
///
/// # Errors
/// [`LengthError`] if `out` does not consist of whole rows.
///
/// ```
/// use livetime_kernels::peak_stamp;
/// let mut stamp = [0u8; 9];
/// peak_stamp(100.0, 1.0, 1.0, 3, &mut stamp)?;
/// assert_eq!(stamp, [36, 60, 36, 60, 100, 60, 36, 60, 36]);
/// # Ok::<(), livetime_kernels::LengthError>(())
/// ```
pub fn peak_stamp<T: Pixel>(
    gain: f64,
    sigma_x: f64,
    sigma_y: f64,
    width: usize,
    out: &mut [T],
) -> Result<(), LengthError> {
    let height = out.len().checked_div(width).unwrap_or(0);
    LengthError::check("out", out.len(), width * height)?;
    for (y, row) in out.chunks_exact_mut(width.max(1)).enumerate() {
        let factor_y = bell(y, height / 2, sigma_y);
        for (x, pixel) in row.iter_mut().enumerate() {
            *pixel = (gain * bell(x, width / 2, sigma_x) * factor_y).cast_wrapping();
        }
    }
    Ok(())
}

fn bell(at: usize, centre: usize, sigma: f64) -> f64 {
    let distance = at as f64 - centre as f64;
    // In the centre a sigma of 0 would give 0/0.
    if distance == 0.0 { 1.0 } else { (-distance * distance / (2.0 * sigma * sigma)).exp() }
}

/// Adds a stamp whose centre (column `width / 2`, row `height / 2`) lies on pixel (`x`, `y`) of the image: `pixel +=
/// (T)(factor * stamp)`, with the conversion of [`ramp_row`](crate::ramp_row) and wrapping addition. Parts beyond the
/// image are left out, also when the centre is there.
///
/// ```
/// use livetime_kernels::{Canvas, Level, Plane, add_stamp};
/// let mut pixels = [1u8; 6];
/// let mut image = Canvas::packed(&mut pixels, 3, 2)?;
/// let stamp = Plane::packed(&[1u8, 2, 1, 2, 4, 2, 1, 2, 1], 3, 3)?;
/// add_stamp(Level::best(), &mut image, stamp, 0, 0, 2.0);
/// assert_eq!(pixels, [9, 5, 1, 5, 3, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn add_stamp<T: Pixel>(
    level: Level,
    image: &mut Canvas<'_, T>,
    stamp: Plane<'_, T>,
    x: isize,
    y: isize,
    factor: f64,
) {
    let (columns, rows) =
        (overlap(x, stamp.width(), image.width()), overlap(y, stamp.height(), image.height()));
    let step = image.step();
    for row in 0..rows.len {
        let from = &stamp.row(rows.stamp + row)[columns.stamp..][..columns.len];
        let to = image.part(columns.image, rows.image + row, columns.len);
        add_row(level, to, step, from, factor);
    }
}

/// Where the part of a stamp that is inside the image begins, in both, and how long it is.
#[derive(Debug, PartialEq)]
struct Overlap {
    stamp: usize,
    image: usize,
    len: usize,
}

fn overlap(centre: isize, stamp_size: usize, image_size: usize) -> Overlap {
    let before = stamp_size / 2;
    let (stamp, image) = match usize::try_from(centre) {
        Ok(centre) => (before.saturating_sub(centre), centre.saturating_sub(before)),
        Err(_) => (before.saturating_add(centre.unsigned_abs()), 0),
    };
    let len = stamp_size.saturating_sub(stamp).min(image_size.saturating_sub(image));
    // Positions outside are out of bounds for an empty part, too.
    if len == 0 { Overlap { stamp: 0, image: 0, len } } else { Overlap { stamp, image, len } }
}

per_level! {
    fn add_row<T: Pixel>(row: &mut [T], step: usize, stamp: &[T], factor: f64) = add_row_body;
}

#[inline(always)]
fn add_row_body<T: Pixel>(row: &mut [T], step: usize, stamp: &[T], factor: f64) {
    let mut values = [0.0; BLOCK];
    for (row, stamp) in row.chunks_mut(BLOCK * step).zip(stamp.chunks(BLOCK)) {
        for (v, s) in values.iter_mut().zip(stamp) {
            *v = factor * s.cast::<f64>();
        }
        add_pixels(row, step, &to_pixels(&values));
    }
}
