//! One node without the engine.

use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use livetime_frame::{Element, Frame, FrameMut, FramePool, Header, Layout, SourceId};
use livetime_runtime::{Clock, Event};

use crate::account::NodeAccount;
use crate::control::RunControl;
use crate::edge::Outputs;
use crate::node::{Context, DynNode, Next, Node, NodeError, NodeKind, NodeType, SourceWatch, Stream};
use crate::order::Order;
use crate::services::Services;
use crate::{Value, assign};

/// How long a source without a frame is waited for.
const MOMENT: Duration = Duration::from_millis(5);

/// Runs one node on the calling thread in virtual time: feeds frames, collects the emitted frames.
///
/// ```
/// # use livetime_engine::{Context, Node, NodeError, NodeKind, NodeSpec, PortSpec};
/// # use livetime_frame::{ColorMode, DType, Frame, Layout};
/// # struct Pass(());
/// # impl Node for Pass {
/// #     type Params = ();
/// #     const SPEC: NodeSpec = NodeSpec { name: "pass", kind: NodeKind::Process, summary: "Passes.",
/// #         inputs: &[PortSpec::any("in")], outputs: &[PortSpec::any("out")], parallel: true };
/// #     fn new(_: ()) -> Result<Self, NodeError> { Ok(Pass(())) }
/// #     fn params(&mut self) -> &mut () { &mut self.0 }
/// #     fn frame(&mut self, _: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
/// #         ctx.forward(0, frame)
/// #     }
/// # }
/// use livetime_engine::testing::Harness;
///
/// let mut harness = Harness::new::<Pass>(&[])?;
/// let image = harness.image::<u8>(&[2, 2], &[1, 2, 3, 4])?;
/// let out = harness.feed(&image)?;
/// assert_eq!(out[0].array()?.elements::<u8>()?, [1, 2, 3, 4]);
/// # Ok::<(), NodeError>(())
/// ```
pub struct Harness {
    node: Box<dyn DynNode>,
    ctx: Context,
    pool: FramePool,
    inputs: livetime_frame::Allocator,
    sequence: u64,
}

impl Harness {
    /// A started node with the given parameters; the rest at their defaults.
    ///
    /// # Errors
    /// [`NodeError`] when a parameter is refused or the node does not start.
    pub fn new<N: Node>(params: &[(&str, Value)]) -> Result<Harness, NodeError> {
        Harness::of(NodeType::of::<N>(), params)
    }

    /// As [`Harness::new`] for an entry of a list of nodes.
    ///
    /// # Errors
    /// As [`Harness::new`].
    pub fn of(node_type: NodeType, params: &[(&str, Value)]) -> Result<Harness, NodeError> {
        let mut values = Vec::new();
        for (name, value) in params {
            let index = crate::find(node_type.param_specs(), name)?;
            values.push((index, node_type.param_specs()[index].accept(value)?));
        }
        // 1 GiB is more than any test of a node needs, so memory is never the reason of a failure.
        let pool = FramePool::new(1 << 30);
        let is_source = node_type.spec.kind == NodeKind::Source;
        let ctx = Context {
            name: node_type.spec.name.into(),
            clock: Clock::simulated(),
            allocator: pool.allocator(),
            outputs: Outputs::Held(Vec::new()),
            timer: None,
            order: Order::default(),
            account: Arc::new(NodeAccount::default()),
            control: Arc::new(RunControl::default()),
            bell: Arc::default(),
            source: is_source.then(|| SourceWatch::new(SourceId(0))),
            statistics: true,
            timed: true,
            wait_for_memory: false,
            max_frames: u64::MAX,
            remember_frames: true,
            last: None,
            begun_ns: 0,
            queued_ns: 0,
            sender: (0, 0),
            services: Services::default(),
            way: None,
            kept: 0,
            ledger: None,
        };
        let inputs = pool.allocator();
        let mut harness = Harness { node: node_type.build(&values)?, ctx, pool, inputs, sequence: 0 };
        harness.node.start(&mut harness.ctx)?;
        Ok(harness)
    }

    /// As the node finds it with [`Context::service`].
    pub fn service<T: Clone + Default + Send + 'static>(&self) -> T {
        self.ctx.service()
    }

    /// A mono array to feed, with the next sequence number; `shape` slowest dimension first.
    ///
    /// # Errors
    /// [`NodeError`] when shape and number of elements differ.
    pub fn image<T: Element>(&mut self, shape: &[usize], elements: &[T]) -> Result<Frame, NodeError> {
        let layout = Layout::packed(T::DTYPE, livetime_frame::ColorMode::Mono, shape)?;
        self.array(layout, elements)
    }

    /// An array of any layout to feed, with the next sequence number.
    ///
    /// # Errors
    /// [`NodeError`] when layout and elements differ in type or number.
    pub fn array<T: Element>(&mut self, layout: Layout, elements: &[T]) -> Result<Frame, NodeError> {
        let mut frame = self.inputs.array(layout)?;
        let place = frame.elements_mut::<T>()?;
        // A wrong number of elements is the test's mistake, and a copy of other lengths would panic.
        if place.len() != elements.len() {
            let found = elements.len();
            return Err(NodeError::new(format_args!("wanted {} elements, found {found}", place.len())));
        }
        place.copy_from_slice(elements);
        Ok(self.number(frame))
    }

    /// A part of `frame` as a view with strides, to feed.
    ///
    /// # Errors
    /// [`NodeError`] when the part does not lie inside.
    pub fn view(&mut self, frame: &Frame, layout: Layout, start: usize) -> Result<Frame, NodeError> {
        let view = self.inputs.view(frame, layout, start)?;
        Ok(self.number(view))
    }

    /// Raw bytes to feed.
    ///
    /// # Errors
    /// [`NodeError`] when there is no memory.
    pub fn bytes(&mut self, bytes: &[u8]) -> Result<Frame, NodeError> {
        let mut frame = self.inputs.bytes(bytes.len())?;
        frame.bytes_mut().copy_from_slice(bytes);
        Ok(self.number(frame))
    }

    fn number(&mut self, mut frame: FrameMut) -> Frame {
        let header = frame.header_mut();
        (header.sequence, header.entry_ns) = (self.sequence, self.ctx.clock.now_ns());
        // 0 would be no time at all.
        header.event_time_ns = self.sequence as i64 + 1;
        self.sequence += 1;
        frame.freeze()
    }

    /// A frame of bytes under a header that `label` has written to.
    ///
    /// # Errors
    /// [`NodeError`] when the pool is exhausted.
    pub fn bytes_with(&mut self, bytes: &[u8], label: impl FnOnce(&mut Header)) -> Result<Frame, NodeError> {
        let mut frame = self.inputs.bytes(bytes.len())?;
        frame.bytes_mut().copy_from_slice(bytes);
        label(frame.header_mut());
        Ok(self.number(frame))
    }

    /// Hands a frame to the first input and returns the frames that the node emitted, of all outputs.
    ///
    /// # Errors
    /// The node's error.
    pub fn feed(&mut self, frame: &Frame) -> Result<Vec<Frame>, NodeError> {
        self.feed_to(0, frame)
    }

    /// As [`Harness::feed`] for input number `input`.
    ///
    /// # Errors
    /// The node's error.
    pub fn feed_to(&mut self, input: usize, frame: &Frame) -> Result<Vec<Frame>, NodeError> {
        self.node.frame(input, frame, &mut self.ctx)?;
        Ok(self.emitted())
    }

    /// As [`Harness::feed`], from the first output of node number `sender`.
    ///
    /// # Errors
    /// The node's error.
    pub fn feed_from(&mut self, sender: usize, frame: &Frame) -> Result<Vec<Frame>, NodeError> {
        self.ctx.sender = (sender, 0);
        self.feed(frame)
    }

    /// Lets frames wait at the first input together, and hands them over as the engine would: all the frames that the
    /// node accepts together in one call.
    ///
    /// # Errors
    /// The node's error.
    pub fn feed_waiting(&mut self, frames: &[Frame]) -> Result<Vec<Frame>, NodeError> {
        let mut rest = frames;
        while !rest.is_empty() {
            // The node sees no more at once than the engine would hand it.
            let waiting = &rest[..rest.len().min(self.node.most_at_once())];
            let count =
                if waiting.len() > 1 { self.node.together(waiting).clamp(1, waiting.len()) } else { 1 };
            self.node.frames(0, &rest[..count], &mut self.ctx)?;
            rest = &rest[count..];
        }
        Ok(self.emitted())
    }

    /// Lets a source produce once. A source without a frame, whose frames come from another thread, is given a moment: it
    /// ends when the source is woken.
    ///
    /// # Errors
    /// The node's error.
    pub fn produce(&mut self) -> Result<(Vec<Frame>, Next), NodeError> {
        self.ctx.source.iter().for_each(SourceWatch::answer);
        let next = self.node.produce(&mut self.ctx)?;
        let frames = self.emitted();
        let has_waker = self.ctx.source.as_ref().is_some_and(SourceWatch::has_waker);
        if frames.is_empty() && has_waker && matches!(next, Next::At(_) | Next::Idle) {
            let bell = &self.ctx.bell;
            bell.adopt_thread();
            bell.prepare();
            bell.wait(Some(MOMENT));
        }
        Ok((frames, next))
    }

    /// Lets a source produce until it has emitted `count` frames or ends, moving time on as it asks.
    ///
    /// # Errors
    /// The node's error.
    pub fn run_source(&mut self, count: usize) -> Result<Vec<Frame>, NodeError> {
        let mut frames = Vec::new();
        while frames.len() < count {
            let (more, next) = self.produce()?;
            frames.extend(more);
            match next {
                Next::At(at_ns) => self.ctx.clock.advance(at_ns),
                Next::Now => {}
                // A source that is idle waits for something that no harness gives.
                Next::Idle | Next::Finished => break,
            }
        }
        Ok(frames)
    }

    /// Moves time on, and calls the node's timer if it is due.
    ///
    /// # Errors
    /// The node's error.
    pub fn advance(&mut self, to_ns: u64) -> Result<Vec<Frame>, NodeError> {
        self.ctx.clock.advance(to_ns);
        let is_due = self.ctx.timer.take_if(|at| *at <= to_ns).is_some();
        // Both timers are taken before the call, so that the call may set them again.
        if self.ctx.order.take_due(to_ns).is_some() || is_due {
            self.node.timer(&mut self.ctx)?;
        }
        Ok(self.emitted())
    }

    /// Notifies the node that no frame will come any more.
    ///
    /// # Errors
    /// The node's error.
    pub fn drain(&mut self) -> Result<Vec<Frame>, NodeError> {
        self.node.drain(&mut self.ctx)?;
        Ok(self.emitted())
    }

    /// Ends the node.
    pub fn stop(&mut self) {
        self.node.stop();
    }

    /// Writes a parameter.
    ///
    /// # Errors
    /// [`NodeError`] when it is refused.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) -> Result<(), NodeError> {
        let index = assign(self.node.params(), name, &value.into())?;
        self.node.changed(index, &mut self.ctx)
    }

    /// The value of a parameter or readback; `None` when there is none of this name.
    pub fn get(&mut self, name: &str) -> Option<Value> {
        let params = self.node.params();
        params.get(crate::find(params.specs(), name).ok()?)
    }

    /// The value of a numeric parameter or readback, or NaN.
    pub fn number_of(&mut self, name: &str) -> f64 {
        match self.get(name) {
            Some(Value::Float(v)) => v,
            Some(Value::Int(v)) => v as f64,
            Some(Value::Bool(v)) => f64::from(u8::from(v)),
            _ => f64::NAN,
        }
    }

    /// The streams that the node would send for such input.
    ///
    /// # Errors
    /// The node's error.
    pub fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        self.node.plan(inputs)
    }

    /// The events that the node reported.
    pub fn events(&self) -> Vec<Event> {
        self.ctx.control.events().0
    }

    /// The pool that inputs and outputs come from.
    pub fn pool(&self) -> &FramePool {
        &self.pool
    }

    /// The node itself.
    pub fn node<N: 'static>(&mut self) -> Option<&mut N> {
        let any: &mut dyn Any = &mut *self.node;
        any.downcast_mut()
    }

    fn emitted(&mut self) -> Vec<Frame> {
        match &mut self.ctx.outputs {
            Outputs::Held(held) => held.drain(..).map(|(_, frame)| frame).collect(),
            // The harness holds its frames, so the other way does not occur.
            Outputs::Direct(_) => Vec::new(),
        }
    }
}
