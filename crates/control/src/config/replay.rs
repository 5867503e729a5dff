//! A pipeline file for a recorded run: the run in place of a source, edges that lose nothing, threads that change no result.

use std::collections::BTreeSet;

use livetime_engine::{NodeOptions, NodeType, OnFailure, Placement, Stream, WhenFull};
use livetime_frame::Layout;

use super::error::{Expected, Part, Problem, ProblemKind};
use super::file::{EdgeEntry, NodeEntry, Pipeline};
use super::reduced::keep_way;
use super::types::{is_source, type_of};
use super::yaml::{Data, Item, Name, Scalar};

/// The recorded run that takes the place of a source.
pub struct Replay {
    /// Type of the source that plays it.
    pub type_name: &'static str,
    /// Parameters of that source, by name, as they would stand in the file.
    pub params: Vec<(&'static str, String)>,
    /// What it will send.
    pub layout: Layout,
    /// Name of the source whose place it takes; needed if there are several.
    pub source: Option<String>,
    /// Threads for each node that may have several.
    pub workers: usize,
    /// What of the file is wanted.
    pub purpose: Purpose,
}

/// What a recorded run is given to a pipeline for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// For all that its nodes do.
    Everything,
    /// For the pictures that one output sends, each made of one event: nodes that keep state from frame to frame are refused.
    Output {
        /// `node` or `node.output`, and what leads there is all that is wanted; `None`: the only node that sends pictures to nobody
        /// but sinks, and all nodes are to be of use.
        of: Option<String>,
    },
}

/// What became of the file.
pub struct Replaced {
    /// Name of the source.
    pub source: String,
    /// Other sources, and what is only behind these; where one output is wanted, also what does not lead there.
    pub left_out: Vec<String>,
    /// Where one output is wanted, which: `node` or `node.output`.
    pub output: Option<String>,
}

/// Changes the file. `None` if there is no source to replace, which is among the problems then, or will be.
pub(super) fn replace(
    file: &mut Pipeline,
    replay: &Replay,
    node_types: &[NodeType],
    problems: &mut Vec<Problem>,
) -> Option<Replaced> {
    let source = choose(file, replay, node_types, problems)?;
    let mut left_out = leave_out(file, &source, node_types);
    let mut output = None;
    if let Purpose::Output { of } = &replay.purpose {
        let way = keep_way(file, of.as_deref(), node_types, problems)?;
        left_out.extend(way.left_out);
        output = Some(way.output);
    }
    for node in &mut file.nodes {
        match node.name.text == source {
            true => play(node, replay),
            false => lose_nothing(node, replay.workers, node_types),
        }
    }
    // Queues and pools bound the memory; what they come to is known when the graph is.
    file.memory = Some((u64::MAX, file.memory.map_or(file.at, |(_, at)| at)));
    Some(Replaced { source, left_out, output })
}

fn choose(
    file: &Pipeline,
    replay: &Replay,
    node_types: &[NodeType],
    problems: &mut Vec<Problem>,
) -> Option<String> {
    let sources: Vec<&Name> =
        file.nodes.iter().filter(|n| is_source(n, node_types)).map(|n| &n.name).collect();
    let names = || sources.iter().map(|n| format!("`{}`", n.text)).collect::<Vec<_>>().join(", ");
    match (&replay.source, &sources[..]) {
        (Some(wanted), all) if !all.iter().any(|n| n.text == *wanted) => {
            let found = if all.is_empty() { "none".into() } else { names() };
            let expected = Expected::new("a source of the pipeline", found);
            let problem = Problem::elsewhere(ProblemKind::NoSuchNode(expected));
            problems.push(problem.of(Part::Option("--source", wanted.clone())));
            None
        }
        (Some(wanted), _) => Some(wanted.clone()),
        (None, [one]) => Some(one.text.clone()),
        (None, []) => None,
        (None, [_, second, ..]) => {
            let expected = Expected::new("one source whose place the recorded run takes", names());
            let ambiguous = ProblemKind::Ambiguous(expected.hint("choose with --source NAME"));
            problems.push(Problem::new(second.at, ambiguous));
            None
        }
    }
}

/// Takes away the other sources, and what is only behind these.
fn leave_out(file: &mut Pipeline, source: &str, node_types: &[NodeType]) -> Vec<String> {
    let is_other = |n: &NodeEntry| n.name.text != source && is_source(n, node_types);
    let mut left_out: BTreeSet<String> =
        file.nodes.iter().filter(|n| is_other(n)).map(|n| n.name.text.clone()).collect();
    // Until nothing changes: the senders of a node may be lost themselves.
    loop {
        let is_lost = |n: &&NodeEntry| {
            let is_cut = |e: &EdgeEntry| left_out.contains(e.sender());
            !left_out.contains(&n.name.text) && !n.edges.is_empty() && n.edges.iter().all(is_cut)
        };
        let Some(next) = file.nodes.iter().find(is_lost).map(|n| n.name.text.clone()) else { break };
        left_out.insert(next);
    }
    file.nodes.retain(|n| !left_out.contains(&n.name.text));
    file.nodes.iter_mut().for_each(|n| n.edges.retain(|e| !left_out.contains(e.sender())));
    left_out.into_iter().collect()
}

fn play(node: &mut NodeEntry, replay: &Replay) {
    let at = node.name.at;
    let name = |text: &str| Name { text: text.into(), at };
    let item = |text: &str| Item { at, data: Data::Scalar(Scalar { text: text.into(), plain: true }) };
    node.type_name = Some(name(replay.type_name));
    node.params = replay.params.iter().map(|(param, value)| (name(param), item(value))).collect();
    node.options = NodeOptions { wait_for_memory: true, ..NodeOptions::default() };
    node.expected = Some(Stream::Array(replay.layout));
}

fn lose_nothing(node: &mut NodeEntry, workers: usize, node_types: &[NodeType]) {
    let Some(node_type) = type_of(node, node_types) else { return };
    let NodeOptions { on_error, on_panic, .. } = node.options;
    // A node that is built anew loses its state; of the copies in a pool only one would lose it.
    let is_parallel = node_type.spec.parallel && node.edges.len() == 1 && on_error != OnFailure::Restart;
    let placement = if is_parallel { Placement::Pool(workers) } else { Placement::Own };
    node.options =
        NodeOptions { placement, on_error, on_panic, wait_for_memory: true, ..NodeOptions::default() };
    for edge in &mut node.edges {
        edge.options.when_full = WhenFull::Block;
        // Two for each copy of the receiver: one in work, one ready.
        edge.options.queue = (2 * workers).max(4);
        edge.options.max_rate_hz = None;
    }
    wait_for_threads(node, &node_type);
}

/// `xtc_recorder` compresses less when its threads have no time, which is another file each time. `--set` has the last word.
fn wait_for_threads(node: &mut NodeEntry, node_type: &NodeType) {
    const DEGRADE: &str = "degrade";
    if livetime_engine::find(node_type.param_specs(), DEGRADE).is_ok() {
        let at = node.name.at;
        let no = Data::Scalar(Scalar { text: "false".into(), plain: true });
        node.params.retain(|(name, _)| name.text != DEGRADE);
        node.params.push((Name { text: DEGRADE.into(), at }, Item { at, data: no }));
    }
}
