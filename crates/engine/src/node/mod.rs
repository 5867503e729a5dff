//! What a node is: the contract between the engine and everything that handles frames.

mod context;
mod kinds;
mod under_way;

use std::any::Any;
use std::fmt;

use livetime_frame::{Frame, Layout, LayoutError, Payload, PoolExhausted, ViewError, WrongPayload};

use crate::{ParamError, Params};

pub use context::Context;
pub(crate) use context::{FAST_NS, Output, Outputs, SourceWatch};
pub use kinds::{Accepts, NodeKind, NodeSpec, NodeType, PortSpec, Stream};
pub use under_way::UnderWay;

/// A node: private state that handles one message at a time. See `docs/spec/node.md` for the contract.
///
/// A source implements [`produce`](Node::produce); a process and a sink implement [`frame`](Node::frame).
///
/// ```
/// use livetime_engine::{Context, Node, NodeError, NodeKind, NodeSpec, PortSpec};
/// use livetime_frame::Frame;
///
/// /// Counts bytes.
/// struct CountBytes {
///     params: (),
///     total: usize,
/// }
///
/// impl Node for CountBytes {
///     type Params = ();
///     const SPEC: NodeSpec = NodeSpec {
///         name: "count_bytes",
///         kind: NodeKind::Sink,
///         summary: "Counts the bytes of all frames.",
///         inputs: &[PortSpec::any("in")],
///         outputs: &[],
///         parallel: false,
///     };
///
///     fn new(params: ()) -> Result<Self, NodeError> {
///         Ok(CountBytes { params, total: 0 })
///     }
///
///     fn params(&mut self) -> &mut () {
///         &mut self.params
///     }
///
///     fn frame(&mut self, _input: usize, frame: &Frame, _ctx: &mut Context) -> Result<(), NodeError> {
///         self.total += frame.bytes().len();
///         Ok(())
///     }
/// }
/// ```
pub trait Node: Send + Sized + 'static {
    /// Its parameters.
    type Params: Params + Default;

    /// Name, ports and abilities.
    const SPEC: NodeSpec;

    /// Most frames that this node may want to handle in one call; see [`frames`](Node::frames).
    const MOST_AT_ONCE: usize = 1;

    /// Makes a node. Must not touch files, sockets or devices: that is for [`start`](Node::start).
    ///
    /// # Errors
    /// [`NodeError`] when the parameters contradict each other.
    fn new(params: Self::Params) -> Result<Self, NodeError>;

    /// The parameters, for the engine to read and write between frames.
    fn params(&mut self) -> &mut Self::Params;

    /// What each output will carry when the inputs carry `inputs`; asked before a run starts.
    ///
    /// # Errors
    /// [`NodeError`] when the node could not handle such input.
    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        let _ = inputs;
        Ok(vec![Stream::Unknown; Self::SPEC.outputs.len()])
    }

    /// Opens files, devices, sockets. Called once before the first frame, and again after a restart.
    ///
    /// # Errors
    /// [`NodeError`]; the run then does not start.
    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let _ = ctx;
        Ok(())
    }

    /// Sources: emits the next frame if it is due, and says when to be called again.
    ///
    /// # Errors
    /// [`NodeError`]; handled by the node's policy.
    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        let _ = ctx;
        Ok(Next::Finished)
    }

    /// Processes and sinks: handles one frame that arrived at input number `input`.
    ///
    /// # Errors
    /// [`NodeError`] naming what was wanted and what was found; the node stays usable.
    fn frame(&mut self, input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let _ = (input, frame, ctx);
        Ok(())
    }

    /// How many of the frames that wait at one input, oldest first, are handled by one call of
    /// [`frames`](Node::frames): at least 1. Asked when more than one waits, never with more than
    /// [`MOST_AT_ONCE`](Node::MOST_AT_ONCE).
    fn together(&mut self, waiting: &[Frame]) -> usize {
        let _ = waiting;
        1
    }

    /// Handles several frames of one input, oldest first, with the same results as one after the other. For nodes
    /// that catch up faster this way, because they pass a large state once for all of them.
    ///
    /// # Errors
    /// As [`frame`](Node::frame); the frames stand and fall together: after an error all of them count as lost.
    fn frames(&mut self, input: usize, frames: &[Frame], ctx: &mut Context) -> Result<(), NodeError> {
        frames.iter().try_for_each(|frame| self.frame(input, frame, ctx))
    }

    /// The time set with [`Context::set_timer`] has come.
    ///
    /// # Errors
    /// [`NodeError`]; handled by the node's policy.
    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let _ = ctx;
        Ok(())
    }

    /// The parameter `index` was written; it acts from the next frame.
    ///
    /// # Errors
    /// [`NodeError`] when the value cannot be acted on; the writer is told.
    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        let _ = (index, ctx);
        Ok(())
    }

    /// No frame will come any more: emits what is still held back.
    ///
    /// # Errors
    /// [`NodeError`]; recorded in the report.
    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let _ = ctx;
        Ok(())
    }

    /// The run is over: closes files and devices.
    fn stop(&mut self) {}
}

/// When a source wants to be called again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// As soon as possible.
    Now,
    /// At this time on the run's clock, in ns; earlier when a parameter was written, which may have changed it.
    At(u64),
    /// When a parameter was written.
    Idle,
    /// Never: the source has ended.
    Finished,
}

/// Why a node could not do its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeError {
    pub(crate) message: String,
    pub(crate) exhausted: bool,
}

impl NodeError {
    /// An error with this text: lower case, what was wanted, what was found, where.
    pub fn new(message: impl fmt::Display) -> NodeError {
        NodeError { message: message.to_string(), exhausted: false }
    }

    pub(crate) fn of(self, node: &str) -> NodeError {
        NodeError { message: format!("{node}: {}", self.message), ..self }
    }
}

impl fmt::Display for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message.fmt(f)
    }
}

impl std::error::Error for NodeError {}

impl From<PoolExhausted> for NodeError {
    fn from(error: PoolExhausted) -> NodeError {
        NodeError { message: error.to_string(), exhausted: true }
    }
}

impl From<ViewError> for NodeError {
    fn from(error: ViewError) -> NodeError {
        NodeError { message: error.to_string(), exhausted: matches!(error, ViewError::Exhausted(_)) }
    }
}

macro_rules! plain_error {
    ($($t:ty)*) => {$(
        impl From<$t> for NodeError {
            fn from(error: $t) -> NodeError {
                NodeError::new(error)
            }
        }
    )*};
}

plain_error!(WrongPayload LayoutError ParamError std::io::Error);

/// [`Node`] without its type, as the engine holds it.
pub(crate) trait AnyNode: Send {
    fn params(&mut self) -> &mut dyn Params;
    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError>;
    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError>;
    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError>;
    fn frame(&mut self, input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError>;
    fn most_at_once(&self) -> usize;
    fn together(&mut self, waiting: &[Frame]) -> usize;
    fn frames(&mut self, input: usize, frames: &[Frame], ctx: &mut Context) -> Result<(), NodeError>;
    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError>;
    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError>;
    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError>;
    fn stop(&mut self);
    fn as_any(&mut self) -> &mut dyn Any;
}

impl<N: Node> AnyNode for N {
    fn params(&mut self) -> &mut dyn Params {
        Node::params(self)
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Node::plan(self, inputs)
    }

    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        Node::start(self, ctx)
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        Node::produce(self, ctx)
    }

    fn frame(&mut self, input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        Node::frame(self, input, frame, ctx)
    }

    fn most_at_once(&self) -> usize {
        N::MOST_AT_ONCE.max(1)
    }

    fn together(&mut self, waiting: &[Frame]) -> usize {
        Node::together(self, waiting)
    }

    fn frames(&mut self, input: usize, frames: &[Frame], ctx: &mut Context) -> Result<(), NodeError> {
        Node::frames(self, input, frames, ctx)
    }

    fn timer(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        Node::timer(self, ctx)
    }

    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        Node::changed(self, index, ctx)
    }

    fn drain(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        Node::drain(self, ctx)
    }

    fn stop(&mut self) {
        Node::stop(self)
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// What kind of stream would hold this frame.
pub(crate) fn stream_of(frame: &Frame) -> Stream {
    match frame.payload() {
        Payload::Array(layout) => Stream::Array(*layout),
        other => Stream::Other(other.kind()),
    }
}

impl Stream {
    /// The layout of the arrays, if all are known to have the same.
    pub fn layout(&self) -> Option<&Layout> {
        match self {
            Stream::Array(layout) => Some(layout),
            _ => None,
        }
    }
}
