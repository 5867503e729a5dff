//! Arrays as the planes that kernels work on.

use livetime_frame::{ArrayRef, ColorMode, Element, MAX_DIMS, WrongPayload};
use livetime_kernels::{Pixel, Plane};

/// How the pixels of an array lie: planes of rows of samples.
///
/// | array | planes | row |
/// |---|---|---|
/// | one-dimensional, or mono | 1 | width |
/// | RGB1 `[height, width, 3]` | 1 | width x 3, three samples per pixel |
/// | RGB2 `[height, 3, width]`, RGB3 `[3, height, width]` | 3 | width |
/// | more dimensions | one for each pair of the last two | last dimension |
pub(crate) struct Planes<'a, T> {
    elements: &'a [T],
    pub(crate) width: usize,
    pub(crate) height: usize,
    /// Elements from one row to the next.
    stride: usize,
    /// 3 for RGB1, else 1.
    pub(crate) samples_per_pixel: usize,
    starts: Starts,
}

/// Where the planes start: sizes and strides in elements of the outer dimensions, slowest first. Fixed size,
/// because it is made for every frame.
struct Starts {
    outer: [(usize, usize); MAX_DIMS],
    ndim: usize,
}

impl<'a, T: Element + Pixel> Planes<'a, T> {
    /// # Errors
    /// [`WrongPayload`] when the elements are not of type `T`, or are compressed.
    pub(crate) fn of(array: &ArrayRef<'a>) -> Result<Planes<'a, T>, WrongPayload> {
        let layout = array.layout();
        let elements = array.elements::<T>()?;
        let axes = layout.axes();
        let stride_of = |axis: Option<usize>| axis.map_or(0, |a| layout.dims()[a].stride / size_of::<T>());
        let rgb1 = layout.color() == ColorMode::Rgb1;
        let mut starts = Starts { outer: [(1, 0); MAX_DIMS], ndim: 0 };
        for (d, dim) in layout.dims().iter().enumerate() {
            let inner = Some(d) == axes.x || Some(d) == axes.y || (rgb1 && Some(d) == axes.color);
            if !inner {
                starts.outer[starts.ndim] = (dim.size, dim.stride / size_of::<T>());
                starts.ndim += 1;
            }
        }
        Ok(Planes {
            elements,
            width: layout.width(),
            height: layout.height(),
            stride: stride_of(axes.y).max(layout.width() * if rgb1 { 3 } else { 1 }),
            samples_per_pixel: if rgb1 { 3 } else { 1 },
            starts,
        })
    }

    /// Number of planes.
    pub(crate) fn len(&self) -> usize {
        self.starts.outer[..self.starts.ndim].iter().map(|(size, _)| size).product()
    }

    /// Plane number `index`.
    ///
    /// # Errors
    /// [`WrongPayload`] when there is no such plane.
    pub(crate) fn plane(&self, index: usize) -> Result<Plane<'a, T>, WrongPayload> {
        let width = self.width * self.samples_per_pixel;
        let part = self.elements.get(self.starts.start(index)..).unwrap_or(&[]);
        Plane::new(part, width, self.height, self.stride).map_err(|e| WrongPayload::new("an image", e))
    }

    /// All planes, in the order of the outer dimensions.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Result<Plane<'a, T>, WrongPayload>> {
        (0..self.len()).map(|i| self.plane(i))
    }
}

impl Starts {
    fn start(&self, index: usize) -> usize {
        let mut rest = index;
        let mut start = 0;
        for (size, stride) in self.outer[..self.ndim].iter().rev() {
            start += rest % (*size).max(1) * stride;
            rest /= (*size).max(1);
        }
        start
    }
}
