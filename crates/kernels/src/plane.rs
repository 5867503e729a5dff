//! A two-dimensional view of a slice: width, height and row stride.

use crate::Pixel;
use crate::bytes::bytes;
use std::fmt;

/// A read-only image of `height` rows of `width` pixels, `stride` pixels from one row to the next.
///
/// ```
/// use livetime_kernels::Plane;
/// let pixels = [1u8, 2, 9, 3, 4, 9];
/// let left = Plane::new(&pixels, 2, 2, 3)?;
/// assert_eq!(left.row(1), [3, 4]);
/// # Ok::<(), livetime_kernels::PlaneError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Plane<'a, T> {
    data: &'a [T],
    width: usize,
    height: usize,
    stride: usize,
}

impl<'a, T> Plane<'a, T> {
    /// A view of `data`, whose first element is the first pixel of the first row.
    ///
    /// # Errors
    /// [`PlaneError`] if `stride < width` or `data` is shorter than the last row needs.
    pub fn new(data: &'a [T], width: usize, height: usize, stride: usize) -> Result<Self, PlaneError> {
        let needed = needed(width, height, stride);
        match needed {
            Some(needed) if stride >= width && data.len() >= needed => {
                Ok(Plane { data, width, height, stride })
            }
            _ => Err(PlaneError { width, height, stride, len: data.len() }),
        }
    }

    /// A view of rows that lie one after the other.
    ///
    /// # Errors
    /// [`PlaneError`] if `data` is shorter than `width * height`.
    pub fn packed(data: &'a [T], width: usize, height: usize) -> Result<Self, PlaneError> {
        Plane::new(data, width, height, width)
    }

    /// Pixels in a row.
    #[inline(always)]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of rows.
    #[inline(always)]
    pub fn height(&self) -> usize {
        self.height
    }

    /// Pixels from the start of one row to the start of the next.
    #[inline(always)]
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// `width * height`.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.width * self.height
    }

    /// True when there is no pixel.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Row `y`. Panics if `y >= height`, as slice indexing does.
    #[inline(always)]
    pub fn row(&self, y: usize) -> &'a [T] {
        assert!(y < self.height);
        &self.data[y * self.stride..][..self.width]
    }

    /// The rows from top to bottom.
    #[inline(always)]
    pub fn rows(&self) -> impl Iterator<Item = &'a [T]> + use<'a, T> {
        let plane = Plane { ..*self };
        (0..plane.height).map(move |y| &plane.data[y * plane.stride..][..plane.width])
    }

    /// At most `count` rows from row `y` on.
    #[inline(always)]
    pub(crate) fn rows_from(&self, y: usize, count: usize) -> Plane<'a, T> {
        let data = self.data.get(y * self.stride..).unwrap_or_default();
        Plane { data, height: self.height.saturating_sub(y).min(count), ..*self }
    }

    /// The same rows as bytes.
    pub(crate) fn bytes(self) -> Plane<'a, u8>
    where
        T: Pixel,
    {
        let Plane { data, width, height, stride } = self;
        let size = size_of::<T>();
        // The slice that exists limits both, but without rows the width and with one row the stride.
        let (width, stride) = (width.saturating_mul(size), stride.saturating_mul(size));
        Plane { data: bytes(data), width, height, stride }
    }

    /// The same pixels in the same order as a single row, where nothing lies between the rows.
    #[inline(always)]
    pub(crate) fn joined(self) -> Self {
        if self.stride != self.width {
            return self;
        }
        Plane { width: self.len(), height: 1, stride: self.len(), ..self }
    }
}

fn needed(width: usize, height: usize, stride: usize) -> Option<usize> {
    if height == 0 {
        return Some(0);
    }
    // Behind the last row no stride needs to be there.
    (height - 1).checked_mul(stride)?.checked_add(width)
}

/// The slice does not hold the image that was described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaneError {
    width: usize,
    height: usize,
    stride: usize,
    len: usize,
}

impl fmt::Display for PlaneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PlaneError { width, height, stride, len } = self;
        write!(f, "{height} rows of {width} pixels with a stride of {stride} do not fit in {len} pixels")
    }
}

impl std::error::Error for PlaneError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_does_not_fit() {
        assert!(Plane::new(&[0u8; 5], 2, 2, 3).is_ok());
        assert!(Plane::new(&[0u8; 4], 2, 2, 3).is_err());
        assert!(Plane::new(&[0u8; 9], 3, 2, 2).is_err());
        assert!(Plane::new(&[0u8; 9], usize::MAX, 2, usize::MAX).is_err());
        assert!(Plane::<u8>::new(&[], 0, 7, 0).is_ok());
    }
}
