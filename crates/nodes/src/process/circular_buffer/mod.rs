//! `circular_buffer`: keeps the latest frames, and sends them together with the following ones after a trigger
//! (areaDetector's NDPluginCircularBuff).
//!
//! In: frames of any kind. Out: the same frames, not copied, in the order of arrival; none without a trigger. Times and
//! numbers stay the source's.
//!
//! With `capture` the node keeps the `pre_count` latest frames. A trigger is a write to `trigger`, or a frame for which
//! `trigger_calc` is neither 0 nor NaN nor infinite. The node then sends all kept frames, oldest first, then the frame
//! of the trigger and the following ones, `post_count` together (at least the one of the trigger). Afterwards the node
//! keeps frames again, until `preset_trigger_count` triggers are done. `docs/plugins/circular-buffer.md` has a picture.
//!
//! `trigger_calc` is an expression of EPICS' calc records: `A` and `B` are the attributes named by `trigger_a` and
//! `trigger_b` (NaN where a frame has none), `C` is `pre_count`, `D` `post_count`, `E` how many frames are kept, `F`
//! whether there was a trigger (0). `NDArrayUniqueId` and `NDArrayTimeStamp` serve as attributes, too.
//!
//! Frames are kept by reference, so they occupy memory of the frame pool. Beyond `pool_share` of the pool the oldest
//! are released early, so that a source always finds memory.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::circular_buffer::CircularBuffer;
//!
//! let mut node = Harness::new::<CircularBuffer>(&[
//!     ("trigger_a", "NDArrayUniqueId".into()),
//!     ("trigger_calc", "A = 5".into()),
//!     ("pre_count", 2.into()),
//!     ("post_count", 3.into()),
//!     ("capture", true.into()),
//! ])?;
//! let mut sent = Vec::new();
//! for number in 0..10 {
//!     let frame = node.image::<u8>(&[1], &[number])?;
//!     sent.extend(node.feed(&frame)?.iter().map(|f| f.header().sequence));
//! }
//! assert_eq!(sent, [3, 4, 5, 6, 7]);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

mod params;
#[cfg(test)]
mod tests;

pub use params::{CircularBufferParams, FlushOn};

use std::collections::VecDeque;

use livetime_engine::{Context, Counterpart, Node, NodeError, NodeSpec, Params, PortSpec, Stream};
use livetime_frame::{Frame, Header};

use crate::attribute;
use crate::calc::Calc;

/// Keeps frames until a trigger.
pub struct CircularBuffer {
    params: CircularBufferParams,
    calc: Calc,
    kept: VecDeque<Frame>,
    /// `pre_count` when the capture began.
    size: usize,
}

impl CircularBuffer {
    fn begin(&mut self) {
        self.kept.clear();
        self.size = self.params.pre_count;
        self.params.begin();
    }

    fn end(&mut self) {
        self.kept.clear();
        self.params.end();
    }

    /// Whether `trigger_calc` says so for a frame.
    fn is_trigger(&mut self, header: &Header) -> bool {
        let p = &mut self.params;
        let of = |name: &str| attribute::number(header, name).unwrap_or(f64::NAN);
        (p.trigger_a_val, p.trigger_b_val) = (of(&p.trigger_a), of(&p.trigger_b));
        let mut variables = [0.0; 12];
        let counts = [p.pre_count, p.post_count, self.kept.len()].map(|count| count as f64);
        variables[..2].copy_from_slice(&[p.trigger_a_val, p.trigger_b_val]);
        variables[2..5].copy_from_slice(&counts);
        p.trigger_calc_val = self.calc.value(&variables);
        // As in areaDetector: NaN and infinity are no trigger.
        p.trigger_calc_val.is_finite() && p.trigger_calc_val != 0.0
    }

    fn keep(&mut self, frame: &Frame, ctx: &Context) {
        // A buffer of no frames still counts and shows its state.
        if self.size == 0 {
            return self.params.say("Dropping frames");
        }
        self.kept.push_back(frame.clone());
        self.params.held_bytes += frame.bytes().len();
        let room = ctx.pool_statistics().limit_bytes as f64 * self.params.pool_share;
        // The pool comes before the wish: frames in the buffer must not starve the source.
        while self.kept.len() > self.size || self.params.held_bytes as f64 > room {
            self.params.released_early += usize::from(self.kept.len() <= self.size);
            self.release_oldest();
        }
        self.params.current_qty = self.kept.len();
        if self.kept.len() == self.size {
            self.params.say("Buffer Wrapping");
        }
    }

    fn release_oldest(&mut self) -> Option<Frame> {
        let oldest = self.kept.pop_front()?;
        self.params.held_bytes -= oldest.bytes().len();
        self.params.current_qty = self.kept.len();
        Some(oldest)
    }

    /// Sends the kept frames, oldest first.
    fn flush(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        while let Some(frame) = self.release_oldest() {
            ctx.forward(0, &frame)?;
        }
        Ok(())
    }

    fn soft_trigger(&mut self, ctx: &mut Context) {
        let p = &mut self.params;
        // Without a capture a trigger has nothing to send, and reads back as false.
        p.trigger &= p.capture;
        p.triggered |= p.trigger;
        if p.trigger && p.flush_on_soft_trg == FlushOn::Immediately {
            // Sending is not allowed here, so a timer fires at once.
            ctx.set_timer(Some(ctx.now_ns()));
        }
    }

    fn understand(&mut self) -> Result<(), NodeError> {
        self.calc = Calc::parse(&self.params.trigger_calc).map_err(NodeError::new)?;
        if self.params.trigger_calc.is_empty() {
            self.params.trigger_calc = "0".into();
        }
        Ok(())
    }

    fn check_size(&self) -> Result<(), NodeError> {
        // The buffer cannot change its size while it is filled.
        if self.params.capture && self.params.pre_count != self.size {
            return Err(NodeError::new(format!(
                "wanted the end of the capture before another `pre_count`, found one under way with {}",
                self.size
            )));
        }
        Ok(())
    }
}

impl Node for CircularBuffer {
    type Params = CircularBufferParams;

    const SPEC: NodeSpec = NodeSpec::process(
        "circular_buffer",
        "Keeps the latest frames and sends them, with those that follow, when something triggers.",
        &[PortSpec::any("in")],
        &[PortSpec::any("out")],
    );

    const COUNTERPART: Option<Counterpart> =
        Some(Counterpart::new("NDPluginCircularBuff", "CB").or(&["NDPluginCircularBuffer"]));

    fn new(params: CircularBufferParams) -> Result<CircularBuffer, NodeError> {
        let calc = Calc::parse("").map_err(NodeError::new)?;
        let mut node = CircularBuffer { params, calc, kept: VecDeque::new(), size: 0 };
        node.understand()?;
        if node.params.capture {
            node.begin();
        }
        Ok(node)
    }

    fn params(&mut self) -> &mut CircularBufferParams {
        &mut self.params
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(inputs.to_vec())
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        if !self.params.capture {
            return Ok(());
        }
        if !self.params.triggered {
            self.params.triggered = self.is_trigger(frame.header());
        }
        if !self.params.triggered {
            self.keep(frame, ctx);
            return Ok(());
        }
        self.params.say("Flushing");
        self.flush(ctx)?;
        ctx.forward(0, frame)?;
        self.params.count_post();
        Ok(())
    }

    /// A trigger by a client does not wait for the next frame.
    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        if self.params.triggered { self.flush(ctx) } else { Ok(()) }
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        match self.params.name(index) {
            "capture" if self.params.capture => self.begin(),
            "capture" => self.end(),
            "trigger" => self.soft_trigger(ctx),
            "trigger_calc" => return self.understand(),
            "pre_count" => return self.check_size(),
            _ => {}
        }
        Ok(())
    }

    /// The frames go back to the pool.
    fn stop(&mut self) {
        self.kept.clear();
        (self.params.current_qty, self.params.held_bytes) = (0, 0);
    }
}
