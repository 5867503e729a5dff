//! From a checked graph to workers that can run: threads, queues, runners.

use std::collections::BTreeMap;
use std::sync::Arc;

use livetime_frame::{FramePool, SourceId};
use livetime_runtime::{Clock, Doorbell, WaitStrategy, WhenFull, lock};

use crate::account::NodeAccount;
use crate::control::RunControl;
use crate::edge::{Edge, Output, Outputs, Sender, Target};
use crate::graph::{EdgeDecl, Graph, Placement, Plan};
use crate::node::{Context, NodeError, NodeKind, SourceWatch};
use crate::order::Order;
use crate::rehearsal::{Disturbance, Notes, Rehearsal};
use crate::reorder::Reorder;
use crate::run::books::SharedBooks;
use crate::runner::Runner;
use crate::services::{Services, Starting};
use crate::worker::{Worker, WorkerHandle};

/// The entry of a node in a run.
pub(crate) struct NodeInfo {
    /// The workers that run it: one, or one per copy.
    pub(crate) workers: Vec<usize>,
    /// One account per copy.
    pub(crate) accounts: Vec<Arc<NodeAccount>>,
}

/// A graph turned into threads and queues, not started yet.
pub(crate) struct Wired {
    pub(crate) nodes: Vec<NodeInfo>,
    pub(crate) edges: Vec<Arc<Edge>>,
    pub(crate) workers: Vec<Worker>,
}

/// The state that all nodes of a run share.
pub(crate) struct Shared {
    pub(crate) clock: Clock,
    pub(crate) control: Arc<RunControl>,
    pub(crate) pool: FramePool,
    pub(crate) statistics: bool,
    pub(crate) max_frames: u64,
    pub(crate) remember_frames: bool,
    /// Asked for once: the system's answer takes longer than a report of ten nodes.
    pub(crate) cores: usize,
    pub(crate) orders: Orders,
    pub(crate) rehearsal: Option<Rehearsal>,
    pub(crate) services: Services,
    /// Empty until the edges are there.
    pub(crate) books: SharedBooks,
}

/// Behind which sources frames have places in the order of the data.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Orders {
    Never,
    /// The sources that send stored frames.
    Stored,
    Always,
}

pub(crate) fn wire(graph: &Graph, plan: &Plan, shared: &Shared) -> Result<Wired, NodeError> {
    let (handles, placed) = place(graph, plan);
    let bells = |node: usize| -> Vec<Arc<Doorbell>> {
        placed[node].iter().map(|w| handles[*w].bell.clone()).collect()
    };
    let (ordered, joined) = (ordered(graph, plan, shared.orders), joined(graph, plan));
    let edge = |e: &EdgeDecl| {
        let edge = Edge::new(e.from, e.to, e.options, &bells(e.from.0), &bells(e.to.0));
        let has_places = ordered[e.from.0] && ordered[e.to.0];
        let edge = edge.with(has_places && joined[e.to.0], shared.rehearsal.map(Notes::new));
        Arc::new(if has_places { edge.with_places() } else { edge })
    };
    let edges: Vec<Arc<Edge>> = graph.edges.iter().map(edge).collect();
    let accounts = |node: usize| placed[node].iter().map(|_| Arc::default()).collect();
    let nodes: Vec<NodeInfo> = (0..graph.nodes.len())
        .map(|n| NodeInfo { workers: placed[n].clone(), accounts: accounts(n) })
        .collect();

    let mut workers = workers(&handles, shared);
    let (senders, receivers) = graph.edges_by_node();

    // Receivers before senders, so that an inline node can be moved into its sender's edge.
    let mut inline: BTreeMap<usize, Runner> = BTreeMap::new();
    for &node in plan.order.iter().rev() {
        let mut outputs = outputs(graph, node, senders.of(node).map(|edge| &edges[edge]), &mut inline);
        let bells = bells(node);
        let reorder = matches!(graph.nodes[node].options.placement, Placement::Pool(_))
            .then(|| Arc::new(Reorder::new(std::mem::take(&mut outputs), &bells)));
        let mut outputs = Some(outputs);
        for (copy, &worker) in placed[node].iter().enumerate() {
            // Copies of a pool hold their frames until the turn of their ticket; other nodes send at once.
            let target = match (&reorder, outputs.take()) {
                (None, Some(outputs)) => Outputs::Direct(outputs),
                _ => Outputs::Held(Vec::with_capacity(4)),
            };
            let account = nodes[node].accounts[copy].clone();
            let order = Order::new(ordered[node], joined[node]);
            let context = context(graph, node, target, order, account, bells[copy].clone(), shared);
            let mut runner = runner(graph, node, copy, context)?;
            runner.reorder = reorder.clone();
            receivers.of(node).for_each(|edge| runner.add_input(edges[edge].clone()));
            match graph.nodes[node].options.placement {
                Placement::Inline => _ = inline.insert(node, runner),
                _ => workers[worker].runners.push(runner),
            }
        }
    }
    // Sources first on a shared thread: the order in which frames flow.
    for worker in &mut workers {
        worker.runners.reverse();
        worker.note_places();
    }
    Ok(Wired { nodes, edges, workers })
}

/// Which nodes have their frames in the order of the data; see `order.rs`.
fn ordered(graph: &Graph, plan: &Plan, orders: Orders) -> Vec<bool> {
    let (_, receivers) = graph.edges_by_node();
    let mut ordered = vec![false; graph.nodes.len()];
    for &node in &plan.order {
        let decl = &graph.nodes[node];
        let is_inline = decl.options.placement == Placement::Inline;
        let mut senders = receivers.of(node).map(|edge| &graph.edges[edge]).peekable();
        ordered[node] = match decl.node_type.spec.kind {
            NodeKind::Source => orders == Orders::Always || orders == Orders::Stored && decl.is_stored(),
            _ => {
                // A node without inputs that is no source sends by its own clock.
                senders.peek().is_some()
                    && senders.all(|edge| ordered[edge.from.0] && is_lossless(edge, is_inline))
            }
        };
    }
    ordered
}

/// Which nodes have several inputs, or one behind them has.
fn joined(graph: &Graph, plan: &Plan) -> Vec<bool> {
    let (senders, receivers) = graph.edges_by_node();
    let mut joined = vec![false; graph.nodes.len()];
    for &node in plan.order.iter().rev() {
        let is_behind = senders.of(node).any(|edge| joined[graph.edges[edge].to.0]);
        joined[node] = is_behind || receivers.of(node).nth(1).is_some();
    }
    joined
}

/// Whether every frame arrives, but for the frames that are left out by their number.
fn is_lossless(edge: &EdgeDecl, is_inline: bool) -> bool {
    let options = &edge.options;
    // Decimation (`every`) is allowed: it leaves out frames by their number, the same ones at every run.
    let waits = is_inline || options.when_full == WhenFull::Block;
    waits && options.max_rate_hz.is_none() && options.max_bytes_per_s.is_none()
}

/// The threads, without nodes.
fn workers(handles: &[Arc<WorkerHandle>], shared: &Shared) -> Vec<Worker> {
    let spinners = std::thread::available_parallelism().map_or(1, |n| n.get());
    let worker = |(handle, number): (&Arc<WorkerHandle>, u64)| Worker {
        handle: handle.clone(),
        runners: Vec::new(),
        places: Default::default(),
        clock: shared.clock.clone(),
        control: shared.control.clone(),
        // A thread that polls on a core that another one needs would delay the very work that it waits for.
        may_spin: handles.len() <= spinners,
        disturbance: disturbance(shared, number),
    };
    handles.iter().zip(1..).map(worker).collect()
}

fn disturbance(shared: &Shared, worker: u64) -> Option<Disturbance> {
    // Seed 0 is the undisturbed run of a rehearsal. The factor (2^64 divided by the golden ratio) keeps the sequences of
    // neighbouring seeds and workers apart.
    let seed = shared.rehearsal.map(|rehearsal| rehearsal.seed).filter(|seed| *seed != 0)?;
    Some(Disturbance::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(worker)))
}

/// Which workers there are, and which of them run each node.
fn place(graph: &Graph, plan: &Plan) -> (Vec<Arc<WorkerHandle>>, Vec<Vec<usize>>) {
    let mut handles: Vec<Arc<WorkerHandle>> = Vec::new();
    let mut groups: BTreeMap<&str, usize> = BTreeMap::new();
    let mut placed: Vec<Vec<usize>> = vec![Vec::new(); graph.nodes.len()];
    let (_, receivers) = graph.edges_by_node();
    let mut add = |name: String, wait: WaitStrategy, cpus: &[usize]| {
        handles.push(Arc::new(WorkerHandle::new(name, wait, cpus.to_vec())));
        handles.len() - 1
    };
    for &node in &plan.order {
        let decl = &graph.nodes[node];
        let (wait, cpus) = (decl.options.wait, &*decl.options.cpus);
        placed[node] = match &decl.options.placement {
            Placement::Own => vec![add(decl.name.clone(), wait, cpus)],
            Placement::Group(name) => {
                vec![*groups.entry(name).or_insert_with(|| add(name.clone(), wait, cpus))]
            }
            Placement::Pool(count) => {
                (0..*count).map(|i| add(format!("{}/{i}", decl.name), wait, cpus)).collect()
            }
            Placement::Inline => {
                // In the order of the plan, so that the sender is placed already.
                let sender = receivers.of(node).next().map(|edge| graph.edges[edge].from.0);
                sender.map(|s| placed[s].clone()).unwrap_or_default()
            }
        };
    }
    (handles, placed)
}

fn outputs<'a>(
    graph: &Graph,
    node: usize,
    edges: impl Iterator<Item = &'a Arc<Edge>>,
    inline: &mut BTreeMap<usize, Runner>,
) -> Vec<Output> {
    let ports = graph.nodes[node].node_type.spec.outputs.len();
    let mut outputs: Vec<Output> = (0..ports).map(|_| Output::default()).collect();
    for edge in edges {
        let target = match inline.remove(&edge.to.0) {
            Some(runner) => Target::Inline(Box::new(runner)),
            None => Target::Queue,
        };
        outputs[edge.from.1].connect(Sender::new(edge.clone(), target));
    }
    outputs
}

fn context(
    graph: &Graph,
    node: usize,
    outputs: Outputs,
    order: Order,
    account: Arc<NodeAccount>,
    bell: Arc<Doorbell>,
    shared: &Shared,
) -> Context {
    let decl = &graph.nodes[node];
    let is_source = decl.node_type.spec.kind == NodeKind::Source;
    let books = shared.books.clone();
    Context {
        name: decl.name.as_str().into(),
        clock: shared.clock.clone(),
        allocator: shared.pool.allocator(),
        outputs,
        timer: None,
        order,
        account,
        control: shared.control.clone(),
        bell,
        source: is_source.then(|| SourceWatch::new(SourceId(u16::try_from(node).unwrap_or(u16::MAX)))),
        statistics: shared.statistics,
        timed: shared.statistics,
        wait_for_memory: decl.options.wait_for_memory,
        max_frames: shared.max_frames,
        remember_frames: shared.remember_frames,
        last: None,
        begun_ns: 0,
        queued_ns: 0,
        sender: (0, 0),
        services: shared.services.clone(),
        way: Some(Box::new(move |numbers| lock(&books).left_out(node, numbers))),
        kept: 0,
        ledger: None,
    }
}

fn runner(graph: &Graph, node: usize, copy: usize, context: Context) -> Result<Runner, NodeError> {
    let decl = &graph.nodes[node];
    let built = decl.node_type.build(&decl.values).map_err(|e| e.of(&decl.name))?;
    Ok(Runner::new(
        node,
        copy,
        decl.node_type.clone(),
        decl.options.clone(),
        decl.values.clone(),
        built,
        context,
    ))
}

/// Nodes that run inside others are started by them.
pub(crate) fn start_all(wired: &mut Wired, starting: &Starting) -> Result<(), NodeError> {
    for runner in wired.workers.iter_mut().flat_map(|w| &mut w.runners) {
        starting.set(Some(&runner.ctx.name));
        runner.start()?;
    }
    starting.set(None);
    Ok(())
}
