//! `process`: background, flat field, offset and scale, clips and a recursive filter (areaDetector's
//! NDPluginProcess).
//!
//! In: arrays of any dtype and shape, mono or RGB. Out: the same shape, in `data_type`; without any step
//! switched on and without a change of type, the frame itself. Values are cut towards zero and limited to the
//! range of the output type. With `filter_callbacks: array_n_only` fewer frames go out than come in.
//!
//! Every pixel `v` passes, in this order, the steps that are switched on: `v - background`, `v * scale_flat_field /
//! flat` (not where flat is 0), `(v + offset) * scale`, the high clip, the low clip, the filter. The filter keeps a
//! state `F` for every pixel; with `n` frames since the reset, at most `num_filter`,
//!
//! ```text
//! output = o_offset + o_scale * ((oc1 + oc2 / n) * F + (oc3 + oc4 / n) * v)
//! new F  = f_offset + f_scale * ((fc1 + fc2 / n) * F + (fc3 + fc4 / n) * v)
//! reset:   r_offset + rc1 * F + rc2 * v
//! ```
//!
//! Another number of elements or another dtype starts the filter again, from that frame. Background and flat
//! field are copies of the latest output; they act while the number of elements is the same.
//!
//! `filter_state: auto` calculates in `f32` where that is as good as `f64` for the purpose: integers of 8 or
//! 16 bits, no flat field and no offset and scale (a rounded quotient cut to a whole number can be one off),
//! and a filter that either adds up whole numbers and starts again, by `auto_reset_filter`, before they reach
//! 2^24, or forgets: the rounding of all frames it remembers, about `num_filter * largest value / 2^24`
//! counts for an average, stays below a tenth of a count. So a recursive average of 8-bit pictures is in
//! `f32` up to `num_filter` 4112, of 16-bit pictures up to 16. All else is in `f64`.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::process::Process;
//!
//! let mut node = Harness::new::<Process>(&[
//!     ("enable_filter", true.into()),
//!     ("filter_type", "recursive_ave".into()),
//!     ("num_filter", 10.into()),
//! ])?;
//! let dark = node.image::<u8>(&[1, 2], &[10, 200])?;
//! let light = node.image::<u8>(&[1, 2], &[20, 100])?;
//! node.feed(&dark)?;
//! let out = node.feed(&light)?;
//! assert_eq!(out[0].array()?.elements::<u8>()?, [15, 150]);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod params;
mod saved;
mod steps;
#[cfg(test)]
mod tests;
mod work;

pub use params::{FilterCallbacks, FilterState, FilterType, ProcessParams};
pub use saved::SavedFile;

use std::mem::take;

use livetime_engine::{
    Acts, Context, Counterpart, Node, NodeError, NodeSpec, Params, PortSpec, Record, Stream,
};
use livetime_frame::{ArrayRef, DType, Frame, Layout, with_dtype};
use livetime_kernels::{Level, min_max};

use crate::convert::{packed_like, refuse_compressed};
use crate::planes::Planes;
use steps::{FilterStep, Steps};
use work::{Job, Work, copy_of};

/// Corrects frames and filters them over time.
pub struct Process {
    params: ProcessParams,
    /// Only one of the two holds planes: the one that `params.is_single` names.
    single: Work<f32>,
    double: Work<f64>,
    /// The type and number of elements of the frames in the filter's state.
    filtered: Option<(DType, usize)>,
    /// The latest output, which background and flat field are copied from.
    last: Option<Frame>,
}

impl Process {
    /// Changes to the precision that the parameters ask for, with all planes.
    fn choose_precision(&mut self, dtype: DType) -> Result<(), NodeError> {
        let single = steps::is_single(&self.params, dtype);
        if single == self.params.is_single {
            return Ok(());
        }
        self.params.is_single = single;
        if single { self.single.take_over(&mut self.double) } else { self.double.take_over(&mut self.single) }
    }

    fn publish_valid(&mut self, len: usize) {
        let (background, flat) = if self.params.is_single {
            (self.single.background.len(), self.single.flat.len())
        } else {
            (self.double.background.len(), self.double.flat.len())
        };
        self.params.valid_background = background == len && len > 0;
        self.params.valid_flat_field = flat == len && len > 0;
    }

    /// The filter's step for the next frame, which is counted.
    fn filter_step(&mut self, layout: &Layout) -> FilterStep {
        let kind = Some((layout.dtype(), layout.len()));
        let p = &mut self.params;
        let is_new = self.filtered != kind;
        let is_full = p.auto_reset_filter && p.num_filtered >= p.num_filter;
        let setup = p.setup();
        // A frame of another type or size cannot be averaged with the frames before.
        let reset = (is_new || is_full || p.reset_filter).then(|| setup.reset_coefficients());
        if reset.is_some() {
            p.num_filtered = 0;
        }
        self.filtered = kind;
        p.reset_filter = false;
        // Weights depend on the number of frames only until the filter is full.
        p.num_filtered = p.num_filtered.saturating_add(1).min(p.num_filter);
        FilterStep { is_new, reset, coefficients: setup.coefficients(p.num_filtered) }
    }

    /// Whether the frame just counted is sent on.
    fn is_wanted(&self) -> bool {
        let p = &self.params;
        !p.enable_filter
            || p.filter_callbacks == FilterCallbacks::EveryArray
            || p.num_filtered == p.num_filter
    }

    /// Handles up to [`MOST`] frames of one layout.
    fn run(&mut self, frames: &[Frame], layout: &Layout, ctx: &mut Context) -> Result<(), NodeError> {
        let steps = Steps::corrections(&self.params);
        let dtype = self.params.data_type.of(layout.dtype());
        if steps.is_nothing() && !self.params.enable_filter && dtype == layout.dtype() {
            // The last frame is kept here, too, as it may be saved as a background.
            self.last = frames.last().cloned();
            return frames.iter().try_for_each(|frame| ctx.forward(0, frame));
        }
        // Memory first: without it the filter must not count the frames.
        let mut outputs = [const { None }; MOST];
        for (output, _) in outputs.iter_mut().zip(frames) {
            *output = Some(ctx.array(packed_like(layout, dtype)?)?);
        }
        let mut jobs = [const { None }; MOST];
        for ((job, frame), output) in jobs.iter_mut().zip(frames).zip(&mut outputs) {
            let mut steps = steps;
            if self.params.enable_filter {
                steps.filter = Some(self.filter_step(layout));
            }
            // Only wanted frames keep their memory; the other frames update the filter's state alone.
            let output = output.take().filter(|_| self.is_wanted());
            *job = Some(Job { input: frame.array()?, steps, output });
        }
        if self.params.is_single {
            self.single.run(&mut jobs, dtype)?;
        } else {
            self.double.run(&mut jobs, dtype)?;
        }
        for (job, frame) in jobs.into_iter().flatten().zip(frames) {
            let Some(mut output) = job.output else { continue };
            output.inherit(frame);
            let output = output.freeze();
            self.last = Some(output.clone());
            ctx.forward(0, &output)?;
        }
        Ok(())
    }

    /// Offset, scale and clips such that the values of `array` fill the range of the output type.
    fn scale_to(&mut self, array: &ArrayRef) -> Result<(), NodeError> {
        let dtype = array.layout().dtype();
        let extremes = with_dtype!(dtype, T => {
            let mut extremes: Option<(f64, f64)> = None;
            for plane in Planes::<T>::in_order(array)?.iter() {
                let found = min_max(Level::best(), plane?).map(|(low, high)| (low as f64, high as f64));
                extremes = [extremes, found].into_iter().flatten().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
            }
            extremes
        });
        // Without a single number, the next frame may have some.
        let Some((low, high)) = extremes else { return Ok(()) };
        let largest = largest_value(self.params.data_type.of(dtype));
        let p = &mut self.params;
        p.scale = if high > low { largest / (high - low) } else { 1.0 };
        (p.offset, p.low_clip_thresh, p.high_clip_thresh) = (-low, 0.0, largest);
        (p.enable_offset_scale, p.enable_low_clip, p.enable_high_clip) = (true, true, true);
        p.auto_offset_scale = false;
        Ok(())
    }

    /// The latest output becomes the background or the flat field.
    fn save_last(&mut self, is_background: bool) -> Result<(), NodeError> {
        let none = || NodeError::new("wanted an output to save, found none so far");
        let last = self.last.clone().ok_or_else(none)?;
        self.save(&last, is_background)
    }

    /// A picture in a file becomes the background or the flat field.
    fn read(&mut self, is_background: bool, ctx: &mut Context) -> Result<(), NodeError> {
        let read = self.params.saved.read(ctx).and_then(|frame| self.save(&frame, is_background));
        self.params.saved.settle(&read);
        read
    }

    /// A copy of a frame becomes the background or the flat field.
    fn save(&mut self, frame: &Frame, is_background: bool) -> Result<(), NodeError> {
        match (self.params.is_single, is_background) {
            (true, true) => self.single.background = copy_of(frame)?,
            (true, false) => self.single.flat = copy_of(frame)?,
            (false, true) => self.double.background = copy_of(frame)?,
            (false, false) => self.double.flat = copy_of(frame)?,
        }
        // The next frame tells whether it has as many elements.
        let last = self.last.as_ref().unwrap_or(frame);
        let len = last.array()?.layout().len();
        self.publish_valid(len);
        Ok(())
    }
}

/// The value of the brightest pixel: areaDetector's `2^bits - 1`, but for signed integers their maximum.
fn largest_value(dtype: DType) -> f64 {
    let bits = 8 * dtype.bytes() as i32;
    let signed = matches!(dtype, DType::I8 | DType::I16 | DType::I32 | DType::I64);
    2f64.powi(if signed { bits - 1 } else { bits }) - 1.0
}

/// Most frames that are filtered in one pass over the state.
const MOST: usize = 4;

impl Node for Process {
    type Params = ProcessParams;

    const MOST_AT_ONCE: usize = MOST;

    const SPEC: NodeSpec = NodeSpec::process(
        "process",
        "Corrects frames with background, flat field, scale and clips, and filters them over time.",
        &[PortSpec::array("in")],
        &[PortSpec::array("out")],
    );

    const COUNTERPART: Option<Counterpart> =
        Some(Counterpart::new("NDPluginProcess", "Proc").with_records(&[
            Record::new("ReadBackgroundTIFFSeq", Acts::Sets("ReadBackground", 1)),
            Record::new("ReadBackgroundTIFFSeq.PROC", Acts::Sets("ReadBackground", 1)),
            Record::new("ReadFlatFieldTIFFSeq", Acts::Sets("ReadFlatField", 1)),
            Record::new("ReadFlatFieldTIFFSeq.PROC", Acts::Sets("ReadFlatField", 1)),
            Record::new("FilterTypeSeq", Acts::Joins),
            Record::new("RecursiveAveSeq", Acts::Sets("FilterType", FilterType::RecursiveAve as u8)),
            Record::new("AverageSeq", Acts::Sets("FilterType", FilterType::Average as u8)),
            Record::new("SumSeq", Acts::Sets("FilterType", FilterType::Sum as u8)),
            Record::new("DifferenceSeq", Acts::Sets("FilterType", FilterType::Difference as u8)),
            Record::new("RecursiveAveDiffSeq", Acts::Sets("FilterType", FilterType::RecursiveAveDiff as u8)),
            Record::new("CopyToFilterSeq", Acts::Sets("FilterType", FilterType::CopyToFilter as u8)),
            Record::new(
                "PortBackup",
                Acts::KeepsText("Kept as it is written: files are read without a change of `NDArrayPort`."),
            ),
        ]));

    fn new(mut params: ProcessParams) -> Result<Process, NodeError> {
        params.apply_filter_type();
        params.apply_num_filter();
        Ok(Process { params, single: Work::default(), double: Work::default(), filtered: None, last: None })
    }

    fn params(&mut self) -> &mut ProcessParams {
        &mut self.params
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        let Some(layout) = inputs.first().and_then(Stream::layout) else { return Ok(vec![Stream::Unknown]) };
        refuse_compressed(layout)?;
        let dtype = self.params.data_type.of(layout.dtype());
        let unchanged = dtype == layout.dtype()
            && !self.params.enable_filter
            && Steps::corrections(&self.params).is_nothing();
        Ok(vec![Stream::Array(if unchanged { *layout } else { packed_like(layout, dtype)? })])
    }

    fn frame(&mut self, input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        self.frames(input, std::slice::from_ref(frame), ctx)
    }

    /// Frames of one layout: then the filter's state, which is several times as large as a frame, passes through
    /// the caches once for all of them.
    fn together(&mut self, waiting: &[Frame]) -> usize {
        // Automatic scaling changes parameters after a frame, so the frame behind must wait for the new ones.
        if !self.params.enable_filter || self.params.auto_offset_scale {
            return 1;
        }
        let layout = |frame: &Frame| frame.array().ok().map(|array| *array.layout());
        let Some((first, rest)) = waiting.split_first() else { return 1 };
        // The filter's state is large: several frames at once read and write that state once for all of them.
        1 + rest.iter().take_while(|frame| layout(frame) == layout(first)).count()
    }

    fn frames(&mut self, _input: usize, frames: &[Frame], ctx: &mut Context) -> Result<(), NodeError> {
        let Some(first) = frames.first() else { return Ok(()) };
        let array = first.array()?;
        let layout = array.layout();
        refuse_compressed(layout)?;
        // The flags come first, since precision and steps depend on whether a background of this size is there.
        self.publish_valid(layout.len());
        self.choose_precision(layout.dtype())?;
        self.run(frames, layout, ctx)?;
        if self.params.auto_offset_scale { self.scale_to(&array) } else { Ok(()) }
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        let name = self.params.name(index);
        match name {
            "filter_type" => self.params.apply_filter_type(),
            "num_filter" => self.params.apply_num_filter(),
            "oc1" | "oc2" | "oc3" | "oc4" | "fc1" | "fc2" | "fc3" | "fc4" | "rc1" | "rc2" => {
                self.params.recognise_custom();
            }
            "save_background" if take(&mut self.params.save_background) => return self.save_last(true),
            "save_flat_field" if take(&mut self.params.save_flat_field) => return self.save_last(false),
            "read_background" if take(&mut self.params.saved.read_background) => return self.read(true, ctx),
            "read_flat_field" if take(&mut self.params.saved.read_flat_field) => {
                return self.read(false, ctx);
            }
            "tiff_path" => self.params.saved.settle_path(),
            _ => {}
        }
        Ok(())
    }

    /// The output goes back to the pool; background and flat field stay for the next run, the filter does
    /// not.
    fn stop(&mut self) {
        // Memory of frames goes back to the pool, and a later run begins a new filter.
        (self.last, self.filtered) = (None, None);
    }
}
