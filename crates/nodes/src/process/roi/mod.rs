//! `roi`: cuts a region out of an array, bins, reverses, scales and converts it (areaDetector's NDPluginROI).
//!
//! In: arrays of any dtype, mono or RGB; dimensions beyond the third pass whole. Out: the region, with its
//! place on the detector in the layout: offset, binning and reversal add up through any number of regions.
//!
//! x, y and z are columns, rows and colours; of an array without colours z is the third dimension. Sizes are
//! limited to the array; readbacks show the result, and the requested sizes are kept, so that a larger array
//! gets a larger region. Before a run starts, a region outside the array is an error.
//!
//! A region that is only cropped is a view: no pixel moves, and the whole array stays in memory as long as the view is
//! used. A region is copied when it is binned, reversed, scaled or converted, or when one colour of an RGB1 picture is
//! collapsed to a mono picture. Bins are sums; the sums are exact, and `overflow` is the rule for sums that the output
//! cannot hold (areaDetector lets them wrap).
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::roi::Roi;
//!
//! let mut node = Harness::new::<Roi>(&[("min_x", 1.into()), ("size_x", 2.into()), ("bin_y", 2.into())])?;
//! let picture = node.image::<u8>(&[2, 4], &[1, 2, 3, 4, 5, 6, 7, 8])?;
//! let out = node.feed(&picture)?;
//! let part = out[0].array()?;
//! assert_eq!(part.elements::<u8>()?, [8, 10]);
//! assert_eq!((part.layout().dims()[1].offset, part.layout().dims()[0].binning), (1, 2));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod gather;
mod params;
mod region;
#[cfg(test)]
mod tests;

pub use params::RoiParams;

use std::ops::Range;

use livetime_engine::{
    Acts, Context, Counterpart, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec, Record, Stream,
};
use livetime_frame::{ColorMode, DType, Element, Frame, FrameMut, Layout, with_dtype};
use livetime_kernels::{Conversion, Level, convert};

use crate::convert::refuse_compressed;
use crate::planes::Planes;
use gather::{gather, sum_type};
use region::{Region, Span, finished, is_contiguous_inside};

/// Cuts a region out of an array.
pub struct Roi {
    params: RoiParams,
}

/// The result for an array.
struct Outcome {
    region: Region,
    /// The elements that take part, as they lie in the input.
    cut: Layout,
    /// First byte of `cut`.
    start: usize,
    /// The output: a view with the strides of `cut`, or packed.
    output: Layout,
    is_view: bool,
}

impl Roi {
    fn outcome(&self, layout: &Layout) -> Result<Outcome, NodeError> {
        refuse_compressed(layout)?;
        let region = Region::limited(&self.params.wishes(), layout);
        let (cut, start) = region.cut(layout)?;
        let dtype = self.params.data_type.of(layout.dtype());
        let collapse = self.params.collapse_dims;
        let view = finished(cut, collapse);
        let same_values = dtype == layout.dtype() && self.params.divide_by().is_none();
        // A view is possible only if pixels of a row stay side by side.
        if region.is_crop() && same_values && is_contiguous_inside(&view) {
            return Ok(Outcome { region, cut, start, output: view, is_view: true });
        }
        let output = finished(region.packed(&cut, dtype)?, collapse);
        Ok(Outcome { region, cut, start, output, is_view: false })
    }

    fn publish(&mut self, layout: &Layout, region: &Region) {
        let axes = layout.axes();
        let room = |axis: Option<usize>| axis.map_or(0, |a| layout.dims()[a].size);
        let none = Span { min: 0, size: 0, bin: 1, reverse: false };
        let [x, y, z] = [region.x, region.y, region.z].map(|span| span.unwrap_or(none));
        let p = &mut self.params;
        (p.max_size_x, p.max_size_y, p.max_size_z) = (room(axes.x), room(axes.y), room(axes.color));
        (p.actual_min_x, p.actual_min_y, p.actual_min_z) = (x.min, y.min, z.min);
        (p.actual_size_x, p.actual_size_y, p.actual_size_z) = (x.size, y.size, z.size);
        (p.actual_bin_x, p.actual_bin_y, p.actual_bin_z) = (x.bin, y.bin, z.bin);
        (p.array_size_x, p.array_size_y, p.array_size_z) = (x.bins(), y.bins(), z.bins());
    }

    fn copy(&self, frame: &Frame, outcome: &Outcome, ctx: &mut Context) -> Result<FrameMut, NodeError> {
        let mut output = ctx.array(outcome.output)?;
        // Kernels work on planes, so the third axis is cut and binned before the other two.
        let third = self.third(frame, outcome, ctx)?;
        let (from, layout, start) = match &third {
            Some((frame, layout)) => (frame, layout, 0),
            None => (frame, &outcome.cut, outcome.start),
        };
        with_dtype!(layout.dtype(), I => with_dtype!(outcome.output.dtype(), O => {
            let planes = Planes::over(layout, elements_from::<I>(from, start)?)?;
            let (samples_per_pixel, output) = (planes.samples_per_pixel, output.elements_mut::<O>()?);
            let whole = Conversion { samples_per_pixel, ..Conversion::whole(planes.width, planes.height) };
            let len = output.len();
            self.each_plane(planes.len(), whole, layout.color(), &outcome.region, len, &mut |n, c, place| {
                let place = output.get_mut(place).unwrap_or(&mut []);
                convert(Level::best(), planes.plane(n)?, c, place).map_err(NodeError::new)
            })
        }))?;
        Ok(output)
    }

    /// The array with its third dimension done, where the picture kernel cannot do it, and how it lies.
    fn third(
        &self,
        frame: &Frame,
        outcome: &Outcome,
        ctx: &mut Context,
    ) -> Result<Option<(Frame, Layout)>, NodeError> {
        let axes = outcome.cut.axes();
        let (Some(x), Some(z), Some(span)) = (axes.x, axes.color, outcome.region.z) else { return Ok(None) };
        let interleaved = outcome.cut.color() == ColorMode::Rgb1 && span.size != 3;
        if !interleaved && span.bin == 1 && !span.reverse {
            // Whole planes in their order need no step of their own: the cut chose them.
            return Ok(None);
        }
        let done = Region { x: None, y: None, z: Some(span) };
        let layout = done.packed(&outcome.cut, sum_type(outcome.cut.dtype(), &span))?;
        let mut to = ctx.array(layout)?;
        with_dtype!(outcome.cut.dtype(), I => {
            let from = elements_from::<I>(frame, outcome.start)?;
            let (cut, axes) = (&outcome.cut, (x, z));
            match layout.dtype() {
                DType::I64 => gather(from, cut, to.elements_mut::<i64>()?, &layout, axes, &span),
                DType::U64 => gather(from, cut, to.elements_mut::<u64>()?, &layout, axes, &span),
                DType::F64 => gather(from, cut, to.elements_mut::<f64>()?, &layout, axes, &span),
                _ => gather(from, cut, to.elements_mut::<I>()?, &layout, axes, &span),
            }
        });
        Ok(Some((to.freeze(), layout)))
    }

    /// Calls `convert` with every plane, the conversion of its columns and rows, and its place in an output of `len`
    /// elements. `planes` has their number, `whole` their size.
    fn each_plane(
        &self,
        planes: usize,
        whole: Conversion,
        color: ColorMode,
        region: &Region,
        len: usize,
        convert: Convert<'_>,
    ) -> Result<(), NodeError> {
        if len == 0 || planes == 0 {
            return Ok(());
        }
        let bin = |span: Option<Span>| span.map_or((1, false), |s| (s.bin, s.reverse));
        let ((bin_x, reverse_x), (bin_y, reverse_y)) = (bin(region.x), bin(region.y));
        let (divide_by, overflow) = (self.params.divide_by(), self.params.overflow.kernel());
        let all = Conversion { bin_x, bin_y, reverse_x, reverse_y, divide_by, overflow, ..whole };
        let (columns, rows) = all.output_size();
        let row = columns * whole.samples_per_pixel;
        if color != ColorMode::Rgb2 {
            let places = (0..planes).map(|n| n * row * rows..(n + 1) * row * rows);
            return places.enumerate().try_for_each(|(number, place)| convert(number, &all, place));
        }
        // The rows of an RGB2 plane do not follow each other, so each row is converted as a picture of its own.
        for (place, start) in (0..len).step_by(row).enumerate() {
            let (number, y) = (place % planes, place / planes);
            let y = if reverse_y { rows - 1 - y } else { y };
            convert(number, &Conversion { offset_y: y * bin_y, size_y: bin_y, ..all }, start..start + row)?;
        }
        Ok(())
    }
}

/// Converts plane number so and so into a place in the output.
type Convert<'a> = &'a mut dyn FnMut(usize, &Conversion, Range<usize>) -> Result<(), NodeError>;

/// The elements of an array from byte `start` on.
fn elements_from<T: Element>(frame: &Frame, start: usize) -> Result<&[T], NodeError> {
    Ok(frame.array()?.elements::<T>()?.get(start / size_of::<T>()..).unwrap_or(&[]))
}

impl Node for Roi {
    type Params = RoiParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "roi",
        kind: NodeKind::Process,
        summary: "Cuts a region out of an array; bins, reverses, scales and converts it.",
        inputs: &[PortSpec::array("in")],
        outputs: &[PortSpec::array("out")],
        parallel: true,
    };

    const COUNTERPART: Option<Counterpart> = Some(Counterpart::new("NDPluginROI", "ROI").with_records(&[
        Record::new("MaxX", Acts::As("MaxSizeX_RBV")),
        Record::new("MaxY", Acts::As("MaxSizeY_RBV")),
        Record::new("SetXHOPR", Acts::Joins),
        Record::new("SetYHOPR", Acts::Joins),
    ]));

    fn new(params: RoiParams) -> Result<Roi, NodeError> {
        Ok(Roi { params })
    }

    fn params(&mut self) -> &mut RoiParams {
        &mut self.params
    }

    fn changed(&mut self, index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        let name = self.params.name(index);
        self.params.show_wish(name);
        Ok(())
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        let Some(layout) = inputs.first().and_then(Stream::layout) else { return Ok(vec![Stream::Unknown]) };
        let axes = [("x", layout.axes().x), ("y", layout.axes().y), ("z", layout.axes().color)];
        for (wish, (name, axis)) in self.params.wishes().iter().zip(axes) {
            axis.map_or(Ok(()), |axis| wish.check(name, layout.dims()[axis].size))?;
        }
        Ok(vec![Stream::Array(self.outcome(layout)?.output)])
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let layout = frame.array()?.layout();
        let outcome = self.outcome(layout)?;
        self.publish(layout, &outcome.region);
        // A region of the whole array needs no new header.
        if outcome.is_view && outcome.output == *layout {
            return ctx.forward(0, frame);
        }
        let mut output = if outcome.is_view {
            ctx.view(frame, outcome.output, outcome.start)?
        } else {
            self.copy(frame, &outcome, ctx)?
        };
        output.inherit(frame);
        ctx.emit(output)
    }
}
