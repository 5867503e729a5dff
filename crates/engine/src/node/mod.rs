//! The contract between the engine and the nodes that handle frames.

mod backstage;
mod context;
mod dynamic;
mod error;
mod kinds;
mod last_frame;
mod node_type;
mod source_watch;
mod stamp;
mod under_way;
mod waker;

use std::path::PathBuf;

use livetime_frame::{Frame, Payload};

use crate::Params;

pub use context::Context;
pub use dynamic::{DeclaredParams, DynNode, NodeFactory};
pub use error::NodeError;
pub use kinds::{
    Accepts, Acts, Counterpart, FixedSetting, Kept, NodeKind, NodeSpec, NotAccepted, PortSpec, Record, Stream,
};
pub use last_frame::{LastFrame, Snapshot};
pub use node_type::NodeType;
pub(crate) use source_watch::SourceWatch;
pub use stamp::Stamp;
pub use under_way::{Teller, UnderWay};
pub use waker::Waker;

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

    /// Sources: the frames are stored somewhere and are the same at every run, so that nothing is lost when the source waits. Nodes behind such
    /// sources get their frames in the same order at every run, if no edge between loses one.
    const IS_STORED: bool = false;

    /// The switch among the parameters with which a stored source follows a recording that is still being written.
    /// While the switch is on at the start of a run, the source counts as live: it may have no next frame for hours,
    /// and no other source of a node may wait so long for it.
    const LIVE_IF: Option<&'static str> = None;

    /// The name of such a node in areaDetector, if it has one.
    const COUNTERPART: Option<Counterpart> = None;

    /// Most frames that this node may want to handle in one call; see [`frames`](Node::frames).
    const MOST_AT_ONCE: usize = 1;

    /// Makes a node. Must not touch files, sockets or devices: that is for [`start`](Node::start).
    ///
    /// # Errors
    /// [`NodeError`] when the parameters contradict each other.
    fn new(params: Self::Params) -> Result<Self, NodeError>;

    /// The parameters, for the engine to read and write between frames.
    fn params(&mut self) -> &mut Self::Params;

    /// The stream at each output, given the streams at the inputs; called before a run starts.
    ///
    /// # Errors
    /// [`NodeError`] when the node could not handle such input.
    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        let _ = inputs;
        Ok(vec![Stream::Unknown; Self::SPEC.outputs.len()])
    }

    /// Names of files that the node will write, with one name for a series of numbered files. Two nodes of a
    /// graph must not write to one name. Called before a run starts.
    fn writes(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Bytes of frames that the node keeps at most, given the streams at its inputs and outputs; called before a run
    /// starts. Frames in the queues before it, and the one that it handles, are counted without it.
    fn keeps(&self, inputs: &[Stream], outputs: &[Stream]) -> Kept {
        let _ = (inputs, outputs);
        Kept::default()
    }

    /// Whether the data of a source exist, as far as that shows without opening them. Called when a graph is checked
    /// and not run: a start finds out itself.
    ///
    /// # Errors
    /// [`NodeError`] with which the node would not start.
    fn look(&self) -> Result<(), NodeError> {
        Ok(())
    }

    /// Opens files, devices, sockets. Called once before the first frame, and again after a restart.
    ///
    /// # Errors
    /// [`NodeError`]; the run then does not start.
    fn start(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        let _ = ctx;
        Ok(())
    }

    /// Sources: emits the next frame if it is due, and returns when to be called again.
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
    /// [`NodeError`] with the wanted and the found value; the node stays usable.
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
    /// [`NodeError`] when the node cannot use the value; the writer gets the error.
    fn changed(&mut self, index: usize, ctx: &mut Context) -> Result<(), NodeError> {
        let _ = (index, ctx);
        Ok(())
    }

    /// Called after the last frame: the node emits the frames that it still holds back.
    ///
    /// # Errors
    /// [`NodeError`]; recorded in the report: the run has failed, because something that the node was to leave behind is not complete.
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

/// The stream that would hold this frame.
pub(crate) fn stream_of(frame: &Frame) -> Stream {
    match frame.payload() {
        Payload::Array(layout) => Stream::Array(*layout),
        other => Stream::Other(other.kind()),
    }
}
