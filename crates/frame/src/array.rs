//! How array payloads lie in memory: dtype, dimensions, strides, colour.

use std::fmt;

use crate::DType;

/// The most dimensions an array may have.
pub const MAX_DIMS: usize = 8;

/// How the colours of a picture lie in its dimensions (slowest dimension first, as in numpy).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ColorMode {
    /// `[height, width]`, one value per pixel.
    #[default]
    Mono,
    /// `[height, width]`, one colour per pixel in a 2 x 2 pattern.
    Bayer,
    /// `[height, width, 3]`, colours of a pixel side by side.
    Rgb1,
    /// `[height, 3, width]`, colours interleaved by row.
    Rgb2,
    /// `[3, height, width]`, colours in planes.
    Rgb3,
    /// Packed YUV 4:4:4; carried, not interpreted.
    Yuv444,
    /// Packed YUV 4:2:2; carried, not interpreted.
    Yuv422,
    /// Packed YUV 4:1:1; carried, not interpreted.
    Yuv411,
}

impl ColorMode {
    /// All eight, in the order of areaDetector's enumeration.
    pub const ALL: [ColorMode; 8] = [
        ColorMode::Mono,
        ColorMode::Bayer,
        ColorMode::Rgb1,
        ColorMode::Rgb2,
        ColorMode::Rgb3,
        ColorMode::Yuv444,
        ColorMode::Yuv422,
        ColorMode::Yuv411,
    ];

    /// `"mono"`, `"rgb1"`, …
    pub const fn name(self) -> &'static str {
        match self {
            ColorMode::Mono => "mono",
            ColorMode::Bayer => "bayer",
            ColorMode::Rgb1 => "rgb1",
            ColorMode::Rgb2 => "rgb2",
            ColorMode::Rgb3 => "rgb3",
            ColorMode::Yuv444 => "yuv444",
            ColorMode::Yuv422 => "yuv422",
            ColorMode::Yuv411 => "yuv411",
        }
    }

    /// True for the three RGB layouts.
    pub const fn is_rgb(self) -> bool {
        matches!(self, ColorMode::Rgb1 | ColorMode::Rgb2 | ColorMode::Rgb3)
    }

    /// Shape of a picture of `width` x `height` pixels in this mode, slowest dimension first.
    pub fn shape(self, width: usize, height: usize) -> Vec<usize> {
        match self {
            ColorMode::Rgb1 => vec![height, width, 3],
            ColorMode::Rgb2 => vec![height, 3, width],
            ColorMode::Rgb3 => vec![3, height, width],
            _ => vec![height, width],
        }
    }

    /// Indices of the dimensions (y, x, colour) for an array of `ndim` dimensions.
    ///
    /// `None` where the array has no such dimension: a one-dimensional array has only x.
    pub fn axes(self, ndim: usize) -> Axes {
        match (self, ndim) {
            (ColorMode::Rgb1, 3) => Axes { y: Some(0), x: Some(1), color: Some(2) },
            (ColorMode::Rgb2, 3) => Axes { y: Some(0), x: Some(2), color: Some(1) },
            (ColorMode::Rgb3, 3) => Axes { y: Some(1), x: Some(2), color: Some(0) },
            (_, 0) => Axes { y: None, x: None, color: None },
            (_, 1) => Axes { y: None, x: Some(0), color: None },
            (_, 2) => Axes { y: Some(0), x: Some(1), color: None },
            (_, n) => Axes { y: Some(n - 2), x: Some(n - 1), color: Some(n - 3) },
        }
    }
}

impl fmt::Display for ColorMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which dimension of an array is y, x and colour (or, without colour, the third one).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Axes {
    /// Rows.
    pub y: Option<usize>,
    /// Columns.
    pub x: Option<usize>,
    /// Colours, or the next slower dimension of an array without colour.
    pub color: Option<usize>,
}

/// A named way in which the bytes of an array are compressed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Codec(pub &'static str);

/// One dimension of an array.
///
/// `offset`, `binning` and `reverse` say where on the detector the data came from, in original,
/// unbinned pixels, however many regions and binnings lie in between.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dim {
    /// Elements along this dimension.
    pub size: usize,
    /// Bytes from one element of this dimension to the next.
    pub stride: usize,
    /// First detector pixel.
    pub offset: usize,
    /// Detector pixels per element.
    pub binning: usize,
    /// True when the order is opposite to the detector's order.
    pub reverse: bool,
}

impl Dim {
    const NONE: Dim = Dim { size: 0, stride: 0, offset: 0, binning: 1, reverse: false };
}

/// Everything about an array except its bytes.
///
/// Dimensions may have any stride that keeps elements apart, so a region of a larger image is described
/// without moving a pixel. The innermost dimension of an array that was packed, and of its regions, is contiguous.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Layout {
    dtype: DType,
    color: ColorMode,
    codec: Option<Codec>,
    ndim: usize,
    dims: [Dim; MAX_DIMS],
}

impl Layout {
    /// A packed array: every row follows the one before it.
    ///
    /// ```
    /// use livetime_frame::{ColorMode, DType, Layout};
    /// let image = Layout::packed(DType::U16, ColorMode::Mono, &[1024, 512])?;
    /// assert_eq!((image.len(), image.span()), (1024 * 512, 2 * 1024 * 512));
    /// # Ok::<(), livetime_frame::LayoutError>(())
    /// ```
    ///
    /// # Errors
    /// [`LayoutError`] for no or more than [`MAX_DIMS`] dimensions, for a colour mode whose shape
    /// does not fit, or when the size in bytes overflows.
    pub fn packed(dtype: DType, color: ColorMode, shape: &[usize]) -> Result<Layout, LayoutError> {
        let refuse = |why| Err(LayoutError { why, shape: shape.to_vec() });
        if shape.is_empty() || shape.len() > MAX_DIMS {
            return refuse("wanted 1 to 8 dimensions");
        }
        let mut layout = Layout { dtype, color, codec: None, ndim: shape.len(), dims: [Dim::NONE; MAX_DIMS] };
        let mut stride = dtype.bytes();
        for (dim, &size) in layout.dims[..shape.len()].iter_mut().zip(shape).rev() {
            *dim = Dim { size, stride, ..Dim::NONE };
            match stride.checked_mul(size.max(1)) {
                Some(next) if next <= isize::MAX as usize => stride = next,
                _ => return refuse("size in bytes overflows"),
            }
        }
        let colors = layout.axes().color.map(|c| shape[c]);
        if color.is_rgb() && (shape.len() != 3 || colors != Some(3)) {
            return refuse("an RGB array has 3 dimensions, and 3 colours");
        }
        Ok(layout)
    }

    /// Element type. For compressed arrays the type of the data before compression.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Colour mode.
    pub fn color(&self) -> ColorMode {
        self.color
    }

    /// Compression, if any. The bytes of a compressed array do not follow the strides.
    pub fn codec(&self) -> Option<Codec> {
        self.codec
    }

    /// The same layout marked as compressed with `codec`.
    pub fn compressed(self, codec: Codec) -> Layout {
        Layout { codec: Some(codec), ..self }
    }

    /// The same layout with another colour mode.
    pub fn with_color(self, color: ColorMode) -> Layout {
        Layout { color, ..self }
    }

    /// Dimensions, slowest first.
    pub fn dims(&self) -> &[Dim] {
        &self.dims[..self.ndim]
    }

    /// The same layout with origin (offset, binning, reversal) of each dimension taken from `dims`.
    pub fn with_origin(mut self, dims: impl IntoIterator<Item = (usize, usize, bool)>) -> Layout {
        for (dim, (offset, binning, reverse)) in self.dims[..self.ndim].iter_mut().zip(dims) {
            (dim.offset, dim.binning, dim.reverse) = (offset, binning, reverse);
        }
        self
    }

    /// Sizes of the dimensions, slowest first, as numpy's `shape`.
    pub fn shape(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.dims().iter().map(|d| d.size)
    }

    /// Which dimensions are y, x and colour.
    pub fn axes(&self) -> Axes {
        self.color.axes(self.ndim)
    }

    /// Width in pixels; 0 for an array without dimensions.
    pub fn width(&self) -> usize {
        self.axes().x.map_or(0, |x| self.dims[x].size)
    }

    /// Height in pixels; 1 for a one-dimensional array.
    pub fn height(&self) -> usize {
        self.axes().y.map_or(1, |y| self.dims[y].size)
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.shape().product()
    }

    /// True when there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes from the first element to the end of the last one, gaps included.
    pub fn span(&self) -> usize {
        if self.is_empty() {
            return 0;
        }
        self.dtype.bytes() + self.dims().iter().map(|d| (d.size - 1) * d.stride).sum::<usize>()
    }

    /// True when the elements follow each other without gaps.
    pub fn is_packed(&self) -> bool {
        self.span() == self.len() * self.dtype.bytes()
    }

    /// The part of dimension `axis` from element `start` on, `size` elements long, and the bytes by which
    /// its first element lies behind the first one of `self`. No pixel moves.
    ///
    /// # Errors
    /// [`LayoutError`] when the part does not lie inside.
    pub fn crop(mut self, axis: usize, start: usize, size: usize) -> Result<(Layout, usize), LayoutError> {
        let inside =
            axis < self.ndim && start.checked_add(size).is_some_and(|end| end <= self.dims[axis].size);
        if !inside {
            return Err(LayoutError {
                why: "the region lies outside the array",
                shape: self.shape().collect(),
            });
        }
        let dim = &mut self.dims[axis];
        let skipped = if dim.reverse { dim.size - start - size } else { start };
        dim.offset += skipped * dim.binning;
        dim.size = size;
        let bytes = start * dim.stride;
        Ok((self, bytes))
    }

    /// The same array without its dimensions of size 1 (at least one is kept). Without the innermost one, elements
    /// may no longer lie side by side.
    pub fn collapsed(self) -> Layout {
        let mut out = Layout { ndim: 0, dims: [Dim::NONE; MAX_DIMS], ..self };
        for dim in self.dims().iter().filter(|d| d.size != 1) {
            out.dims[out.ndim] = *dim;
            out.ndim += 1;
        }
        if out.ndim == 0 {
            out.dims[0] = Dim { stride: self.dtype.bytes(), ..self.dims[self.ndim - 1] };
            out.ndim = 1;
        }
        if out.ndim < 3 && out.color.is_rgb() {
            out.color = ColorMode::Mono;
        }
        out
    }
}

impl fmt::Display for Layout {
    /// `1024x512 u16 mono`, slowest dimension first.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, size) in self.shape().enumerate() {
            write!(f, "{}{size}", if i == 0 { "" } else { "x" })?;
        }
        write!(f, " {} {}", self.dtype, self.color)?;
        self.codec.map_or(Ok(()), |c| write!(f, " {}", c.0))
    }
}

/// An array that cannot be described, or a region that is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutError {
    why: &'static str,
    shape: Vec<usize>,
}

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, found shape {:?}", self.why, self.shape)
    }
}

impl std::error::Error for LayoutError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crop_keeps_strides_and_adds_offsets() {
        let image = Layout::packed(DType::U16, ColorMode::Mono, &[10, 20]).unwrap();
        let (rows, skip_y) = image.crop(0, 2, 5).unwrap();
        let (part, skip_x) = rows.crop(1, 3, 4).unwrap();
        assert_eq!((skip_y, skip_x), (2 * 40, 6));
        assert_eq!(part.shape().collect::<Vec<_>>(), [5, 4]);
        assert_eq!(part.span(), 4 * 40 + 4 * 2);
        assert!(!part.is_packed());
        assert_eq!((part.dims()[0].offset, part.dims()[1].offset), (2, 3));
        let (again, _) = part.crop(1, 1, 2).unwrap();
        assert_eq!(again.dims()[1].offset, 4);
        assert!(part.crop(1, 3, 2).is_err());
        assert!(part.crop(1, usize::MAX, 2).is_err());
        assert!(part.crop(2, 0, 1).is_err());
    }

    #[test]
    fn refuses_impossible_arrays() {
        assert!(Layout::packed(DType::U8, ColorMode::Mono, &[]).is_err());
        assert!(Layout::packed(DType::U8, ColorMode::Mono, &[1; 9]).is_err());
        assert!(Layout::packed(DType::F64, ColorMode::Mono, &[usize::MAX, 2]).is_err());
        assert!(Layout::packed(DType::U8, ColorMode::Rgb1, &[4, 4]).is_err());
        assert!(Layout::packed(DType::U8, ColorMode::Rgb3, &[4, 4, 3]).is_err());
        assert!(Layout::packed(DType::U8, ColorMode::Rgb3, &[3, 4, 4]).is_ok());
    }

    #[test]
    fn collapse_drops_single_dimensions() {
        let one_color =
            Layout::packed(DType::U8, ColorMode::Rgb3, &[3, 4, 5]).unwrap().crop(0, 1, 1).unwrap().0;
        let flat = one_color.collapsed();
        assert_eq!(flat.to_string(), "4x5 u8 mono");
        let point = Layout::packed(DType::U8, ColorMode::Mono, &[1, 1]).unwrap().collapsed();
        assert_eq!(point.shape().collect::<Vec<_>>(), [1]);
    }
}
