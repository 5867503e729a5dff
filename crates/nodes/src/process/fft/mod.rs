//! `fft`: the spectrum of every frame (areaDetector's NDPluginFFT).
//!
//! In: mono arrays of one or two dimensions, any dtype: samples over time, or a picture. Out: the absolute values of the
//! discrete Fourier transform over all dimensions, divided by the number of samples, as f64: the lower half of the
//! frequencies of each dimension, from 0 on. `[n]` becomes `[n / 2]`, `[rows, columns]` becomes `[rows / 2, columns / 2]`
//! (at least 1 each). Sizes are filled up with zeros to powers of two, as areaDetector does; with
//! `power_of_two: false` they stay as they are.
//!
//! With `rows: each` a picture is taken as many signals, one a row, such as `time_series` sends: each row is transformed
//! by itself.
//!
//! `num_average` spectra are averaged: with `n` frames since the reset, at most `num_average`, the output is
//! `(n - 1) / n * previous + 1 / n * new`. Other sizes begin a new average. The readbacks show the first row.
//!
//! Method: a real transform along the rows, then a complex one along the columns, by the crates `realfft` and `rustfft`.
//! For a picture of `n` pixels about `8 n` bytes are written and read three times.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::fft::Fft;
//!
//! let mut node = Harness::new::<Fft>(&[("time_per_point", 0.25.into())])?;
//! let samples = node.image::<i16>(&[4], &[1, 0, -1, 0])?;
//! let sent = node.feed(&samples)?;
//! assert_eq!(sent[0].array()?.elements::<f64>()?, [0.0, 0.5]);
//! assert_eq!(node.get("freq_axis"), Some(livetime_engine::Value::List(vec![0.0, 1.0])));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod params;
#[cfg(test)]
mod tests;
mod transform;

pub use params::{Direction, FftParams, Rows};

use livetime_engine::{Context, Counterpart, Node, NodeError, NodeSpec, Params, PortSpec, Stream};
use livetime_frame::{ColorMode, DType, Element, Frame, Layout, with_dtype};
use livetime_kernels::Pixel;

use crate::convert::refuse_compressed;
use crate::planes::Planes;
use transform::{Sizes, Transform};

/// Makes spectra.
pub struct Fft {
    params: FftParams,
    transform: Transform,
    /// The average so far, and the layout that it was made from.
    average: Vec<f64>,
    averaged: Option<Sizes>,
}

impl Fft {
    fn sizes(&self, layout: &Layout) -> Result<Sizes, NodeError> {
        refuse_compressed(layout)?;
        let (dims, is_empty) = (layout.dims().len(), layout.is_empty());
        if !(1..=2).contains(&dims) || is_empty {
            return Err(NodeError::new(format!(
                "wanted samples in one or two dimensions, found {:?} ({})",
                layout.shape().collect::<Vec<_>>(),
                layout.color()
            )));
        }
        let (rows, columns) = (layout.height().max(1), layout.width());
        Sizes::new(rows, columns, self.params.power_of_two, self.params.rows == Rows::Each)
            .map_err(NodeError::new)
    }

    /// The layout of the output.
    fn output(&self, layout: &Layout) -> Result<Layout, NodeError> {
        let (rows, columns) = self.sizes(layout)?.output();
        let shape = [rows, columns];
        let shape = if layout.dims().len() == 1 { &shape[1..] } else { &shape[..] };
        Ok(Layout::packed(DType::F64, ColorMode::Mono, shape)?)
    }

    /// Takes the new spectrum into the average.
    fn average(&mut self, sizes: Sizes) {
        let p = &mut self.params;
        // A frame of another size begins anew, too, and a reset that waits is done with it.
        let is_reset = std::mem::take(&mut p.reset_average);
        let is_new = is_reset || self.averaged != Some(sizes);
        // The average begins as a plain mean and becomes an exponential one after `num_average` frames, as in
        // NDPluginFFT.
        p.num_averaged = if is_new { 1 } else { (p.num_averaged + 1).min(p.num_average) };
        self.averaged = Some(sizes);
        self.average.resize(self.transform.absolute().len(), 0.0);
        let new = 1.0 / p.num_averaged as f64;
        for (average, value) in self.average.iter_mut().zip(self.transform.absolute()) {
            // A new average takes the value as is: an old value that is no number would stay so even times zero.
            *average = if new == 1.0 { *value } else { *average * (1.0 - new) + value * new };
        }
    }
}

impl Node for Fft {
    type Params = FftParams;

    const SPEC: NodeSpec = NodeSpec::process(
        "fft",
        "Makes the spectrum of every frame.",
        &[PortSpec::array("in")],
        &[PortSpec::array("out")],
    );

    const COUNTERPART: Option<Counterpart> = Some(Counterpart::new("NDPluginFFT", "FFT"));

    fn new(params: FftParams) -> Result<Fft, NodeError> {
        params.check()?;
        Ok(Fft { params, transform: Transform::default(), average: Vec::new(), averaged: None })
    }

    fn params(&mut self) -> &mut FftParams {
        &mut self.params
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        let Some(layout) = inputs.first().and_then(Stream::layout) else { return Ok(vec![Stream::Unknown]) };
        Ok(vec![Stream::Array(self.output(layout)?)])
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let array = frame.array()?;
        let sizes = self.sizes(array.layout())?;
        let mut out = ctx.array(self.output(array.layout())?)?;
        with_dtype!(array.layout().dtype(), T => fill::<T>(&mut self.transform, sizes, &Planes::of(&array)?))?;
        self.transform.run(sizes, self.params.suppress_dc).map_err(NodeError::new)?;
        self.average(sizes);
        out.inherit(frame);
        out.elements_mut::<f64>()?.copy_from_slice(&self.average);
        self.params.publish(&self.transform, sizes, &self.average);
        ctx.emit(out)
    }

    fn changed(&mut self, index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.name(index) {
            "direction" => self.params.check(),
            "num_average" => {
                // The frames of the old average were weighted for another number.
                self.averaged = None;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// The samples of a frame, with zeros behind.
fn fill<T: Pixel + Element>(
    transform: &mut Transform,
    sizes: Sizes,
    planes: &Planes<T>,
) -> Result<(), NodeError> {
    transform.clear(sizes);
    for (row, samples) in planes.plane(0)?.rows().enumerate() {
        transform.row(row, sizes).iter_mut().zip(samples).for_each(|(to, sample)| *to = sample.to_f64());
    }
    Ok(())
}
