//! `transform`: turns and mirrors pictures (areaDetector's NDPluginTransform).
//!
//! In: arrays of any dtype, mono or RGB; of an array of more dimensions every plane of the last two is
//! turned; one dimension is a single row. Out: the same dtype and colour mode; width and height change places
//! for the four that turn rows into columns. Offsets, binning and reversal in the layout move with the
//! pixels.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::transform::Transform;
//!
//! let mut node = Harness::new::<Transform>(&[("operation", "rot90".into())])?;
//! let picture = node.image::<u8>(&[2, 3], &[1, 2, 3, 4, 5, 6])?;
//! let out = node.feed(&picture)?;
//! assert_eq!(out[0].array()?.elements::<u8>()?, [4, 1, 5, 2, 6, 3]);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use livetime_engine::{
    Context, Counterpart, Node, NodeError, NodeKind, NodeSpec, ParamEnum, Params, PortSpec, Stream,
};
use livetime_frame::{ColorMode, Element, Frame, FrameMut, Layout, MAX_DIMS, with_dtype};
use livetime_kernels::{Level, Pixel, Transform as Kernel, transform};

use crate::convert::refuse_compressed;
use crate::planes::Planes;

/// How a picture is turned; `a` is `image[y, x]` in numpy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Operation {
    /// As it is: `a`.
    #[default]
    None,
    /// Clockwise: `np.rot90(a, -1)`.
    Rot90,
    /// Upside down: `a[::-1, ::-1]`.
    Rot180,
    /// Counter-clockwise: `np.rot90(a, 1)`.
    Rot270,
    /// Left and right exchanged: `a[:, ::-1]`.
    Mirror,
    /// Rows become columns: `a.T`.
    Rot90Mirror,
    /// Top and bottom exchanged: `a[::-1, :]`.
    Rot180Mirror,
    /// Mirrored about the other diagonal: `a.T[::-1, ::-1]`.
    Rot270Mirror,
}

/// Parameters of `transform`.
#[derive(Params)]
pub struct TransformParams {
    /// How pictures are turned.
    #[param(pv = "Type", form = Setpoint, drv_info = "TRANSFORM_TYPE")]
    pub operation: Operation,
    /// Width of the latest output.
    #[param(readback, unit = "px", pv = "ArraySizeX")]
    pub array_size_x: usize,
    /// Height of the latest output.
    #[param(readback, unit = "px", pv = "ArraySizeY")]
    pub array_size_y: usize,
    /// Size of the third dimension of the latest output; 0 when it has none.
    #[param(readback, pv = "ArraySizeZ")]
    pub array_size_z: usize,
}

/// Turns and mirrors pictures.
pub struct Transform {
    params: TransformParams,
}

impl Transform {
    fn kernel(&self) -> Kernel {
        Kernel::ALL.get(self.params.operation.index()).copied().unwrap_or_default()
    }

    /// The layout of the output for such input.
    fn output(&self, layout: &Layout) -> Result<Layout, NodeError> {
        refuse_compressed(layout)?;
        let (mut shape, mut origin) = ([1; MAX_DIMS], [(0, 1, false); MAX_DIMS]);
        for (i, dim) in layout.dims().iter().enumerate() {
            (shape[i], origin[i]) = (dim.size, (dim.offset, dim.binning, dim.reverse));
        }
        // The kernel tells by a size of 0 x 1 whether it swaps the sides.
        let (axes, turned) = (layout.axes(), self.kernel().output_size(0, 1).0 == 1);
        let x = axes.x.unwrap_or(0);
        // A single row that is turned gets a second dimension.
        let (y, ndim) = match axes.y {
            Some(y) => (y, layout.dims().len()),
            None if turned => (1, 2),
            // The last axis is unused in a single row, so that its reversal is lost without harm.
            None => (MAX_DIMS - 1, 1),
        };
        let (reverse_x, reverse_y) = self.reversed();
        // Two reversals cancel.
        origin[x].2 ^= reverse_x;
        origin[y].2 ^= reverse_y;
        // The reversals belong to the input's axes, so the swap follows them.
        if turned && axes.y.is_some() {
            shape.swap(x, y);
            origin.swap(x, y);
        }
        Ok(Layout::packed(layout.dtype(), layout.color(), &shape[..ndim])?.with_origin(origin))
    }

    /// Whether columns and rows of the input are put in reverse order.
    fn reversed(&self) -> (bool, bool) {
        use Kernel::{Mirror, Rot90, Rot180, Rot180Mirror, Rot270, Rot270Mirror};
        (
            // These four put the columns of the input in reverse order.
            matches!(self.kernel(), Mirror | Rot180 | Rot270 | Rot270Mirror),
            matches!(self.kernel(), Rot180Mirror | Rot180 | Rot90 | Rot270Mirror),
        )
    }

    fn turn<T: Pixel + Element>(
        &self,
        frame: &Frame,
        output: &mut FrameMut,
        ctx: &mut Context,
    ) -> Result<(), NodeError> {
        let array = frame.array()?;
        let planes = Planes::<T>::of(&array)?;
        let (samples, output) = (planes.samples_per_pixel, output.elements_mut::<T>()?);
        let size = planes.width * planes.height * samples;
        let turn = |plane, to: &mut [T]| {
            transform(Level::best(), plane, self.kernel(), samples, to).map_err(NodeError::new)
        };
        // `chunks_exact_mut` panics for a size of 0.
        if output.is_empty() {
            return Ok(());
        }
        if array.layout().color() != ColorMode::Rgb2 {
            let mut places = output.chunks_exact_mut(size);
            return planes.iter().zip(&mut places).try_for_each(|(plane, to)| turn(plane?, to));
        }
        // The rows of an RGB2 plane do not follow each other: turned beside it, then put in their places.
        let mut beside = ctx.array(Layout::packed(T::DTYPE, ColorMode::Mono, &[size])?)?;
        let beside = beside.elements_mut::<T>()?;
        let (width, _) = self.kernel().output_size(planes.width, planes.height);
        for (number, plane) in planes.iter().enumerate() {
            turn(plane?, beside)?;
            let places = output.chunks_exact_mut(width).skip(number).step_by(planes.len());
            places.zip(beside.chunks_exact(width)).for_each(|(to, row)| to.copy_from_slice(row));
        }
        Ok(())
    }

    fn publish(&mut self, layout: &Layout) {
        let size = |axis: Option<usize>| axis.map_or(0, |a| layout.dims()[a].size);
        let axes = layout.axes();
        self.params.array_size_x = layout.width();
        self.params.array_size_y = layout.height();
        self.params.array_size_z = size(axes.color);
    }
}

impl Node for Transform {
    type Params = TransformParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "transform",
        kind: NodeKind::Process,
        summary: "Turns and mirrors pictures.",
        inputs: &[PortSpec::array("in")],
        outputs: &[PortSpec::array("out")],
        parallel: true,
    };

    const COUNTERPART: Option<Counterpart> = Some(Counterpart::new("NDPluginTransform", "Trans"));

    fn new(params: TransformParams) -> Result<Transform, NodeError> {
        Ok(Transform { params })
    }

    fn params(&mut self) -> &mut TransformParams {
        &mut self.params
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        let Some(layout) = inputs.first().and_then(Stream::layout) else { return Ok(vec![Stream::Unknown]) };
        let unchanged = self.params.operation == Operation::None;
        Ok(vec![Stream::Array(if unchanged { *layout } else { self.output(layout)? })])
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let layout = frame.array()?.layout();
        // The frame is sent on without a copy.
        if self.params.operation == Operation::None {
            self.publish(layout);
            return ctx.forward(0, frame);
        }
        let layout = self.output(layout)?;
        let mut output = ctx.array(layout)?;
        with_dtype!(layout.dtype(), T => self.turn::<T>(frame, &mut output, ctx))?;
        self.publish(&layout);
        output.inherit(frame);
        ctx.emit(output)
    }
}

#[cfg(test)]
mod tests {
    use livetime_engine::testing::{Harness, assert_compliant};
    use livetime_frame::DType;

    use super::*;

    /// The effect of the eight operations on row and column, written down from their numpy equivalents.
    fn source(operation: usize, (w, h): (usize, usize), (y, x): (usize, usize)) -> (usize, usize) {
        match operation {
            0 => (y, x),
            1 => (h - 1 - x, y),
            2 => (h - 1 - y, w - 1 - x),
            3 => (x, w - 1 - y),
            4 => (y, w - 1 - x),
            5 => (x, y),
            6 => (h - 1 - y, x),
            _ => (h - 1 - x, w - 1 - y),
        }
    }

    /// Value of a pixel that tells where it came from.
    fn value(y: usize, x: usize, c: usize) -> u8 {
        (y * 40 + x * 4 + c) as u8
    }

    fn picture(color: ColorMode, w: usize, h: usize, of: impl Fn(usize, usize, usize) -> u8) -> Vec<u8> {
        let (ys, xs) = (0..h, 0..w);
        let all = |order: &dyn Fn(usize, usize, usize) -> (usize, usize, usize), a, b, c| {
            let mut values = Vec::new();
            for i in 0..a {
                for j in 0..b {
                    for k in 0..c {
                        let (y, x, c) = order(i, j, k);
                        values.push(of(y, x, c));
                    }
                }
            }
            values
        };
        let (h, w) = (ys.len(), xs.len());
        match color {
            ColorMode::Rgb1 => all(&|y, x, c| (y, x, c), h, w, 3),
            ColorMode::Rgb2 => all(&|y, c, x| (y, x, c), h, 3, w),
            ColorMode::Rgb3 => all(&|c, y, x| (y, x, c), 3, h, w),
            _ => all(&|_, y, x| (y, x, 0), 1, h, w),
        }
    }

    #[test]
    fn all_operations_dtypes_and_colors() {
        let mut node = Harness::new::<Transform>(&[]).unwrap();
        let (w, h) = (5, 3);
        for color in [ColorMode::Mono, ColorMode::Rgb1, ColorMode::Rgb2, ColorMode::Rgb3] {
            for (number, choice) in Operation::CHOICES.iter().enumerate() {
                // The operation acts from the next frame.
                node.set("operation", choice.name).unwrap();
                let (ow, oh) = Kernel::ALL[number].output_size(w, h);
                let expected = picture(color, ow, oh, |y, x, c| {
                    let (y, x) = source(number, (w, h), (y, x));
                    value(y, x, c)
                });
                for dtype in DType::ALL {
                    let layout = Layout::packed(dtype, color, &color.shape(w, h)).unwrap();
                    let input = picture(color, w, h, value);
                    with_dtype!(dtype, T => {
                        let input: Vec<T> = input.iter().map(|v| *v as T).collect();
                        let expected: Vec<T> = expected.iter().map(|v| *v as T).collect();
                        let frame = node.array::<T>(layout, &input).unwrap();
                        let out = node.feed(&frame).unwrap();
                        let array = out[0].array().unwrap();
                        assert_eq!(array.elements::<T>().unwrap(), expected, "{} {layout}", choice.name);
                        assert_eq!(array.layout().shape().collect::<Vec<_>>(), color.shape(ow, oh));
                        assert_eq!(out[0].header().sequence, frame.header().sequence);
                        let planned = node.plan(&[Stream::Array(layout)]).unwrap();
                        assert_eq!(planned, [Stream::Array(*array.layout())]);
                    });
                }
            }
        }
    }

    #[test]
    fn views_and_origins() {
        let mut node = Harness::new::<Transform>(&[("operation", "rot90".into())]).unwrap();
        let whole = node.image::<u16>(&[4, 5], &(0..20).collect::<Vec<_>>()).unwrap();
        let layout = *whole.array().unwrap().layout();
        let (rows, y) = layout.crop(0, 1, 2).unwrap();
        let (part, x) = rows.crop(1, 2, 3).unwrap();
        let view = node.view(&whole, part, y + x).unwrap();
        let out = node.feed(&view).unwrap();
        let array = out[0].array().unwrap();
        assert_eq!(array.elements::<u16>().unwrap(), [12, 7, 13, 8, 14, 9]);
        // Columns now count detector rows, from the last one back.
        let [y, x] = [array.layout().dims()[0], array.layout().dims()[1]];
        assert_eq!((y.offset, y.reverse, x.offset, x.reverse), (2, false, 1, true));
        let line = node.image::<u8>(&[3], &[1, 2, 3]).unwrap();
        let out = node.feed(&line).unwrap();
        assert_eq!(out[0].array().unwrap().layout().to_string(), "3x1 u8 mono");
        node.set("operation", "none").unwrap();
        assert!(node.feed(&line).unwrap()[0].is_same(&line));
    }

    #[test]
    fn keeps_the_contract() {
        for choice in Operation::CHOICES {
            assert_compliant::<Transform>(&[("operation", choice.name.into())]);
        }
    }
}
