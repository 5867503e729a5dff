//! Arrays as the planes that kernels work on.

use livetime_frame::{ArrayRef, ColorMode, Element, Layout, MAX_DIMS, WrongPayload};
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
    /// Colours of a pixel for RGB1, else 1.
    pub(crate) samples_per_pixel: usize,
    starts: Starts,
}

/// Where a piece of an array lies.
pub(crate) struct Piece {
    plane: usize,
    y: usize,
    x: usize,
    width: usize,
    height: usize,
}

impl Piece {
    /// Number of its elements.
    pub(crate) fn len(&self) -> usize {
        self.width * self.height
    }
}

/// Elements from the start of a packed array to the first one of each plane of its last rows and columns; of colours
/// each is a plane, unless `with_colors` says that one stands for all.
pub(crate) fn plane_starts(packed: &Layout, with_colors: bool) -> Vec<usize> {
    let axes = packed.axes();
    // With colours each colour counts as a plane; without, only a colour axis that is one of the three of RGB
    // lies inside.
    let color = axes.color.filter(|_| !with_colors && packed.color().is_rgb());
    let inner = [axes.x, axes.y, color];
    let mut starts = vec![0];
    for (_, dim) in packed.dims().iter().enumerate().filter(|(axis, _)| !inner.contains(&Some(*axis))) {
        let step = dim.stride / packed.dtype().bytes();
        starts = starts.into_iter().flat_map(|start| (0..dim.size).map(move |i| start + i * step)).collect();
    }
    starts
}

/// Where the planes start: sizes and strides in elements of the outer dimensions, slowest first. Fixed size,
/// because it is made for every frame.
struct Starts {
    outer: [(usize, usize); MAX_DIMS],
    ndim: usize,
}

impl<'a, T: Element + Pixel> Planes<'a, T> {
    /// # Errors
    /// [`WrongPayload`] when the elements are not of type `T`, are compressed, or do not lie side by side.
    pub(crate) fn of(array: &ArrayRef<'a>) -> Result<Planes<'a, T>, WrongPayload> {
        Planes::over(array.layout(), array.elements::<T>()?)
    }

    /// The same elements without regard to colours: planes of the last two dimensions, so that one plane after the
    /// other gives the elements in the order of a packed array. An array without gaps is one plane of one row.
    ///
    /// # Errors
    /// As [`Planes::of`].
    pub(crate) fn in_order(array: &ArrayRef<'a>) -> Result<Planes<'a, T>, WrongPayload> {
        let (layout, elements) = (array.layout(), array.elements::<T>()?);
        // Packed elements need no planes: one long row lets kernels run without a break.
        if layout.is_packed() {
            let starts = Starts { outer: [(1, 0); MAX_DIMS], ndim: 0 };
            let (width, height, stride) = (layout.len(), 1, layout.len());
            return Ok(Planes { elements, width, height, stride, samples_per_pixel: 1, starts });
        }
        // Mono leaves the colour axis among the outer ones, so that it is not taken as samples of a pixel.
        Planes::over(&layout.with_color(ColorMode::Mono), elements)
    }

    /// `elements` lie as `layout` says.
    ///
    /// # Errors
    /// [`WrongPayload`] when the samples of a row do not lie side by side.
    pub(crate) fn over(layout: &Layout, elements: &'a [T]) -> Result<Planes<'a, T>, WrongPayload> {
        let (dims, axes) = (layout.dims(), layout.axes());
        let stride_of = |axis: Option<usize>| axis.map_or(0, |a| dims[a].stride / size_of::<T>());
        let rgb1 = layout.color() == ColorMode::Rgb1;
        let samples_per_pixel = axes.color.filter(|_| rgb1).map_or(1, |c| dims[c].size);
        // Kernels read a row as one slice, so samples of a row must lie side by side.
        if layout.width() > 1 && stride_of(axes.x) != samples_per_pixel {
            return Err(WrongPayload::new("samples of a row side by side", layout));
        }
        let mut starts = Starts { outer: [(1, 0); MAX_DIMS], ndim: 0 };
        for (d, dim) in dims.iter().enumerate() {
            // Axes inside a plane are walked by kernels, and all other axes count planes.
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
            // An array of one row has no stride, and a plane needs one that holds a row.
            stride: stride_of(axes.y).max(layout.width() * samples_per_pixel),
            samples_per_pixel,
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
        // A place behind the end gives no elements, and the plane's check refuses that.
        let part = self.elements.get(self.starts.start(index)..).unwrap_or(&[]);
        Plane::new(part, width, self.height, self.stride).map_err(|e| WrongPayload::new("an image", e))
    }

    /// The planes one after the other in pieces of at most `most` elements, each of whole rows or a part of
    /// one. Arrays of the same layout have the same pieces.
    pub(crate) fn pieces(&self, most: usize) -> impl Iterator<Item = Piece> + use<T> {
        let (columns, most) = (self.width * self.samples_per_pixel, most.max(1));
        // A row longer than the limit is cut, so that memory for a piece is bounded whatever the width is.
        let (across, down) = (columns.clamp(1, most), (most / columns.max(1)).max(1));
        let (planes, height) = (self.len(), self.height);
        (0..planes).flat_map(move |plane| {
            let rows = (0..height).step_by(down);
            rows.flat_map(move |y| {
                (0..columns).step_by(across).map(move |x| Piece {
                    plane,
                    y,
                    x,
                    width: across.min(columns - x),
                    height: down.min(height - y),
                })
            })
        })
    }

    /// The elements of a piece.
    ///
    /// # Errors
    /// [`WrongPayload`] when it does not lie inside.
    pub(crate) fn piece(&self, piece: &Piece) -> Result<Plane<'a, T>, WrongPayload> {
        let start = self.starts.start(piece.plane) + piece.y * self.stride + piece.x;
        let part = self.elements.get(start..).unwrap_or(&[]);
        Plane::new(part, piece.width, piece.height, self.stride.max(piece.width))
            .map_err(|e| WrongPayload::new("an image", e))
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
        // The last outer axis is the fastest, so it is taken off first.
        for (size, stride) in self.outer[..self.ndim].iter().rev() {
            // An axis without elements would divide by zero.
            start += rest % (*size).max(1) * stride;
            rest /= (*size).max(1);
        }
        start
    }
}
