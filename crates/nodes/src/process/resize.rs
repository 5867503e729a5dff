//! `resize`: enlarges and reduces pictures.
//!
//! In: arrays of any dtype, mono or RGB; of an array of more dimensions every plane of the last two is resized; one
//! dimension is a single row. Out: the same dtype and colour mode, with the size given by `width`, `height` and
//! `factor`. Integers are rounded to the nearest value. Offset and reversal in the layout stay; the binning becomes the
//! nearest whole number of detector pixels per element, at least 1. A picture that already has the wanted size passes
//! unchanged. areaDetector has no such plugin; the methods are OpenCV's `cv::resize`
//! ([`livetime_kernels::ResizeMethod`]).
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::resize::Resize;
//!
//! let mut node = Harness::new::<Resize>(&[("factor", 2.0.into()), ("method", "bilinear".into())])?;
//! let picture = node.image::<u8>(&[1, 2], &[10, 50])?;
//! let out = node.feed(&picture)?;
//! assert_eq!(out[0].array()?.elements::<u8>()?, [10, 20, 40, 50, 10, 20, 40, 50]);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use livetime_engine::{Context, Node, NodeError, NodeKind, NodeSpec, ParamEnum, Params, PortSpec, Stream};
use livetime_frame::{ColorMode, Element, Frame, FrameMut, Layout, MAX_DIMS, with_dtype};
use livetime_kernels::{Level, Pixel, Resize as Wanted, ResizeMethod, ResizeScratch, resize};

use crate::convert::refuse_compressed;
use crate::planes::Planes;

/// How the pixels of the output are made. Centres of pixels lie at half numbers, edges go on as they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum Method {
    /// The pixel in which the centre lies: no new values.
    Nearest,
    /// From 2 x 2 pixels.
    #[default]
    Bilinear,
    /// From 4 x 4 pixels, a = -0.75: sharper, may overshoot at edges.
    Cubic,
    /// The mean over the area that is covered: for reducing.
    Area,
}

/// Parameters of `resize`.
#[derive(Params)]
pub struct ResizeParams {
    /// How pixels are made.
    pub method: Method,
    /// Width of the output; 0: as `height` in proportion, or by `factor`.
    #[param(min = 0, max = 1_000_000, unit = "px")]
    pub width: i64,
    /// Height of the output; 0: as `width` in proportion, or by `factor`. One-dimensional arrays have none.
    #[param(min = 0, max = 1_000_000, unit = "px")]
    pub height: i64,
    /// Size of the output over that of the input, where neither `width` nor `height` is given.
    #[param(default = 1.0, min = 0.0001, max = 10_000.0)]
    pub factor: f64,
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

/// Enlarges and reduces pictures.
pub struct Resize {
    params: ResizeParams,
    scratch: ResizeScratch,
}

impl Resize {
    /// The layout of the output for such input.
    fn output(&self, layout: &Layout) -> Result<Layout, NodeError> {
        refuse_compressed(layout)?;
        let color = layout.color();
        // A mosaic is refused: mixing its neighbours would mix colours.
        if layout.is_empty() || (color != ColorMode::Mono && !color.is_rgb()) {
            return Err(NodeError::new(format_args!(
                "wanted a mono or RGB array with pixels, found {layout}"
            )));
        }
        let (mut shape, mut origin) = ([0; MAX_DIMS], [(0, 1, false); MAX_DIMS]);
        for (i, dim) in layout.dims().iter().enumerate() {
            (shape[i], origin[i]) = (dim.size, (dim.offset, dim.binning, dim.reverse));
        }
        let (width, height) = self.size(layout);
        let axes = layout.axes();
        for (axis, size) in [(axes.x, width), (axes.y, height)].into_iter().filter_map(|(a, s)| Some((a?, s)))
        {
            let binning = origin[axis].1 as f64 * shape[axis] as f64 / size as f64;
            // The binning grows with the reduction, so that later nodes still find the place on the detector.
            origin[axis].1 = at_least_one(binning);
            shape[axis] = size;
        }
        // The layout is made without a colour and gets it afterwards: both have the same axes.
        let plain = Layout::packed(layout.dtype(), ColorMode::Mono, &shape[..layout.dims().len()])?;
        Ok(plain.with_origin(origin).with_color(color))
    }

    /// Width and height of the output.
    fn size(&self, layout: &Layout) -> (usize, usize) {
        let (width, height) = (layout.width() as f64, layout.height() as f64);
        let wanted = |size: i64| if size > 0 { Some(size as f64) } else { None };
        // The height of a single row says nothing about its width.
        let rows = layout.axes().y.and(wanted(self.params.height));
        let (w, h) = match (wanted(self.params.width), rows) {
            (Some(w), Some(h)) => (w, h),
            // One given side keeps the proportions.
            (Some(w), None) => (w, height * (w / width)),
            (None, Some(h)) => (width * (h / height), h),
            (None, None) => (width * self.params.factor, height * self.params.factor),
        };
        (at_least_one(w), if layout.axes().y.is_some() { at_least_one(h) } else { 1 })
    }

    fn resize<T: Pixel + Element>(&mut self, frame: &Frame, output: &mut FrameMut) -> Result<(), NodeError> {
        let array = frame.array()?;
        let planes = Planes::<T>::of(&array)?;
        let (width, height) = self.size(array.layout());
        let samples_per_pixel = planes.samples_per_pixel;
        let method = match self.params.method {
            Method::Nearest => ResizeMethod::Nearest,
            Method::Bilinear => ResizeMethod::Bilinear,
            Method::Cubic => ResizeMethod::Cubic,
            Method::Area => ResizeMethod::Area,
        };
        let wanted = Wanted { method, width, height, samples_per_pixel };
        let row = width * samples_per_pixel;
        // The rows of RGB2 planes lie between each other.
        let rgb2 = array.layout().color() == ColorMode::Rgb2;
        let (step, stride) = if rgb2 { (row, row * planes.len()) } else { (row * height, row) };
        let output = output.elements_mut::<T>()?;
        for (number, plane) in planes.iter().enumerate() {
            // A place outside the output gives no elements, which the kernel refuses.
            let place = output.get_mut(number * step..).unwrap_or_default();
            let place = if rgb2 { place } else { place.get_mut(..step).unwrap_or_default() };
            resize(Level::best(), plane?, &wanted, place, stride, &mut self.scratch)
                .map_err(NodeError::new)?;
        }
        Ok(())
    }

    fn publish(&mut self, layout: &Layout) {
        self.params.array_size_x = layout.width();
        self.params.array_size_y = layout.height();
        self.params.array_size_z = layout.axes().color.map_or(0, |axis| layout.dims()[axis].size);
    }
}

/// The nearest whole number from 1 on.
fn at_least_one(value: f64) -> usize {
    value.round().max(1.0) as usize
}

impl Node for Resize {
    type Params = ResizeParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "resize",
        kind: NodeKind::Process,
        summary: "Enlarges and reduces pictures.",
        inputs: &[PortSpec::array("in")],
        outputs: &[PortSpec::array("out")],
        parallel: true,
    };

    fn new(params: ResizeParams) -> Result<Resize, NodeError> {
        Ok(Resize { params, scratch: ResizeScratch::default() })
    }

    fn params(&mut self) -> &mut ResizeParams {
        &mut self.params
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        let Some(layout) = inputs.first().and_then(Stream::layout) else { return Ok(vec![Stream::Unknown]) };
        let output = self.output(layout)?;
        let unchanged = output.shape().eq(layout.shape());
        Ok(vec![Stream::Array(if unchanged { *layout } else { output })])
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let layout = frame.array()?.layout();
        let wanted = self.output(layout)?;
        if wanted.shape().eq(layout.shape()) {
            // The input is sent on without a copy.
            self.publish(layout);
            return ctx.forward(0, frame);
        }
        let mut output = ctx.array(wanted)?;
        with_dtype!(wanted.dtype(), T => self.resize::<T>(frame, &mut output))?;
        self.publish(&wanted);
        output.inherit(frame);
        ctx.emit(output)
    }
}

#[cfg(test)]
mod tests {
    use livetime_engine::Value;
    use livetime_engine::testing::{Harness, assert_compliant};
    use livetime_frame::DType;

    use super::*;

    /// A picture in any colour mode; value of colour `c` at a place.
    fn picture(color: ColorMode, (w, h): (usize, usize), of: impl Fn(usize, usize, usize) -> u8) -> Vec<u8> {
        let shape = color.shape(w, h);
        let axes = color.axes(shape.len());
        (0..shape.iter().product::<usize>())
            .map(|index| {
                let mut rest = index;
                let mut place = [0; 3];
                for (at, size) in place[..shape.len()].iter_mut().zip(&shape).rev() {
                    (*at, rest) = (rest % size, rest / size);
                }
                let along = |axis: Option<usize>| axis.map_or(0, |a| place[a]);
                of(along(axes.y), along(axes.x), along(axes.color))
            })
            .collect()
    }

    #[test]
    fn all_methods_dtypes_and_colors() {
        let mut node = Harness::new::<Resize>(&[("factor", 3.0.into())]).unwrap();
        let (w, h) = (5, 3);
        for color in [ColorMode::Mono, ColorMode::Rgb1, ColorMode::Rgb2, ColorMode::Rgb3] {
            for (method, dtype) in
                Method::CHOICES.iter().flat_map(|m| DType::ALL.into_iter().map(move |d| (m.name, d)))
            {
                node.set("method", method).unwrap();
                let layout = Layout::packed(dtype, color, &color.shape(w, h)).unwrap();
                // The centre pixel of each nine has the value of the one they came from, with every method.
                let input = picture(color, (w, h), |y, x, c| (y * 40 + x * 4 + c) as u8);
                with_dtype!(dtype, T => {
                    let input: Vec<T> = input.iter().map(|v| *v as T).collect();
                    let frame = node.array::<T>(layout, &input).unwrap();
                    let out = node.feed(&frame).unwrap();
                    let array = out[0].array().unwrap();
                    assert_eq!(array.layout().shape().collect::<Vec<_>>(), color.shape(3 * w, 3 * h));
                    assert_eq!(array.layout().color(), color);
                    let elements = array.elements::<T>().unwrap();
                    picture(color, (3 * w, 3 * h), |y, x, c| u8::from(y % 3 == 1 && x % 3 == 1) * (c as u8 + 1))
                        .iter()
                        .zip(elements)
                        .filter(|(centre, _)| **centre > 0)
                        .zip(input.iter())
                        .for_each(|((_, found), expected)| assert_eq!(found, expected, "{method} {layout}"));
                    assert_eq!(out[0].header().sequence, frame.header().sequence);
                    let planned = node.plan(&[Stream::Array(layout)]).unwrap();
                    assert_eq!(planned, [Stream::Array(*array.layout())]);
                });
            }
        }
    }

    #[test]
    fn sizes_follow_the_parameters() {
        let size = |params: &[(&str, Value)], shape: &[usize]| {
            let mut node = Harness::new::<Resize>(params).unwrap();
            let picture = node.image::<u8>(shape, &vec![7; shape.iter().product()]).unwrap();
            let out = node.feed(&picture).unwrap();
            let array = out[0].array().unwrap();
            assert!(array.elements::<u8>().unwrap().iter().all(|v| *v == 7));
            array.layout().shape().collect::<Vec<_>>()
        };
        assert_eq!(size(&[], &[4, 6]), [4, 6]);
        assert_eq!(size(&[("factor", 0.5.into())], &[5, 6]), [3, 3]);
        assert_eq!(size(&[("factor", 0.01.into())], &[5, 6]), [1, 1]);
        assert_eq!(size(&[("width", 12.into())], &[4, 6]), [8, 12]);
        assert_eq!(size(&[("height", 2.into())], &[4, 6]), [2, 3]);
        assert_eq!(size(&[("width", 5.into()), ("height", 9.into())], &[4, 6]), [9, 5]);
        assert_eq!(size(&[("width", 5.into()), ("height", 9.into())], &[6]), [5]);
        assert_eq!(size(&[("width", 2.into()), ("method", "area".into())], &[2, 3, 4, 4]), [2, 3, 2, 2]);
    }

    #[test]
    fn views_and_origins() {
        let mut node = Harness::new::<Resize>(&[("factor", 0.5.into()), ("method", "area".into())]).unwrap();
        let whole = node.image::<u16>(&[4, 6], &(0..24).collect::<Vec<_>>()).unwrap();
        let (rows, y) = whole.array().unwrap().layout().crop(0, 2, 2).unwrap();
        let (part, x) = rows.crop(1, 1, 4).unwrap();
        let view = node.view(&whole, part, y + x).unwrap();
        let out = node.feed(&view).unwrap();
        let array = out[0].array().unwrap();
        // 13 14 15 16 over 19 20 21 22; 16.5 and 18.5 become even.
        assert_eq!(array.elements::<u16>().unwrap(), [16, 18]);
        let [y, x] = [array.layout().dims()[0], array.layout().dims()[1]];
        assert_eq!((y.offset, y.binning, x.offset, x.binning), (2, 2, 1, 2));
    }

    #[test]
    fn what_has_the_size_passes() {
        let mut node = Harness::new::<Resize>(&[("width", 2.into())]).unwrap();
        let picture = node.image::<f32>(&[1, 2], &[1.0, 2.0]).unwrap();
        assert!(node.feed(&picture).unwrap()[0].is_same(&picture));
        assert_eq!((node.number_of("array_size_x"), node.number_of("array_size_y")), (2.0, 1.0));
    }

    #[test]
    fn what_cannot_be_resized_is_refused() {
        let mut node = Harness::new::<Resize>(&[("factor", 2.0.into())]).unwrap();
        let bayer = Layout::packed(DType::U8, ColorMode::Bayer, &[2, 2]).unwrap();
        let error = node.plan(&[Stream::Array(bayer)]).unwrap_err().to_string();
        assert_eq!(error, "wanted a mono or RGB array with pixels, found 2x2 u8 bayer");
        let empty = node.image::<u8>(&[0, 2], &[]).unwrap();
        assert!(node.feed(&empty).unwrap_err().to_string().contains("found 0x2 u8 mono"));
    }

    #[test]
    fn keeps_the_contract() {
        assert_compliant::<Resize>(&[("width", 3.into()), ("height", 2.into())]);
    }
}
