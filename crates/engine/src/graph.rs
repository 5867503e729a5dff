//! Nodes and edges, declared; and the checks before anything starts.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use livetime_frame::{FramePool, Layout};
use livetime_runtime::{EdgeOptions, WaitStrategy, WhenFull};

use crate::graph_error::{GraphError, GraphFault, Place};
use crate::node::{Kept, NodeKind, NodeType, Stream};
use crate::refusal::{BadEdge, BadPlacement, MOST_CPUS, MOST_POOL, MOST_QUEUE, UnknownName};
use crate::{ByNode, Value, nearest};

/// Which thread a node runs on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Placement {
    /// A thread of the node's own.
    #[default]
    Own,
    /// One that it shares with all nodes of the group of this name.
    Group(String),
    /// The sender's: the node is called where the frame is sent, without a queue.
    Inline,
    /// This many threads, each with a copy of the node; the order of the frames is restored behind them.
    Pool(usize),
}

/// The policy for a frame whose handler fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OnFailure {
    /// Stop the run.
    Stop,
    /// Count the frame as lost and continue.
    Skip,
    /// Count the frame as lost, build the node again with its current parameters, and continue.
    Restart,
}

/// How a node is run.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeOptions {
    /// Its thread.
    pub placement: Placement,
    /// The CPUs its thread may run on; empty means all.
    pub cpus: Vec<usize>,
    /// How its thread waits.
    pub wait: WaitStrategy,
    /// When a handler returns an error.
    pub on_error: OnFailure,
    /// When a handler panics.
    pub on_panic: OnFailure,
    /// When the frame pool is exhausted: wait for memory, or lose the frame.
    pub wait_for_memory: bool,
}

impl Default for NodeOptions {
    /// Own thread, adaptive waiting; errors lose the frame, panics also restart the node; no memory loses
    /// the frame.
    fn default() -> NodeOptions {
        NodeOptions {
            placement: Placement::Own,
            cpus: Vec::new(),
            wait: WaitStrategy::Adaptive,
            on_error: OnFailure::Skip,
            on_panic: OnFailure::Restart,
            wait_for_memory: false,
        }
    }
}

/// A declared node.
#[derive(Clone, Debug)]
pub struct NodeDecl {
    /// Name, unique in the graph.
    pub name: String,
    /// Its type.
    pub node_type: NodeType,
    /// Parameters that differ from their defaults: index and accepted value.
    pub(crate) values: Vec<(usize, Value)>,
    /// How it is run.
    pub options: NodeOptions,
    /// The layout of the first output, where the node itself cannot know it before it runs.
    pub(crate) expected: Option<Stream>,
}

impl NodeDecl {
    /// Whether the parameter called `name` was given a value, if only its default.
    pub fn is_set(&self, name: &str) -> bool {
        let index = crate::find(self.node_type.param_specs(), name);
        index.is_ok_and(|index| self.values.iter().any(|(i, _)| *i == index))
    }

    /// Whether the node sends stored data: [`Node::IS_STORED`](crate::Node::IS_STORED), unless
    /// [`Node::LIVE_IF`](crate::Node::LIVE_IF) is on.
    pub fn is_stored(&self) -> bool {
        let is_live = |name: &str| self.value(name) == Some(Value::Bool(true));
        self.node_type.is_stored && !self.node_type.live_if.is_some_and(is_live)
    }

    /// The value of the parameter called `name` at the start of a run; `None` when there is none of this name.
    pub fn value(&self, name: &str) -> Option<Value> {
        let params = self.node_type.params();
        let index = crate::find(params.specs(), name).ok()?;
        let given = self.values.iter().find(|(i, _)| *i == index);
        given.map(|(_, value)| value.clone()).or_else(|| params.get(index))
    }
}

/// A declared edge.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EdgeDecl {
    /// Sending node and number of its output.
    pub from: (usize, usize),
    /// Receiving node and number of its input.
    pub to: (usize, usize),
    /// How frames are carried.
    pub options: EdgeOptions,
}

/// Nodes and edges, as a pipeline file describes them.
///
/// Declaring a node or an edge checks names, parameters and ports; [`Graph::check`] checks the graph as a
/// whole.
#[derive(Clone, Debug)]
pub struct Graph {
    pub(crate) nodes: Vec<NodeDecl>,
    pub(crate) edges: Vec<EdgeDecl>,
    /// Bound of the frame pool, in bytes.
    pub memory_bytes: usize,
    /// The text that declares it, for files that say where their data are from; empty if there is none. Nodes find it as the
    /// service [`PipelineText`](crate::files::PipelineText).
    pub text: Arc<str>,
    /// The host of the text whose nodes these are; `None` for the nodes of all hosts.
    pub host: Option<Arc<str>>,
}

impl Default for Graph {
    fn default() -> Graph {
        Graph { nodes: Vec::new(), edges: Vec::new(), memory_bytes: 1 << 30, text: "".into(), host: None }
    }
}

impl Graph {
    /// Declares a node with default parameters and returns its number.
    ///
    /// # Errors
    /// [`GraphError`] when the name is taken or empty.
    pub fn add(&mut self, name: &str, node_type: NodeType) -> Result<usize, GraphError> {
        let number = self.nodes.len();
        if name.is_empty() || self.nodes.iter().any(|n| n.name == name) {
            return Err(GraphError::new(Place::Node(number), GraphFault::Name(name.into())));
        }
        let options = NodeOptions::default();
        self.nodes.push(NodeDecl {
            name: name.into(),
            node_type,
            values: Vec::new(),
            options,
            expected: None,
        });
        Ok(number)
    }

    /// The node with this number, to change how it is run.
    pub fn options_mut(&mut self, node: usize) -> Option<&mut NodeOptions> {
        Some(&mut self.nodes.get_mut(node)?.options)
    }

    /// The edge with this number, to change how it carries frames.
    pub fn edge_options_mut(&mut self, edge: usize) -> Option<&mut EdgeOptions> {
        Some(&mut self.edges.get_mut(edge)?.options)
    }

    /// Sets a parameter of a declared node, after trying it on a fresh set of parameters, which also knows the range of its Rust type.
    ///
    /// # Errors
    /// [`GraphError`] when there is no such parameter, or the value is not acceptable.
    pub fn set(&mut self, node: usize, name: &str, value: &Value) -> Result<(), GraphError> {
        let decl = &mut self.nodes[node];
        let specs = decl.node_type.param_specs();
        let tried = crate::assign(&mut *decl.node_type.params(), name, value);
        let accepted = tried.and_then(|index| Ok((index, specs[index].accept(value)?)));
        let (index, value) = accepted.map_err(|refusal| {
            let fault = GraphFault::Parameter { node: decl.name.clone(), refusal };
            GraphError::new(Place::Param(node, name.into()), fault)
        })?;
        // One value for each parameter: the last one counts.
        decl.values.retain(|(i, _)| *i != index);
        decl.values.push((index, value));
        Ok(())
    }

    /// Puts a node of another type in the place of a declared one, with its default parameters. Its edges lead to its first input.
    pub fn replace(&mut self, node: usize, node_type: NodeType) {
        if let Some(decl) = self.nodes.get_mut(node) {
            (decl.node_type, decl.values) = (node_type, Vec::new());
            let edges = self.edges.iter_mut().filter(|edge| edge.to.0 == node);
            edges.for_each(|edge| edge.to.1 = 0);
        }
    }

    /// Declares the stream at the first output of a node that cannot know it before it runs, such as a source
    /// that plays a file. [`Graph::check`] then uses it for the nodes behind.
    pub fn expect(&mut self, node: usize, layout: Layout) {
        self.expect_stream(node, Stream::Array(layout));
    }

    /// As [`Graph::expect`], for a stream of any kind, such as the one that another host sends.
    pub fn expect_stream(&mut self, node: usize, stream: Stream) {
        if let Some(decl) = self.nodes.get_mut(node) {
            decl.expected = Some(stream);
        }
    }

    /// Connects an output to an input, each given as `node` (its first port) or `node.port`.
    ///
    /// # Errors
    /// [`GraphError`] when a node or port does not exist.
    pub fn connect(&mut self, from: &str, to: &str, options: EdgeOptions) -> Result<usize, GraphError> {
        let number = self.edges.len();
        let place = |fault: GraphFault| GraphError::new(Place::Edge(number), fault);
        let from = self.output(from).map_err(|name| place(name.into()))?;
        let to = self.input(to).map_err(|name| place(name.into()))?;
        check_edge(&options).map_err(|options| place(options.into()))?;
        self.edges.push(EdgeDecl { from, to, options });
        Ok(number)
    }

    /// The nodes.
    pub fn nodes(&self) -> &[NodeDecl] {
        &self.nodes
    }

    /// The edges.
    pub fn edges(&self) -> &[EdgeDecl] {
        &self.edges
    }

    /// Numbers of the edges by sending node, and by receiving node.
    pub(crate) fn edges_by_node(&self) -> (ByNode, ByNode) {
        let count = self.nodes.len();
        let senders = ByNode::new(count, self.edges.iter().map(|edge| Some(edge.from.0)));
        (senders, ByNode::new(count, self.edges.iter().map(|edge| Some(edge.to.0))))
    }

    /// The nodes with these numbers, and the edges between them; numbers are given again.
    pub fn part(&self, keep: &[usize]) -> Graph {
        let renumbered = |node: usize| keep.iter().position(|k| *k == node);
        let edge = |edge: &EdgeDecl| {
            let (from, to) = (renumbered(edge.from.0)?, renumbered(edge.to.0)?);
            Some(EdgeDecl { from: (from, edge.from.1), to: (to, edge.to.1), options: edge.options })
        };
        Graph {
            nodes: keep.iter().filter_map(|node| self.nodes.get(*node).cloned()).collect(),
            edges: self.edges.iter().filter_map(edge).collect(),
            memory_bytes: self.memory_bytes,
            text: self.text.clone(),
            host: self.host.clone(),
        }
    }

    /// Number of the node called `name`.
    ///
    /// # Errors
    /// [`UnknownName`] with the nearest right name.
    pub fn node(&self, name: &str) -> Result<usize, UnknownName> {
        let found = self.nodes.iter().position(|n| n.name == name);
        let hint = || nearest(name, self.nodes.iter().map(|n| &*n.name));
        found.ok_or_else(|| UnknownName::Node { name: name.into(), hint: hint() })
    }

    pub(crate) fn output(&self, text: &str) -> Result<(usize, usize), UnknownName> {
        let (node, port) = split_port(text);
        let node = self.node(node)?;
        let ports = self.nodes[node].node_type.spec.outputs;
        port_number(&self.nodes[node].name, "output", ports, port).map(|p| (node, p))
    }

    pub(crate) fn input(&self, text: &str) -> Result<(usize, usize), UnknownName> {
        let (node, port) = split_port(text);
        let node = self.node(node)?;
        let ports = self.nodes[node].node_type.spec.inputs;
        port_number(&self.nodes[node].name, "input", ports, port).map(|p| (node, p))
    }

    /// Checks everything that can be known before a run, and returns the streams of all outputs.
    ///
    /// # Errors
    /// All problems found, with their places.
    pub fn check(&self) -> Result<Plan, Vec<GraphError>> {
        let mut errors = Vec::new();
        let (_, receivers) = self.edges_by_node();
        self.check_counts(&receivers, &mut errors);
        self.check_placements(&receivers, &mut errors);
        let order = match self.order() {
            Ok(order) => order,
            Err(cycle) => {
                // Streams are planned along the order of the nodes, which a cycle does not have.
                errors.push(cycle);
                return Err(errors);
            }
        };
        let (streams, kept) = self.plan_streams(&order, &receivers, &mut errors);
        self.check_writes(&mut errors);
        let mut plan = Plan { memory_bytes: self.memory_needed(&streams), order, streams, kept };
        plan.memory_bytes = plan.memory_bytes.saturating_add(plan.kept_of_run());
        if plan.memory_bytes > self.memory_bytes as u64 {
            let fault = GraphFault::Memory { wanted: plan.memory_bytes, found: self.memory_bytes as u64 };
            errors.push(GraphError::new(Place::Memory, fault));
        }
        if errors.is_empty() { Ok(plan) } else { Err(errors) }
    }

    fn check_counts(&self, receivers: &ByNode, errors: &mut Vec<GraphError>) {
        if !self.nodes.iter().any(|n| n.node_type.spec.kind == NodeKind::Source) {
            errors.push(GraphFault::NoSource("at least one source").into());
        }
        for (i, node) in self.nodes.iter().enumerate() {
            let connected = receivers.of(i).len() > 0;
            if node.node_type.spec.kind != NodeKind::Source && !connected {
                errors.push(GraphError::new(Place::Node(i), GraphFault::NoInput(node.name.clone())));
            }
        }
    }

    fn check_placements(&self, receivers: &ByNode, errors: &mut Vec<GraphError>) {
        for (i, node) in self.nodes.iter().enumerate() {
            let inputs: Vec<&EdgeDecl> = receivers.of(i).map(|edge| &self.edges[edge]).collect();
            if let Err(why) = self.check_placement(i, &inputs) {
                let fault = GraphFault::Placement { node: node.name.clone(), why };
                errors.push(GraphError::new(Place::Node(i), fault));
            }
        }
    }

    fn check_placement(&self, i: usize, inputs: &[&EdgeDecl]) -> Result<(), BadPlacement> {
        let (spec, options) = (&self.nodes[i].node_type.spec, &self.nodes[i].options);
        if options.cpus.iter().any(|cpu| *cpu >= MOST_CPUS) {
            return Err(BadPlacement::Cpus(options.cpus.clone()));
        }
        // Called only where `inputs` has one edge.
        let follows_pool = || matches!(self.nodes[inputs[0].from.0].options.placement, Placement::Pool(_));
        match options.placement {
            Placement::Inline if spec.kind == NodeKind::Source => Err(BadPlacement::InlineSource),
            // The thread of its one sender calls an inline node: two senders would call it at once.
            Placement::Inline if inputs.len() != 1 => Err(BadPlacement::InlineEdges(inputs.len())),
            // The copies of a pool would call it from several threads.
            Placement::Inline if follows_pool() => Err(BadPlacement::InlineBehindPool),
            Placement::Pool(0) => Err(BadPlacement::EmptyPool),
            Placement::Pool(threads) if threads > MOST_POOL => Err(BadPlacement::LargePool(threads)),
            Placement::Pool(_) if !spec.parallel => Err(BadPlacement::NotParallel(spec.name)),
            Placement::Pool(_) if inputs.len() != 1 => Err(BadPlacement::PoolEdges(inputs.len())),
            Placement::Pool(_) if inputs[0].options.when_full.takes_oldest() => {
                Err(BadPlacement::PoolBehindTaking)
            }
            _ => Ok(()),
        }
    }

    /// The nodes, senders before their receivers. Among nodes that are ready the first declared comes first, so that
    /// the order is the same at every run.
    fn order(&self) -> Result<Vec<usize>, GraphError> {
        let (senders, receivers) = self.edges_by_node();
        let mut missing: Vec<usize> = (0..self.nodes.len()).map(|node| receivers.of(node).len()).collect();
        let mut ready: BinaryHeap<Reverse<usize>> =
            (0..missing.len()).filter(|node| missing[*node] == 0).map(Reverse).collect();
        let mut order = Vec::with_capacity(missing.len());
        while let Some(Reverse(node)) = ready.pop() {
            order.push(node);
            for to in senders.of(node).map(|edge| self.edges[edge].to.0) {
                missing[to] -= 1;
                if missing[to] == 0 {
                    ready.push(Reverse(to));
                }
            }
        }
        if order.len() < missing.len() { Err(self.describe_cycle(&missing)) } else { Ok(order) }
    }

    /// Walks upstream from a node that could not be ordered, because senders are `missing`, until a node comes up twice.
    fn describe_cycle(&self, missing: &[usize]) -> GraphError {
        let (_, receivers) = self.edges_by_node();
        let mut walk: Vec<usize> = (0..missing.len()).find(|node| missing[*node] > 0).into_iter().collect();
        let mut last_edge = 0;
        while let Some(&node) = walk.last() {
            let upstream = receivers.of(node).find(|edge| missing[self.edges[*edge].from.0] > 0);
            let Some(edge) = upstream else { break };
            last_edge = edge;
            let from = self.edges[edge].from.0;
            if let Some(start) = walk.iter().position(|n| *n == from) {
                walk.drain(..start);
                break;
            }
            walk.push(from);
        }
        let mut names: Vec<String> = walk.iter().rev().map(|n| self.nodes[*n].name.clone()).collect();
        names.extend(names.first().cloned());
        GraphError::new(Place::Edge(last_edge), GraphFault::Cycle(names))
    }

    /// Asks every node for the streams of its outputs, from the sources on.
    fn plan_streams(
        &self,
        order: &[usize],
        receivers: &ByNode,
        errors: &mut Vec<GraphError>,
    ) -> (Vec<Vec<Stream>>, Vec<Kept>) {
        let mut streams: Vec<Vec<Stream>> = vec![Vec::new(); self.nodes.len()];
        let mut kept = vec![Kept::default(); self.nodes.len()];
        for &i in order {
            let decl = &self.nodes[i];
            let spec = &decl.node_type.spec;
            let mut inputs = vec![Stream::Unknown; spec.inputs.len()];
            for (number, edge) in receivers.of(i).map(|number| (number, &self.edges[number])) {
                // In this order of the nodes, the streams of all senders are known.
                let stream = streams[edge.from.0].get(edge.from.1).copied().unwrap_or(Stream::Unknown);
                if let Err(why) = spec.inputs[edge.to.1].accepts.check(&stream) {
                    let fault = GraphFault::Stream { node: decl.name.clone(), why };
                    errors.push(GraphError::new(Place::Edge(number), fault));
                }
                inputs[edge.to.1] = stream;
            }
            let mut node = decl.node_type.build(&decl.values);
            let planned = node.as_mut().map_err(|e| e.clone()).and_then(|node| node.plan(&inputs));
            streams[i] = planned.unwrap_or_else(|e| {
                // The nodes behind are still checked, and report no errors that follow from this one.
                errors.push(GraphError::of_node(i, &decl.name, e));
                vec![Stream::Unknown; spec.outputs.len()]
            });
            // A plan may leave outputs out; their streams are unknown.
            streams[i].resize(spec.outputs.len(), Stream::Unknown);
            if let (Some(stream), Some(first @ Stream::Unknown)) = (decl.expected, streams[i].first_mut()) {
                *first = stream;
            }
            if let Ok(node) = &node {
                kept[i] = node.keeps(&inputs, &streams[i]);
            }
        }
        (streams, kept)
    }

    /// Why nodes would not start here and now: files that they read and that are not there. Nothing is opened.
    pub fn look(&self) -> Vec<GraphError> {
        let look = |(i, decl): (usize, &NodeDecl)| {
            // A node that cannot be built was reported by [`Graph::check`].
            let failed = decl.node_type.build(&decl.values).ok()?.look().err()?;
            Some(GraphError::of_node(i, &decl.name, failed))
        };
        self.nodes.iter().enumerate().filter_map(look).collect()
    }

    /// The files that a node writes; none for a node that cannot be built, which [`Graph::check`] reports.
    pub fn writes(&self, node: usize) -> Vec<PathBuf> {
        let built = self.nodes.get(node).and_then(|decl| decl.node_type.build(&decl.values).ok());
        built.map(|node| node.writes()).unwrap_or_default()
    }

    /// Two nodes that write to one name take each other's files away.
    fn check_writes(&self, errors: &mut Vec<GraphError>) {
        let mut known: BTreeMap<PathBuf, usize> = BTreeMap::new();
        for (i, decl) in self.nodes.iter().enumerate() {
            for path in self.writes(i) {
                let first = *known.entry(real_path(&path)).or_insert(i);
                if first != i {
                    let (node, other) = (decl.name.clone(), self.nodes[first].name.clone());
                    errors.push(GraphError::new(Place::Node(i), GraphFault::SameFile { node, other, path }));
                }
            }
        }
    }

    /// Bytes of frames when every queue is full of different frames and every node holds one.
    fn memory_needed(&self, streams: &[Vec<Stream>]) -> u64 {
        let edge_bytes = |e: &EdgeDecl| {
            let span = streams[e.from.0].get(e.from.1).and_then(Stream::layout).map_or(0, |l| l.span());
            let queue = match (&self.nodes[e.to.0].options.placement, e.options.when_full) {
                (Placement::Inline, _) => 0,
                (_, WhenFull::Latest) => 1,
                _ => e.options.queue,
            };
            // One more for the frame that the receiving node holds.
            (FramePool::cost_bytes(span) as u64).saturating_mul(queue as u64 + 1)
        };
        self.edges.iter().map(edge_bytes).fold(0, u64::saturating_add)
    }
}

/// The result of a check.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The nodes so that senders come before receivers.
    pub order: Vec<usize>,
    /// For each node, the stream of each of its outputs.
    pub streams: Vec<Vec<Stream>>,
    /// Bytes of frames when every queue and every window of a link is full, as far as sizes are known.
    pub memory_bytes: u64,
    /// Frames that each node keeps beside its queues: [`Node::keeps`](crate::Node::keeps).
    pub kept: Vec<Kept>,
}

impl Plan {
    /// The part of `memory_bytes` that nodes keep beside their queues.
    pub fn kept_of_run(&self) -> u64 {
        self.kept.iter().map(|kept| kept.of_run).fold(0, u64::saturating_add)
    }

    /// Bytes that nodes keep in memory of their own, beside the bound of the run.
    pub fn kept_beside(&self) -> u64 {
        self.kept.iter().map(|kept| kept.own).fold(0, u64::saturating_add)
    }
}

/// The same for all ways to write a path to one file, as far as its folder is there.
fn real_path(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let folder = whole.parent().and_then(|folder| folder.canonicalize().ok());
    match (folder, whole.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        // Nothing can be resolved without the folder; the components at least have no `.` and no repeated
        // slash.
        _ => whole.components().collect(),
    }
}

pub(crate) fn check_edge(options: &EdgeOptions) -> Result<(), BadEdge> {
    if options.queue == 0 || options.queue > MOST_QUEUE {
        return Err(BadEdge::Queue(options.queue));
    }
    if options.every == 0 {
        return Err(BadEdge::Every);
    }
    for (name, rate) in [("max_rate", options.max_rate_hz), ("max_byte_rate", options.max_bytes_per_s)] {
        // Negated, because NaN compares as false: it is refused, too.
        if let Some(rate) = rate.filter(|rate| !(*rate > 0.0 && rate.is_finite())) {
            return Err(BadEdge::Rate(name, rate));
        }
    }
    Ok(())
}

fn split_port(text: &str) -> (&str, Option<&str>) {
    text.rsplit_once('.').map_or((text, None), |(node, port)| (node, Some(port)))
}

fn port_number(
    node: &str,
    what: &'static str,
    ports: &[crate::node::PortSpec],
    port: Option<&str>,
) -> Result<usize, UnknownName> {
    let node = || node.to_owned();
    match port {
        _ if ports.is_empty() => Err(UnknownName::NoPorts { node: node(), what }),
        None => Ok(0),
        Some(name) => ports.iter().position(|p| p.name == name).ok_or_else(|| {
            let hint = nearest(name, ports.iter().map(|p| p.name));
            UnknownName::Port { node: node(), what, name: name.into(), hint }
        }),
    }
}
