//! `overlay`: draws crosses, rectangles, ellipses and texts into pictures (areaDetector's NDPluginOverlay).
//!
//! In: uncompressed arrays of any dtype, strides and colour mode. Out: the same arrays, packed, with up to eight shapes
//! drawn in, one after the other. Every plane of the last two dimensions gets the same shapes. Frames without a shape
//! are sent on without a copy; the pixels of all others are copied once.
//!
//! ```text
//! rectangle           cross                ellipse            text
//! position            center ± size / 2,   in the rectangle   at position, cut off at position + size;
//! ┌──────┐            bars of 2 (width/2)  position, size;    `display_text`, then the event time
//! │ width│ inwards    + 1 pixels           ring of width_x    if `time_stamp_format` is not empty
//! └──────┘ position + size, inclusive
//! ```
//!
//! Pixels of RGB pictures get `red`, `green` and `blue`, pixels of all others `green`, limited to the range of the
//! dtype. With `draw_mode: xor` the bits of a pixel's whole number are inverted where the colour's bits are set, so
//! that drawing twice restores the pixel. `center` and `position` follow each other: center = position + size / 2.
//!
//! Letters are the fonts 6x13 and 9x15 of the X Window System, which are in the public domain, with the characters of
//! ISO 8859-1. The time stamp takes the directives of `strftime`, and `%03f` is the fraction of the second with 3
//! digits.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::overlay::Overlay;
//!
//! let mut node = Harness::new::<Overlay>(&[
//!     ("overlay1_used", true.into()),
//!     ("overlay1_shape", "rectangle".into()),
//!     ("overlay1_size_x", 2.into()),
//!     ("overlay1_size_y", 2.into()),
//!     ("overlay1_width_x", 1.into()),
//!     ("overlay1_width_y", 1.into()),
//!     ("overlay1_green", 9.into()),
//! ])?;
//! let picture = node.image::<u8>(&[3, 4], &[0; 12])?;
//! let out = node.feed(&picture)?;
//! assert_eq!(out[0].array()?.elements::<u8>()?, [9, 9, 9, 0, 9, 0, 9, 0, 9, 9, 9, 0]);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod params;
mod shape;
#[cfg(test)]
mod tests;
mod text;

use livetime_engine::{
    Acts, Context, Counterpart, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec, Record, Stream,
};
use livetime_frame::{Element, Frame, FrameMut, Layout, with_dtype};
use livetime_kernels::Pixel;

use crate::convert::{packed_like, refuse_compressed};
use crate::packed::copy;
use crate::planes::plane_starts;
pub use params::{DrawMode, Font, OverlayParams, Shape, ShapeParams};
use shape::{Span, Spans};
use text::{Clock, Stamp};

/// Draws shapes into pictures.
pub struct Overlay {
    params: OverlayParams,
    /// Whether the centre of a shape was written after its position: it then stays when the size changes. By
    /// shape, x and y.
    keeps_center: [[bool; 2]; params::COUNT],
    clock: Clock,
    stamps: [Stamp; params::COUNT],
    /// Where planes start in pictures like the last one.
    starts: Option<(Layout, Vec<usize>)>,
    spans: Vec<Span>,
    /// The elements of an array with gaps.
    gathered: Vec<u8>,
}

impl Overlay {
    /// The spans of all shapes, each with the number of its shape.
    fn draw(&mut self, layout: &Layout, event_time_ns: i64) -> Result<(), NodeError> {
        let mut spans = Spans::new(layout.width(), layout.height(), std::mem::take(&mut self.spans));
        // Shapes are drawn in their order, so a later shape covers an earlier one.
        for (number, shape) in self.params.overlays.iter().enumerate().filter(|(_, shape)| shape.used) {
            spans.shape = number;
            match shape.shape {
                Shape::Cross => spans.cross(shape),
                Shape::Rectangle => spans.rectangle(shape),
                Shape::Ellipse => spans.ellipse(shape),
                Shape::Text => {
                    let stamp = &mut self.stamps[number];
                    stamp.write(&self.clock, event_time_ns)?;
                    text::write(&mut spans, shape, shape.display_text.chars().chain(stamp.text.chars()));
                }
            }
        }
        self.spans = spans.done();
        Ok(())
    }

    fn paint<T: Pixel + Element>(
        &self,
        output: &mut FrameMut,
        layout: &Layout,
        xor: impl Fn(T, i64) -> T,
    ) -> Result<(), NodeError> {
        let elements = output.elements_mut::<T>()?;
        let step = |axis: Option<usize>| axis.map_or(0, |a| layout.dims()[a].stride / size_of::<T>());
        let axes = layout.axes();
        let (step_y, step_x) = (step(axes.y), step(axes.x));
        let colors = if layout.color().is_rgb() { 3 } else { 1 };
        for start in self.starts.iter().flat_map(|(_, starts)| starts) {
            for span in &self.spans {
                let shape = &self.params.overlays[span.shape];
                let values =
                    // Pictures without colours are drawn in green's value, as in NDPluginOverlay.
                    if colors == 3 { [shape.red, shape.green, shape.blue] } else { [shape.green; 3] };
                for (color, value) in values[..colors].iter().enumerate() {
                    let first = start + span.y * step_y + span.start * step_x + color * step(axes.color);
                    let pixels = elements.get_mut(first..).unwrap_or_default().iter_mut();
                    let pixels = pixels.step_by(step_x.max(1)).take(span.end - span.start);
                    match shape.draw_mode {
                        DrawMode::Set => pixels.for_each(|pixel| *pixel = T::from_f64(*value as f64)),
                        DrawMode::Xor => pixels.for_each(|pixel| *pixel = xor(*pixel, *value)),
                    }
                }
            }
        }
        Ok(())
    }

    /// Lets centre and position of all shapes follow each other.
    fn align(&mut self) {
        for (shape, keeps) in self.params.overlays.iter_mut().zip(&self.keeps_center) {
            let x = (&mut shape.position_x, &mut shape.center_x, shape.size_x, keeps[0]);
            let y = (&mut shape.position_y, &mut shape.center_y, shape.size_y, keeps[1]);
            for (position, center, size, keeps_center) in [x, y] {
                // Of centre and position the one set last stays when the size changes.
                match keeps_center {
                    true => *position = *center - size / 2,
                    false => *center = *position + size / 2,
                }
            }
        }
    }

    fn read_formats(&mut self) -> Result<(), NodeError> {
        for (stamp, shape) in self.stamps.iter_mut().zip(&self.params.overlays) {
            *stamp = Stamp::of(&shape.time_stamp_format, &self.clock)?;
        }
        Ok(())
    }
}

impl Node for Overlay {
    type Params = OverlayParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "overlay",
        kind: NodeKind::Process,
        summary: "Draws crosses, rectangles, ellipses and texts into pictures.",
        inputs: &[PortSpec::array("in")],
        outputs: &[PortSpec::array("out")],
        parallel: true,
    };

    const COUNTERPART: Option<Counterpart> =
        Some(Counterpart::new("NDPluginOverlay", "Over").with_records(&[
            Record::new("#:MaxSizeX", Acts::As("MaxSizeX_RBV")),
            Record::new("#:MaxSizeY", Acts::As("MaxSizeY_RBV")),
            Record::new("#:SetXHOPR", Acts::Joins),
            Record::new("#:SetYHOPR", Acts::Joins),
        ]));

    fn new(params: OverlayParams) -> Result<Overlay, NodeError> {
        let clock = Clock::of(&params.time_zone)?;
        // A pipeline file may give the centre instead of the position.
        let keeps_center = params.overlays.each_ref().map(|shape| {
            [(shape.position_x, shape.center_x), (shape.position_y, shape.center_y)]
                .map(|(p, c)| p == 0 && c != 0)
        });
        let (spans, gathered) = (Vec::new(), Vec::new());
        let mut node = Overlay {
            params,
            keeps_center,
            clock,
            stamps: Default::default(),
            starts: None,
            spans,
            gathered,
        };
        node.read_formats()?;
        node.align();
        Ok(node)
    }

    fn params(&mut self) -> &mut OverlayParams {
        &mut self.params
    }

    fn changed(&mut self, index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        let Some(spec) = self.params.specs().get(index) else { return Ok(()) };
        if let Some((number, suffix)) = spec.member()
            && let Some(keeps) = self.keeps_center.get_mut(number.wrapping_sub(1))
        {
            match suffix {
                "CenterX" => keeps[0] = true,
                "CenterY" => keeps[1] = true,
                "PositionX" => keeps[0] = false,
                "PositionY" => keeps[1] = false,
                _ => {}
            }
        }
        if spec.name == "time_zone" {
            self.clock = Clock::of(&self.params.time_zone)?;
        }
        self.align();
        self.read_formats()
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        let Some(layout) = inputs.first().and_then(Stream::layout) else { return Ok(vec![Stream::Unknown]) };
        refuse_compressed(layout)?;
        Ok(vec![Stream::Array(packed_like(layout, layout.dtype())?)])
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let array = frame.array()?;
        refuse_compressed(array.layout())?;
        (self.params.max_size_x, self.params.max_size_y) = (array.layout().width(), array.layout().height());
        self.draw(array.layout(), frame.header().event_time_ns)?;
        // A frame without a shape inside is forwarded, which saves the copy.
        if self.spans.is_empty() {
            return ctx.forward(0, frame);
        }
        let layout = packed_like(array.layout(), array.layout().dtype())?;
        // The starts of a stack's pictures depend on the layout alone, so they are counted once and not for each frame.
        if self.starts.as_ref().is_none_or(|(known, _)| *known != layout) {
            self.starts = Some((layout, plane_starts(&layout, false)));
        }
        let mut output = ctx.array(layout)?;
        copy(&array, &mut output, &mut self.gathered)?;
        with_dtype!(layout.dtype(), T => {
            self.paint::<T>(&mut output, &layout, |pixel, value| (pixel as i64 ^ value) as T)
        })?;
        output.inherit(frame);
        ctx.emit(output)
    }
}
