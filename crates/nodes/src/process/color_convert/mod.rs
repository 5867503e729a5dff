//! `color_convert`: changes the order of the colours of a picture (areaDetector's NDPluginColorConvert).
//!
//! In: arrays of any dtype. Out: the same pictures in the colour mode `color_mode_out`, packed. Offsets, binning and
//! reversal of rows and columns stay unchanged.
//!
//! | from | to | how |
//! |---|---|---|
//! | `mono` | RGB1, RGB2, RGB3 | the value in all three colours, or of 8-bit values the colours of a palette (`false_color`) |
//! | RGB1, RGB2, RGB3 | each other | every value moves |
//! | RGB1, RGB2, RGB3 | `mono` | the mean of the three colours, all with the same weight, cut towards zero |
//! | `bayer` | RGB1, RGB2, RGB3 | the colours that a pixel has not seen are the means of its nearest neighbours that have |
//! | `bayer` | `mono` | as to RGB, then the mean |
//! | anything else | | the frame is sent on unchanged, and counted (`unchanged`) |
//!
//! The pattern of a mosaic is the attribute `BayerPattern` of the frame (0 RGGB, 1 GBRG, 2 GRBG, 3 BGGR), else the
//! parameter `bayer_pattern`. The pattern counts from the first pixel of the detector, so that regions keep their
//! colours. Sums are exact for integers; means of `f32` are computed in `f64`.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_frame::{ColorMode, DType, Layout};
//! use livetime_nodes::process::color_convert::ColorConvert;
//!
//! let mut node = Harness::new::<ColorConvert>(&[("color_mode_out", "rgb1".into())])?;
//! let picture = node.array::<u8>(Layout::packed(DType::U8, ColorMode::Rgb3, &[3, 1, 2])?, &[1, 2, 3, 4, 5, 6])?;
//! let out = node.feed(&picture)?;
//! assert_eq!(out[0].array()?.elements::<u8>()?, [1, 3, 5, 2, 4, 6]);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod rows;
#[cfg(test)]
mod tests;

use livetime_engine::{
    Context, Counterpart, Node, NodeError, NodeKind, NodeSpec, ParamEnum, Params, PortSpec, Stream,
};
use livetime_frame::{AttributeValue, ColorMode, Frame, Layout, with_dtype};
use livetime_kernels::color;

use crate::convert::refuse_compressed;
use rows::Work;

/// The colour mode of the output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum ColorModeOut {
    /// One value per pixel.
    #[default]
    Mono,
    /// A mosaic: nothing is converted to it.
    Bayer,
    /// The colours of a pixel side by side: `[height, width, 3]`.
    #[pv("RGB1")]
    Rgb1,
    /// The colours of a row one after the other: `[height, 3, width]`.
    #[pv("RGB2")]
    Rgb2,
    /// The colours of the picture one after the other: `[3, height, width]`.
    #[pv("RGB3")]
    Rgb3,
    /// Nothing is converted to it.
    #[pv("YUV444")]
    Yuv444,
    /// Nothing is converted to it.
    #[pv("YUV422")]
    Yuv422,
    /// Nothing is converted to it.
    #[pv("YUV421")]
    Yuv421,
}

impl ColorModeOut {
    fn mode(self) -> ColorMode {
        ColorMode::ALL.get(self.index()).copied().unwrap_or_default()
    }
}

/// The colours that 8-bit values get.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum FalseColor {
    /// Grey.
    #[default]
    None,
    /// Black, blue, cyan, yellow, red; 255 is white.
    Rainbow,
    /// Black, violet, orange, yellow; 255 is white.
    Iron,
}

/// The colours of a mosaic: first its first row, then its second one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum BayerPattern {
    /// Red and green, green and blue.
    #[default]
    #[pv("RGGB")]
    Rggb,
    /// Green and blue, red and green.
    #[pv("GBRG")]
    Gbrg,
    /// Green and red, blue and green.
    #[pv("GRBG")]
    Grbg,
    /// Blue and green, green and red.
    #[pv("BGGR")]
    Bggr,
}

/// The rule for pixels on the edge of a mosaic, which lack neighbours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum BayerEdges {
    /// The picture is continued by reflection.
    #[default]
    Reflected,
    /// They keep the colour that they have seen, and the others are 0, as in areaDetector.
    OwnColor,
}

/// Parameters of `color_convert`.
#[derive(Params)]
pub struct ColorConvertParams {
    /// The colour mode of the output.
    #[param(pv = "ColorModeOut")]
    pub color_mode_out: ColorModeOut,
    /// The colours that 8-bit values of mono pictures get in an RGB output.
    #[param(pv = "FalseColor")]
    pub false_color: FalseColor,
    /// The pattern of mosaics whose frames have no attribute `BayerPattern`.
    #[param(pv = "BayerPattern")]
    pub bayer_pattern: BayerPattern,
    /// What becomes of the pixels on the edge of a mosaic.
    pub bayer_edges: BayerEdges,
    /// Frames that were sent on as they came; in a pool, while it runs, those of one copy of the node.
    #[param(readback, count)]
    pub unchanged: u64,
}

/// Changes how the colours of a picture lie.
pub struct ColorConvert {
    params: ColorConvertParams,
}

impl ColorConvert {
    /// The layout of the output for such input; `None` when the input is sent on as it came.
    fn output(&self, layout: &Layout) -> Result<Option<Layout>, NodeError> {
        let (from, to) = (layout.color(), self.params.color_mode_out.mode());
        let is_known = matches!(from, ColorMode::Mono | ColorMode::Bayer) && layout.dims().len() == 2
            || from.is_rgb() && layout.dims().len() == 3;
        let is_wanted = to.is_rgb() || to == ColorMode::Mono;
        // Frames of other modes pass unchanged, as with areaDetector's plugin.
        if !is_known || !is_wanted || from == to {
            return Ok(None);
        }
        refuse_compressed(layout)?;
        // This runs for every frame, so it makes no list.
        let (width, height) = (layout.width(), layout.height());
        let shape: &[usize] = match to {
            ColorMode::Rgb1 => &[height, width, 3],
            ColorMode::Rgb2 => &[height, 3, width],
            ColorMode::Rgb3 => &[3, height, width],
            _ => &[height, width],
        };
        let (from, axes) = (layout.axes(), to.axes(shape.len()));
        let origin = |axis: usize| {
            let source = match Some(axis) {
                // The colour axis has no place on the detector, so it gets the usual origin.
                wanted if wanted == axes.x => from.x,
                wanted if wanted == axes.y => from.y,
                _ => None,
            };
            source.map(|a| layout.dims()[a]).map_or((0, 1, false), |d| (d.offset, d.binning, d.reverse))
        };
        let output = Layout::packed(layout.dtype(), to, shape)?;
        Ok(Some(output.with_origin((0..shape.len()).map(origin))))
    }

    /// The conversion for pictures of this layout and dtype.
    fn work(&self, frame: &Frame, layout: &Layout) -> Work {
        let said = match frame.header().attributes.get("BayerPattern") {
            // areaDetector's drivers give the pattern of each frame, which may change with the region that is
            // read out.
            Some(AttributeValue::Int(v)) => usize::try_from(*v).ok().and_then(BayerPattern::from_index),
            Some(AttributeValue::Uint(v)) => usize::try_from(*v).ok().and_then(BayerPattern::from_index),
            _ => None,
        };
        // Palettes have 256 colours, so larger numbers have none.
        let palette = match self.params.false_color {
            FalseColor::Rainbow if layout.dtype().bytes() == 1 => Some(&color::Palette::RAINBOW),
            FalseColor::Iron if layout.dtype().bytes() == 1 => Some(&color::Palette::IRON),
            _ => None,
        };
        let edges = match self.params.bayer_edges {
            BayerEdges::Reflected => color::Edges::Reflected,
            BayerEdges::OwnColor => color::Edges::OwnColor,
        };
        let (red_x, red_y) = red(said.unwrap_or(self.params.bayer_pattern), layout);
        Work { palette, red_x, red_y, edges }
    }
}

/// The column and the row of a red pixel in a mosaic of this pattern.
fn red(pattern: BayerPattern, layout: &Layout) -> (usize, usize) {
    let on_detector = match pattern {
        BayerPattern::Rggb => (0, 0),
        BayerPattern::Gbrg => (0, 1),
        BayerPattern::Grbg => (1, 0),
        BayerPattern::Bggr => (1, 1),
    };
    // The detector's number of the first pixel; only parities matter, so that it may be added.
    let first = |axis: Option<usize>| {
        let dim = axis.map(|a| layout.dims()[a]);
        // A mirrored side begins with its last pixel of the detector.
        dim.map_or(0, |d| d.offset + if d.reverse { d.size.saturating_sub(1) } else { 0 })
    };
    let axes = layout.axes();
    // The first pixel of a region may be any of the mosaic's four.
    (first(axes.x) + on_detector.0, first(axes.y) + on_detector.1)
}

impl Node for ColorConvert {
    type Params = ColorConvertParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "color_convert",
        kind: NodeKind::Process,
        summary: "Changes how the colours of a picture lie; mosaics and false colours.",
        inputs: &[PortSpec::array("in")],
        outputs: &[PortSpec::array("out")],
        parallel: true,
    };

    const COUNTERPART: Option<Counterpart> = Some(Counterpart::new("NDPluginColorConvert", "CC"));

    fn new(params: ColorConvertParams) -> Result<ColorConvert, NodeError> {
        Ok(ColorConvert { params })
    }

    fn params(&mut self) -> &mut ColorConvertParams {
        &mut self.params
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        let Some(layout) = inputs.first().and_then(Stream::layout) else { return Ok(vec![Stream::Unknown]) };
        Ok(vec![Stream::Array(self.output(layout)?.unwrap_or(*layout))])
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let array = frame.array()?;
        let Some(layout) = self.output(array.layout())? else {
            self.params.unchanged += 1;
            return ctx.forward(0, frame);
        };
        let mut output = ctx.array(layout)?;
        let work = self.work(frame, array.layout());
        with_dtype!(layout.dtype(), T => work.convert::<T>(&array, &mut output, ctx))?;
        output.inherit(frame);
        ctx.emit(output)
    }
}
