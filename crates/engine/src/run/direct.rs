//! A graph on the calling thread: no threads, no queues, one frame after the other.

use std::any::Any;
use std::sync::{Arc, Mutex};

use livetime_frame::{Frame, FrameMut, FramePool, Layout};
use livetime_runtime::{Clock, EdgeOptions, lock};

use super::books::{Books, SharedBooks};
use super::wiring::{self, NodeInfo, Orders, Shared};
use super::{Report, RunOptions, cores, report};
use crate::control::RunControl;
use crate::edge::{Edge, InlineNode, OUTLET, Sender, Target};
use crate::failure::NodeFailure;
use crate::graph::{Graph, Placement};
use crate::graph_error::{GraphError, GraphFault};
use crate::node::{NodeError, NodeKind};
use crate::runner::Runner;
use crate::worker::WorkerHandle;

/// A graph that is driven by the program, frame by frame, on the calling thread.
///
/// Use it where frames come from the program itself and their results are wanted at once: to analyse recorded events through the
/// nodes of a pipeline, or to try a pipeline on one picture. A graph that runs by itself, on threads of its own, is a [`Run`](crate::Run).
///
/// The program stands in the place of the graph's only source: the node itself is never started. All other nodes run
/// inside [`give`](DirectRun::give), as nodes with [`Placement::Inline`] do in a run: there is no queue in front of
/// them, and when `give` returns every node has done its work. Errors and panics are handled and counted as in a run of
/// the graph. Timers do not run.
///
/// ```
/// # use livetime_engine::{Context, Node, NodeError, NodeKind, NodeSpec, PortSpec};
/// # use livetime_frame::Frame;
/// # struct Any<const SOURCE: bool>(());
/// # impl<const SOURCE: bool> Node for Any<SOURCE> {
/// #     type Params = ();
/// #     const SPEC: NodeSpec = match SOURCE {
/// #         true => NodeSpec { name: "camera", kind: NodeKind::Source, summary: "Sends.",
/// #             inputs: &[], outputs: &[PortSpec::any("out")], parallel: false },
/// #         false => NodeSpec { name: "pass", kind: NodeKind::Process, summary: "Passes.",
/// #             inputs: &[PortSpec::any("in")], outputs: &[PortSpec::any("out")], parallel: true },
/// #     };
/// #     fn new(_: ()) -> Result<Self, NodeError> { Ok(Any(())) }
/// #     fn params(&mut self) -> &mut () { &mut self.0 }
/// #     fn frame(&mut self, _: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
/// #         ctx.forward(0, frame)
/// #     }
/// # }
/// # type Camera = Any<true>;
/// # type Pass = Any<false>;
/// use livetime_engine::{DirectRun, EdgeOptions, Graph, NodeType, RunOptions};
/// use livetime_frame::{ColorMode, DType, Layout};
///
/// let mut graph = Graph::default();
/// graph.add("camera", NodeType::of::<Camera>())?;
/// graph.add("pass", NodeType::of::<Pass>())?;
/// graph.connect("camera", "pass", EdgeOptions::default())?;
///
/// let mut run = DirectRun::start(&graph, &["pass"], RunOptions::default()).map_err(|errors| errors[0].to_string())?;
/// let mut frame = run.array(Layout::packed(DType::U8, ColorMode::Mono, &[2])?)?;
/// frame.elements_mut::<u8>()?.copy_from_slice(&[1, 2]);
/// let given = run.give(frame)?;
/// assert!(given.failures.is_empty());
/// assert_eq!(given.frames[0].1.array()?.elements::<u8>()?, [1, 2]);
/// assert!(run.end().imbalances().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DirectRun {
    graph: Graph,
    shared: Shared,
    nodes: Vec<NodeInfo>,
    handles: Vec<Arc<WorkerHandle>>,
    books: SharedBooks,
    /// In whose place the program stands; all other nodes run inside its edges.
    source: Runner,
    sent: Sent,
    start_ns: u64,
    has_ended: bool,
}

/// Frames of the outputs that the program wants, each with the position of its output in the program's list.
type Sent = Arc<Mutex<Vec<(usize, Frame)>>>;

/// The results of one frame that was given to a [`DirectRun`].
#[derive(Debug, Default)]
pub struct Given {
    /// Frames of the wanted outputs, in the order of sending, each with the position of its output in the list given to
    /// [`DirectRun::start`].
    pub frames: Vec<(usize, Frame)>,
    /// Failures of nodes. The frame that each of these nodes was given is lost.
    pub failures: Vec<NodeFailure>,
}

impl DirectRun {
    /// Checks the graph and starts its nodes, but for the source. `outputs` names the outputs whose frames the program
    /// wants, each as `node` (its first output) or `node.output`. Only statistics, services and the handler of events
    /// count among `options`.
    ///
    /// Placements in the graph do not matter, nor do queues, nor whether nodes wait for memory, which would be for ever; decimation and rate
    /// limits of its edges do.
    ///
    /// # Errors
    /// All problems found: the problems of [`Graph::check`]; not exactly one source, or not exactly one edge to each
    /// other node; an unknown output; a node that did not start.
    pub fn start(graph: &Graph, outputs: &[&str], options: RunOptions) -> Result<DirectRun, Vec<GraphError>> {
        let graph = inline(graph);
        let plan = graph.check()?;
        let source = only_source(&graph).map_err(|e| vec![e])?;
        let wanted: Result<Vec<_>, _> = outputs.iter().map(|text| graph.output(text)).collect();
        let wanted = wanted.map_err(|name| vec![name.into()])?;
        let shared = Shared {
            clock: Clock::real(),
            control: Arc::new(RunControl::keeping_failures(options.on_event)),
            pool: FramePool::new(graph.memory_bytes),
            statistics: options.statistics,
            max_frames: u64::MAX,
            remember_frames: false,
            cores: cores(),
            // Only one frame is under way: there is no order to restore.
            orders: Orders::Never,
            rehearsal: None,
            services: options.services.describing(&graph.text),
            books: SharedBooks::default(),
        };
        let mut wired = wiring::wire(&graph, &plan, &shared).map_err(|e| vec![e.into()])?;
        let handles = wired.workers.iter().map(|worker| worker.handle.clone()).collect();
        let runners = wired.workers.into_iter().flat_map(|worker| worker.runners);
        let Some(mut runner) = runners.into_iter().find(|runner| runner.id == source) else {
            return Err(vec![GraphFault::NoSource("a source that can be wired").into()]);
        };
        let sent = Sent::default();
        for (number, from) in wanted.into_iter().enumerate() {
            let edge = collect(&mut runner, from, Collector { number, sent: sent.clone() });
            wired.edges.push(edge);
        }
        runner.start_behind().map_err(|e| vec![e.into()])?;
        *lock(&shared.books) = Books::new(wired.edges);
        Ok(DirectRun {
            books: shared.books.clone(),
            start_ns: shared.clock.now_ns(),
            graph,
            shared,
            nodes: wired.nodes,
            handles,
            source: runner,
            sent,
            has_ended: false,
        })
    }

    /// Memory for an array, to be written and given.
    ///
    /// # Errors
    /// [`NodeError`] when the graph's memory is exhausted: too many frames are being kept.
    pub fn array(&mut self, layout: Layout) -> Result<FrameMut, NodeError> {
        self.source.ctx.array(layout)
    }

    /// Sends a frame to all nodes behind the source, and returns when they have done their work.
    ///
    /// # Errors
    /// Why the graph cannot go on: a node failed whose policy is to stop the run. Nothing that it does from then on is of use.
    pub fn give(&mut self, frame: FrameMut) -> Result<Given, NodeError> {
        self.source.ctx.emit(frame)?;
        let failures = self.shared.control.take_failures();
        match self.shared.control.failure() {
            Some(failure) => Err(NodeError::new(failure)),
            None => Ok(Given { frames: std::mem::take(&mut *lock(&self.sent)), failures }),
        }
    }

    /// Statistics and ledger as they are now.
    pub fn report(&self) -> Report {
        report(
            &self.graph,
            &self.shared,
            &self.nodes,
            &self.books,
            &self.handles,
            self.start_ns,
            self.has_ended,
        )
    }

    /// Lets all nodes send the frames that they hold back, ends them, and reports. The ledger has these last frames,
    /// but the program does not get them; nodes that keep no state hold nothing back.
    pub fn end(mut self) -> Report {
        self.end_nodes();
        self.report()
    }

    fn end_nodes(&mut self) {
        // `end` drops the run afterwards: the nodes end only once.
        if !std::mem::replace(&mut self.has_ended, true) {
            self.source.end_behind();
        }
    }
}

impl Drop for DirectRun {
    fn drop(&mut self) {
        self.end_nodes();
    }
}

impl std::fmt::Debug for DirectRun {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DirectRun").field("has_ended", &self.has_ended).finish()
    }
}

/// The same graph, all of whose nodes run inside the calls of its source.
fn inline(graph: &Graph) -> Graph {
    let mut graph = graph.clone();
    for node in &mut graph.nodes {
        let is_source = node.node_type.spec.kind == NodeKind::Source;
        node.options.placement = if is_source { Placement::Own } else { Placement::Inline };
        // Waiting for memory would be a deadlock: this thread is the only one that could give any back.
        node.options.wait_for_memory = false;
    }
    graph
}

fn only_source(graph: &Graph) -> Result<usize, GraphError> {
    let is_source = |node: &usize| graph.nodes[*node].node_type.spec.kind == NodeKind::Source;
    let sources: Vec<usize> = (0..graph.nodes.len()).filter(is_source).collect();
    match sources[..] {
        [one] => Ok(one),
        _ => Err(GraphFault::Sources(sources.len()).into()),
    }
}

/// Adds an edge to an output whose frames `collector` takes.
fn collect(source: &mut Runner, from: (usize, usize), collector: Collector) -> Arc<Edge> {
    let bell = [source.ctx.bell.clone()];
    let edge = Arc::new(Edge::new(from, (OUTLET, 0), EdgeOptions::default(), &bell, &bell));
    let sender = Sender::new(edge.clone(), Target::Inline(Box::new(collector)));
    // A node that has the output is there: it was looked up in the same graph.
    if let Some(node) = source.find(from.0) {
        node.with_outputs(|outputs| outputs[from.1].connect(sender));
    }
    edge
}

/// The end of an edge to the program.
struct Collector {
    number: usize,
    sent: Sent,
}

impl InlineNode for Collector {
    fn receive(&mut self, frame: &Frame, _stamp_ns: u64) {
        lock(&self.sent).push((self.number, frame.clone()));
    }

    fn finish(&mut self) {}

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
