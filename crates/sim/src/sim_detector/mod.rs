//! `sim_detector`: a simulated detector with four kinds of pictures (areaDetector's simDetector).
//!
//! Out: arrays `[height, width]` or RGB, of any dtype, packed, numbered from 1. The dimensions carry offset,
//! binning and reversal of the region. Event time is the time of day at the end of the exposure.
//!
//! | `sim_mode` | pixel at column x, row y of frame k, all in the type T of the frames |
//! |---|---|
//! | `linear_ramp` | `(T)(i * (gain_x * x + gain_y * y)) + k * i`, with `i = (T)gain`, in colour `(T)(gain_red * i)` … |
//! | `peaks` | sum of Gaussian peaks of height `gain`, in colour times `gain_red` … |
//! | `sine` | `(T)(gain * (X[x] + Y[y]))`, X and Y the sum or product of two waves; in colour one wave each for red and green |
//! | `offset_noise` | `(T)(noise * r + offset)`, r uniform in `[0, 1)`; this is the background of the other modes too |
//!
//! The formulas stand in ADSimDetector's `simDetector.cpp`; conversions that C leaves open are modulo the type.
//! Differences: sums of bins saturate and do not wrap, and colour gains may have fractions.
//!
//! Each frame is due one period after the one before it, whenever that one really came, so that the rate is
//! kept. A source that falls more than 50 ms behind gives up whole periods (`missed_periods`). When there is
//! no memory for a frame, the engine counts it as lost and the next frame gets its number.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_sim::SimDetector;
//!
//! let size = [("max_size_x", 4.into()), ("max_size_y", 2.into())];
//! let frames = Harness::new::<SimDetector>(&size)?.run_source(2)?;
//! assert_eq!(frames[0].array()?.elements::<u8>()?, [0, 1, 2, 3, 1, 2, 3, 4]);
//! assert_eq!(frames[1].array()?.elements::<u8>()?, [1, 2, 3, 4, 2, 3, 4, 5]);
//! assert_eq!(frames[1].header().sequence, 2);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod background;
mod params;
mod peaks;
mod picture;
mod ramp;
mod readout;
mod shape;
mod sine;
#[cfg(test)]
mod tests;

use livetime_engine::{
    Context, Counterpart, Next, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec, Stream, time_of_day_ns,
};
use livetime_nodes::sources::{ACQUIRING, COMPLETE, DetectorState, STOPPED, Schedule, to_ns};

pub use params::{SimDetectorParams, SimMode, SineOperation};
use picture::{Painter, painter};
use readout::Readout;

/// A simulated detector.
pub struct SimDetector {
    params: SimDetectorParams,
    /// Present while frames are taken.
    schedule: Option<Schedule>,
    /// The part of the picture that is sent; `None` after a change.
    readout: Option<Readout>,
    /// `None` before the first frame and after a change that starts the picture again.
    painter: Option<Box<dyn Painter>>,
}

/// The largest picture, and the type of its elements.
const ARGUMENTS: &[&str] = &["max_size_x", "max_size_y", "data_type"];

impl Node for SimDetector {
    type Params = SimDetectorParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "sim_detector",
        kind: NodeKind::Source,
        summary: "A simulated detector: ramp, peaks, waves, noise.",
        inputs: &[],
        outputs: &[PortSpec::array_of_dims("out", 2, 3)],
        parallel: false,
    };

    const COUNTERPART: Option<Counterpart> =
        Some(Counterpart::new("ADSimDetector", "cam").or(&["simDetector"]).with_arguments(ARGUMENTS));

    fn new(params: SimDetectorParams) -> Result<SimDetector, NodeError> {
        Ok(SimDetector { params, schedule: None, readout: None, painter: None })
    }

    fn params(&mut self) -> &mut SimDetectorParams {
        &mut self.params
    }

    fn plan(&mut self, _inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(vec![Stream::Array(self.readout()?.layout)])
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let bytes = self.readout()?.layout.span();
        match self.params.preallocate {
            0 => {
                ctx.preallocate_for_queues(bytes);
                Ok(())
            }
            count => ctx.preallocate(bytes, count),
        }
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        if !self.params.acquire {
            self.halt();
            return Ok(Next::Idle);
        }
        let now_ns = ctx.now_ns();
        let exposure_ns = to_ns(self.params.acquire_time);
        // No frame comes faster than it is exposed.
        let period_ns = to_ns(self.params.acquire_period).max(exposure_ns);
        let mut schedule = self.schedule.unwrap_or_else(|| self.begin(now_ns));
        let due_ns = schedule.due_ns(exposure_ns, period_ns);
        if now_ns < due_ns {
            self.schedule = Some(schedule);
            return Ok(Next::At(due_ns));
        }
        self.params.missed_periods += schedule.met(now_ns, exposure_ns, period_ns);
        self.schedule = Some(schedule);
        self.take_frame(ctx)?;
        if self.is_done() {
            return Ok(self.complete());
        }
        let next_ns = schedule.due_ns(exposure_ns, period_ns);
        Ok(if next_ns <= now_ns { Next::Now } else { Next::At(next_ns) })
    }

    fn changed(&mut self, index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.specs().get(index).map_or("", |spec| spec.name) {
            "acquire" if !self.params.acquire => self.halt(),
            // The next frame takes these as they are then.
            "acquire" | "acquire_time" | "acquire_period" | "preallocate" => {}
            "image_mode" | "num_images" | "finish_when_done" => {}
            // The picture goes on; only another part of it is sent.
            "min_x" | "min_y" | "size_x" | "size_y" | "bin_x" | "bin_y" | "reverse_x" | "reverse_y" => {
                self.readout = None;
            }
            "max_size_x" => {
                // A size for the old detector may not fit the new one: 0 takes all of it.
                self.params.size_x = 0;
                self.reset();
            }
            "max_size_y" => {
                self.params.size_y = 0;
                self.reset();
            }
            _ => self.reset(),
        }
        // A client that asks for too much is told at once, not by each frame that fails; and the readbacks of size are
        // right before the first frame comes.
        readout::announce(&mut self.params)
    }

    fn stop(&mut self) {
        self.schedule = None;
        self.reset();
    }
}

impl SimDetector {
    fn begin(&mut self, now_ns: u64) -> Schedule {
        self.params.num_images_counter = 0;
        self.params.detector_state = DetectorState::Acquire;
        self.params.status_message = ACQUIRING.into();
        Schedule::starting(now_ns)
    }

    /// Acquisition was stopped before its end.
    fn halt(&mut self) {
        if self.schedule.take().is_none() {
            return;
        }
        self.params.detector_state = self.params.image_mode.when_stopped();
        self.params.status_message = STOPPED.into();
    }

    fn is_done(&self) -> bool {
        self.params.image_mode.is_done(self.params.num_images_counter, self.params.num_images)
    }

    fn complete(&mut self) -> Next {
        self.schedule = None;
        self.params.acquire = false;
        self.params.detector_state = DetectorState::Idle;
        self.params.status_message = COMPLETE.into();
        if self.params.finish_when_done { Next::Finished } else { Next::Idle }
    }

    /// The next frame starts the picture again.
    fn reset(&mut self) {
        self.params.reset = false;
        (self.readout, self.painter) = (None, None);
    }

    fn readout(&mut self) -> Result<Readout, NodeError> {
        let readout = match self.readout {
            Some(readout) => readout,
            None => Readout::new(&mut self.params)?,
        };
        self.readout = Some(readout);
        Ok(readout)
    }

    fn take_frame(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let event_time_ns = time_of_day_ns();
        let readout = self.readout()?;
        let mut frame = ctx.array(readout.layout)?;
        let painter = match &mut self.painter {
            Some(painter) => painter,
            none => none.insert(painter(&self.params, readout.shape)?),
        };
        painter.paint(readout.region.as_ref(), &mut frame)?;
        // Counted only now, so that a frame without memory leaves its number to the next one.
        self.params.array_counter += 1;
        self.params.num_images_counter += 1;
        let header = frame.header_mut();
        (header.sequence, header.event_time_ns) = (self.params.array_counter, event_time_ns);
        ctx.emit(frame)
    }
}
