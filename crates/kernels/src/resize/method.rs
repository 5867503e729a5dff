//! How pixels are made of their neighbours.

/// How the pixels of the output are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ResizeMethod {
    /// A copy of the pixel in whose area the centre lies (OpenCV's `INTER_NEAREST_EXACT`): no new values.
    Nearest,
    /// From the two nearest pixels along each dimension (`INTER_LINEAR`).
    #[default]
    Bilinear,
    /// From the four nearest pixels along each dimension with cubic weights, a = -0.75 (`INTER_CUBIC`): sharper, and may
    /// go beyond the values of the input at edges.
    Cubic,
    /// The mean over the area that the pixel covers, each pixel of the input weighted by the part of it that is covered
    /// (`INTER_AREA`). For reducing, where the other methods leave pixels out; enlarges as nearest does, with a mean where
    /// an edge of the input runs through the pixel.
    Area,
}
