//! Two small nodes: a source of counted images, and a sink that can be slow or fail.

use std::time::Duration;

use livetime_engine::{Context, Next, Node, NodeError, NodeSpec, Params, PortSpec, Stream};
use livetime_frame::{ColorMode, DType, Frame, Layout};

/// Parameters of `counter`.
#[derive(Params)]
pub(crate) struct CounterParams {
    /// Width of the images.
    #[param(default = 4, min = 1, max = 4096, unit = "px", pv = "SizeX")]
    size_x: usize,
    /// Height of the images; 0 sends lines, which have no height.
    #[param(default = 3, min = 0, max = 4096, unit = "px", pv = "SizeY")]
    size_y: usize,
    /// Time from one image to the next; 0 is as fast as possible.
    #[param(default = 0.0, min = 0, unit = "s", pv = "AcquirePeriod")]
    period: f64,
    /// Ends after so many images; 0 is never.
    #[param(default = 0)]
    count: u64,
}

/// Sends images whose pixels hold their number.
pub(crate) struct Counter {
    params: CounterParams,
    next: u64,
    due_ns: u64,
}

impl Counter {
    fn layout(&self) -> Result<Layout, NodeError> {
        let shape = [self.params.size_y, self.params.size_x];
        let shape = if self.params.size_y == 0 { &shape[1..] } else { &shape };
        Ok(Layout::packed(DType::U16, ColorMode::Mono, shape)?)
    }
}

impl Node for Counter {
    type Params = CounterParams;

    const SPEC: NodeSpec = NodeSpec::source(
        "counter",
        "Sends images whose pixels hold their number.",
        &[PortSpec::array_of_dims("out", 1, 2)],
    );

    fn new(params: CounterParams) -> Result<Counter, NodeError> {
        Ok(Counter { params, next: 0, due_ns: 0 })
    }

    fn params(&mut self) -> &mut CounterParams {
        &mut self.params
    }

    fn plan(&mut self, _: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(vec![Stream::Array(self.layout()?)])
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        if self.params.count > 0 && self.next >= self.params.count {
            return Ok(Next::Finished);
        }
        let mut image = ctx.array(self.layout()?)?;
        image.elements_mut::<u16>()?.fill(self.next as u16);
        image.header_mut().sequence = self.next;
        self.next += 1;
        ctx.emit(image)?;
        self.due_ns = ctx.now_ns().max(self.due_ns + (self.params.period * 1e9) as u64);
        Ok(Next::At(self.due_ns))
    }
}

/// Parameters of `slow`.
#[derive(Params)]
pub(crate) struct SlowParams {
    /// Time taken for each frame.
    #[param(default = 0.0, min = 0, unit = "s")]
    takes: f64,
    /// Refuses one frame in so many; 0 refuses none.
    #[param(default = 0)]
    fail_every: u64,
    /// Panics on one frame in so many; 0 never does.
    #[param(default = 0)]
    panic_every: u64,
    /// Frames seen so far.
    #[param(readback)]
    frames: u64,
}

/// Takes its time with each frame.
pub(crate) struct Slow(SlowParams);

impl Node for Slow {
    type Params = SlowParams;

    const SPEC: NodeSpec = NodeSpec::sink(
        "slow",
        "Takes its time with each frame, and can be made to fail.",
        &[PortSpec::array_of_dims("in", 2, 2)],
    );

    fn new(params: SlowParams) -> Result<Slow, NodeError> {
        Ok(Slow(params))
    }

    fn params(&mut self) -> &mut SlowParams {
        &mut self.0
    }

    fn frame(&mut self, _input: usize, _frame: &Frame, _ctx: &mut Context) -> Result<(), NodeError> {
        self.0.frames += 1;
        std::thread::sleep(Duration::from_secs_f64(self.0.takes));
        if self.0.panic_every > 0 && self.0.frames.is_multiple_of(self.0.panic_every) {
            #[allow(clippy::panic, reason = "shows that a run survives the panic of a node")]
            {
                panic!("asked to panic");
            }
        }
        if self.0.fail_every > 0 && self.0.frames.is_multiple_of(self.0.fail_every) {
            return Err(NodeError::new("asked to fail"));
        }
        Ok(())
    }
}
