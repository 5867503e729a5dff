//! The numbers of a frame as an array, for time series.

use livetime_engine::{Context, NodeError};
use livetime_frame::{ColorMode, DType, Frame, Layout, LayoutError};
use livetime_kernels::statistics::{Basic, Centroid};

use crate::attribute;

/// How many numbers there are.
const COUNT: usize = 23;

/// The results of one frame.
#[derive(Default)]
pub(super) struct Found {
    pub(super) basic: Option<Basic>,
    pub(super) centroid: Option<Centroid>,
}

/// The layout of the array.
///
/// # Errors
/// Never: the shape is fixed.
pub(super) fn layout() -> Result<Layout, LayoutError> {
    Layout::packed(DType::F64, ColorMode::Mono, &[COUNT])
}

impl Found {
    /// In areaDetector's order; NaN where nothing was measured.
    fn numbers(&self, time_s: f64) -> [f64; COUNT] {
        let mut numbers = [f64::NAN; COUNT];
        if let Some(b) = &self.basic {
            let [min_x, min_y, max_x, max_y] = [b.min_x, b.min_y, b.max_x, b.max_y].map(|place| place as f64);
            let basic = [b.min, min_x, min_y, b.max, max_x, max_y, b.mean, b.sigma, b.total, b.net];
            numbers[..10].copy_from_slice(&basic);
        }
        if let Some(c) = &self.centroid {
            let places = [c.total, c.x, c.y, c.sigma_x, c.sigma_y, c.sigma_xy];
            let shape = [c.skew_x, c.skew_y, c.kurtosis_x, c.kurtosis_y, c.eccentricity, c.orientation];
            numbers[10..16].copy_from_slice(&places);
            numbers[16..22].copy_from_slice(&shape);
        }
        numbers[22] = time_s;
        numbers
    }

    /// Sends the values on output 1, if an edge leads from there.
    ///
    /// # Errors
    /// [`NodeError`] when there is no memory, or an edge that fails is full.
    pub(super) fn send(&self, of: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        if !ctx.is_connected(1) {
            return Ok(());
        }
        let mut out = ctx.array(layout()?)?;
        out.inherit(of);
        out.elements_mut::<f64>()?.copy_from_slice(&self.numbers(attribute::time_s(of.header())));
        ctx.emit_to(1, out)
    }
}
