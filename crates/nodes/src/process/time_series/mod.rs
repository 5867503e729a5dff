//! `time_series`: keeps the points of up to 32 signals over time (areaDetector's NDPluginTimeSeries).
//!
//! In: arrays of any dtype, one sample `[signals]` or several `[samples, signals]`; of more signals the first 32 are
//! taken. Out: all series as one array `[signals, num_points]` of f64, with zeros where no point was taken yet, and
//! with number and times of the latest input. An output is sent `read_period` after a new point, at the end of an
//! acquisition, and on `read`; without a new point none is sent.
//!
//! A point is the mean of `averaging_time / time_per_point` samples. An acquisition of fixed length ends when
//! `num_points` points were taken; a circular buffer keeps the latest. Points are f64 for every type of input, so that
//! means are not cut to whole numbers. `docs/plugins/time-series.md` has a picture.
//!
//! Behind the output `values` of `statistics` or `attributes`, its PVs have areaDetector's names for that:
//! `Stats1:TS:TSAcquire`, and each series as `Stats1:TSTotal` beside `Stats1:TS:9:TimeSeries`.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::time_series::TimeSeries;
//!
//! let mut node = Harness::new::<TimeSeries>(&[("num_points", 2.into()), ("acquire", true.into())])?;
//! let samples = node.image::<u8>(&[3, 2], &[1, 10, 2, 20, 3, 30])?;
//! let sent = node.feed(&samples)?;
//! assert_eq!(node.get("signal2_time_series"), Some(livetime_engine::Value::List(vec![10.0, 20.0])));
//! assert_eq!(sent[0].array()?.elements::<f64>()?, [1.0, 2.0, 10.0, 20.0]);
//! assert_eq!(node.get("acquiring"), Some(false.into()));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod params;
#[cfg(test)]
mod tests;

pub use params::{AcquireMode, MOST_SIGNALS, Signal, TimeSeriesParams};

use livetime_engine::{Context, Counterpart, Node, NodeError, NodeSpec, Params, PortSpec, Stream};
use livetime_frame::{ArrayRef, ColorMode, DType, Element, Frame, Layout, with_dtype};
use livetime_kernels::Pixel;

use crate::attribute;
use crate::convert::refuse_compressed;
use crate::planes::Planes;
use crate::series::{Pace, Series, copy};

/// Most memory of the series of one node.
const MOST_BYTES: usize = 512 << 20;

/// Keeps points over time.
pub struct TimeSeries {
    params: TimeSeriesParams,
    /// One row for each signal, and one for the times of the events.
    series: Series,
    signals: usize,
    sums: [f64; MOST_SIGNALS],
    summed: usize,
    pace: Pace,
    begun_ns: u64,
    /// The latest input; the next output has its number and times.
    last: Option<Frame>,
}

impl TimeSeries {
    fn begin(&mut self, ctx: &Context) {
        self.begun_ns = ctx.now_ns();
        self.clear();
    }

    fn clear(&mut self) {
        self.series.clear();
        (self.sums, self.summed) = ([0.0; MOST_SIGNALS], 0);
        self.params.current_point = 0;
    }

    /// Makes room for this number of signals and for the points asked for, unless the series has that size already.
    fn fit(&mut self, signals: usize) -> Result<(), NodeError> {
        // One more row is for the times.
        let wanted = (signals + 1, self.params.num_points);
        if self.series.size() == wanted {
            return Ok(());
        }
        let bytes = wanted.0.saturating_mul(wanted.1).saturating_mul(size_of::<f64>());
        // The bound is checked before memory is taken: two parameters in one file may ask for more than the machine
        // has.
        if bytes > MOST_BYTES {
            return Err(NodeError::new(format!(
                "wanted series of at most {MOST_BYTES} bytes, found {signals} signals of {} points",
                wanted.1
            )));
        }
        self.signals = signals;
        self.series.resize(wanted.0, wanted.1);
        // Points of another number of signals do not fit in the same series.
        self.clear();
        Ok(())
    }

    /// Takes the samples of an array; whether points were made.
    fn take<T: Pixel + Element>(&mut self, array: &ArrayRef, time_s: f64) -> Result<bool, NodeError> {
        let planes = Planes::<T>::of(array)?;
        let mut has_points = false;
        for sample in planes.plane(0)?.rows() {
            // A full series ends the acquisition in the middle of a frame, and its other samples belong to no point.
            if !self.params.acquire {
                break;
            }
            self.sums.iter_mut().zip(sample).for_each(|(sum, value)| *sum += value.to_f64());
            self.summed += 1;
            if self.summed >= self.params.num_average {
                has_points = true;
                self.add_point(time_s);
            }
        }
        Ok(has_points)
    }

    fn add_point(&mut self, time_s: f64) {
        for (row, sum) in self.sums.iter_mut().enumerate().take(self.signals) {
            // The sum is taken, so that the next point begins at 0.
            self.series.set(row, std::mem::take(sum) / self.summed as f64);
        }
        self.series.set(self.signals, time_s);
        self.series.advance();
        self.summed = 0;
        if !self.series.is_full() {
            return;
        }
        match self.params.acquire_mode {
            // The points stay until they are read, as in areaDetector.
            AcquireMode::FixedLength => self.params.acquire = false,
            // The oldest points make room.
            AcquireMode::CircularBuffer => self.series.wrap(),
        }
    }

    /// Shows the series, and sends them if there is something new.
    fn show(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let is_circular = self.params.acquire_mode == AcquireMode::CircularBuffer;
        let series = &self.series;
        let show = |row: usize, to: &mut Vec<f64>| match is_circular {
            true => copy(to, &series.wrapped(row)),
            false => copy(to, &[series.filled(row)]),
        };
        for (row, signal) in self.params.signals.iter_mut().enumerate().take(self.signals) {
            show(row, &mut signal.time_series);
        }
        show(self.signals, &mut self.params.timestamp);
        if self.pace.taken() { self.send(is_circular, ctx) } else { Ok(()) }
    }

    fn send(&mut self, is_circular: bool, ctx: &mut Context) -> Result<(), NodeError> {
        // The array is made only if a node takes it, and then with the header of the last frame that went into it.
        let Some(last) = self.last.take().filter(|_| ctx.is_connected(0)) else { return Ok(()) };
        let mut out = ctx.array(layout(self.signals, self.params.num_points)?)?;
        out.inherit(&last);
        let points = self.params.num_points;
        for (row, place) in out.elements_mut::<f64>()?.chunks_exact_mut(points).enumerate() {
            let [older, newer] =
                // A fixed length sends all its points, also points that are still 0: the size of the array must not
                // change.
                if is_circular { self.series.wrapped(row) } else { [self.series.whole(row), &[]] };
            let (first, second) = place.split_at_mut(older.len());
            first.copy_from_slice(older);
            second.copy_from_slice(newer);
        }
        ctx.emit(out)
    }
}

fn layout(signals: usize, points: usize) -> Result<Layout, NodeError> {
    Ok(Layout::packed(DType::F64, ColorMode::Mono, &[signals, points])?)
}

/// How many signals an array has.
fn signals_of(layout: &Layout) -> Result<usize, NodeError> {
    refuse_compressed(layout)?;
    let (signals, count) = (layout.dims().last().map_or(0, |dim| dim.size), layout.dims().len());
    // Samples of one dimension are one row of signals.
    if !(1..=2).contains(&count) || signals == 0 {
        return Err(NodeError::new(format!(
            "wanted samples as [signals] or [samples, signals], found {:?}",
            layout.shape().collect::<Vec<_>>()
        )));
    }
    // Further signals have no parameters, so they are left out as in areaDetector.
    Ok(signals.min(MOST_SIGNALS))
}

impl Node for TimeSeries {
    type Params = TimeSeriesParams;

    const SPEC: NodeSpec = NodeSpec::process(
        "time_series",
        "Keeps the points of several signals over time.",
        &[PortSpec::array("in")],
        &[PortSpec::array("out")],
    );

    const COUNTERPART: Option<Counterpart> = Some(Counterpart::new("NDPluginTimeSeries", "TS"));

    fn new(mut params: TimeSeriesParams) -> Result<TimeSeries, NodeError> {
        params.apply_times();
        params.acquiring = params.acquire;
        Ok(TimeSeries {
            params,
            series: Series::default(),
            signals: 0,
            sums: [0.0; MOST_SIGNALS],
            summed: 0,
            pace: Pace::default(),
            begun_ns: 0,
            last: None,
        })
    }

    fn params(&mut self) -> &mut TimeSeriesParams {
        &mut self.params
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        let Some(input) = inputs.first().and_then(Stream::layout) else { return Ok(vec![Stream::Unknown]) };
        Ok(vec![Stream::Array(layout(signals_of(input)?, self.params.num_points)?)])
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.begin(ctx);
        Ok(())
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let array = frame.array()?;
        self.fit(signals_of(array.layout())?)?;
        // The room is made before this return, so that a plot has its length before the first acquisition.
        if !self.params.acquire {
            return Ok(());
        }
        let time_s = attribute::time_s(frame.header());
        let has_points = with_dtype!(array.layout().dtype(), T => self.take::<T>(&array, time_s))?;
        self.params.current_point = self.series.next();
        self.params.elapsed_time = ctx.now_ns().saturating_sub(self.begun_ns) as f64 / 1e9;
        self.params.acquiring = self.params.acquire;
        if has_points {
            self.last = Some(frame.clone());
            self.pace.news(ctx, self.params.read_period);
        }
        // The last points are shown at once: no later frame would show them.
        if self.params.acquire { Ok(()) } else { self.show(ctx) }
    }

    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.show(ctx)
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.name(index) {
            "acquire" if self.params.acquire => self.begin(ctx),
            "acquire" => self.pace.at_once(ctx),
            "read" => {
                self.params.read = false;
                self.pace.at_once(ctx);
            }
            "num_points" if self.series.size().1 != self.params.num_points => {
                // Before the first frame the number of signals is unknown.
                if self.signals > 0 {
                    self.fit(self.signals)?;
                }
                self.params.make_axis();
            }
            "acquire_mode" => {
                // The order of points differs between the modes, so the points of one are useless in the
                // other.
                self.clear();
                self.params.make_axis();
            }
            "time_per_point" | "averaging_time" => {
                // The points stay; only the point that is being averaged begins again.
                (self.sums, self.summed) = ([0.0; MOST_SIGNALS], 0);
                self.params.apply_times();
            }
            _ => {}
        }
        self.params.acquiring = self.params.acquire;
        Ok(())
    }

    /// The last points are shown and sent, too.
    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        self.show(ctx)
    }

    fn stop(&mut self) {
        self.last = None;
    }
}
