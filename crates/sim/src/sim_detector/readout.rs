//! Which part of the picture is sent, and how it is described.

use livetime_engine::NodeError;
use livetime_frame::{ByteSize, ColorMode, Layout};
use livetime_kernels::Conversion;

use super::params::SimDetectorParams;
use super::shape::Shape;

/// The largest picture in bytes. The detector keeps up to four of that size beside the memory of the run.
const LARGEST: u64 = 1 << 32;

/// The part of the picture that is sent.
#[derive(Clone, Copy)]
pub(super) struct Readout {
    /// The picture.
    pub(super) shape: Shape,
    /// The region that is cut out of it; `None` when the whole picture is sent.
    pub(super) region: Option<Conversion>,
    /// The frames.
    pub(super) layout: Layout,
}

impl Readout {
    /// Limits the region to the detector, as areaDetector does, and writes the result to the readbacks.
    pub(super) fn new(p: &mut SimDetectorParams) -> Result<Readout, NodeError> {
        let shape = shape(p)?;
        (p.min_x, p.size_x, p.bin_x) = fit(p.min_x, p.size_x, p.bin_x, p.max_size_x);
        (p.min_y, p.size_y, p.bin_y) = fit(p.min_y, p.size_y, p.bin_y, p.max_size_y);
        let region = Conversion {
            offset_x: p.min_x,
            offset_y: p.min_y,
            bin_x: p.bin_x,
            bin_y: p.bin_y,
            reverse_x: p.reverse_x,
            reverse_y: p.reverse_y,
            samples_per_pixel: if shape.color == ColorMode::Rgb1 { 3 } else { 1 },
            ..Conversion::whole(p.size_x, p.size_y)
        };
        let layout = layout(p, shape, &region)?;
        (p.array_size_x, p.array_size_y, p.array_size) = (layout.width(), layout.height(), layout.span());
        // A whole picture is drawn right into the frame, without a second one to cut from.
        let whole = Conversion {
            samples_per_pixel: region.samples_per_pixel,
            ..Conversion::whole(shape.width, shape.height)
        };
        Ok(Readout { shape, region: (region != whole).then_some(region), layout })
    }
}

/// Says in the readbacks how large the next frame will be. The parameters of the region stay as written until
/// then, because a client that moves it writes several of them, and only all together must fit.
///
/// # Errors
/// [`NodeError`] when the picture would be too large.
pub(super) fn announce(p: &mut SimDetectorParams) -> Result<(), NodeError> {
    let written = (p.min_x, p.size_x, p.bin_x, p.min_y, p.size_y, p.bin_y);
    let announced = Readout::new(p);
    (p.min_x, p.size_x, p.bin_x, p.min_y, p.size_y, p.bin_y) = written;
    announced.map(drop)
}

/// The picture that these parameters describe.
///
/// # Errors
/// [`NodeError`] when it would be too large.
pub(super) fn shape(p: &SimDetectorParams) -> Result<Shape, NodeError> {
    let shape = Shape { width: p.max_size_x, height: p.max_size_y, color: p.color_mode.mode() };
    let bytes = shape.len() as u64 * p.data_type.dtype().bytes() as u64;
    if bytes > LARGEST {
        return Err(NodeError::new(format_args!(
            "wanted a picture of at most {}, found max_size_x {} and max_size_y {} with {}",
            ByteSize(LARGEST),
            p.max_size_x,
            p.max_size_y,
            ByteSize(bytes)
        ))
        .of_param(if p.max_size_x >= p.max_size_y { "max_size_x" } else { "max_size_y" }));
    }
    Ok(shape)
}

/// Offset, size and binning along an axis of `max` pixels: inside, and whole bins.
fn fit(min: usize, size: usize, bin: usize, max: usize) -> (usize, usize, usize) {
    // At least one pixel stays.
    let min = min.min(max.saturating_sub(1));
    let room = max - min;
    // 0 asks for everything up to the edge of the detector.
    let size = if size == 0 { room } else { size.min(room) };
    let bin = bin.clamp(1, size.max(1));
    (min, size / bin * bin, bin)
}

fn layout(p: &SimDetectorParams, shape: Shape, region: &Conversion) -> Result<Layout, NodeError> {
    let (columns, rows) = region.output_size();
    let layout = Layout::packed(p.data_type.dtype(), shape.color, &shape.color.shape(columns, rows))?;
    let axes = layout.axes();
    let origin = (0..layout.dims().len()).map(|axis| match Some(axis) {
        x if x == axes.x => (p.min_x, p.bin_x, p.reverse_x),
        y if y == axes.y => (p.min_y, p.bin_y, p.reverse_y),
        _ => (0, 1, false),
    });
    Ok(layout.with_origin(origin))
}
