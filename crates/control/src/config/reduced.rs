//! What of a pipeline file leads to one output, for an analysis of the pictures that come out there, event by event.

use std::collections::BTreeSet;

use livetime_engine::NodeType;

use super::error::{Expected, Part, Problem, ProblemKind};
use super::file::{NodeEntry, Pipeline};
use super::types::{is_source, type_of};

/// What to do about a node that cannot be on the way.
const HINT: &str = "reduce what a node before it sends (--of NODE), or give the run to the whole pipeline, in one process and without --with";

/// What is kept of the file.
pub(super) struct Way {
    /// `node` or `node.output`.
    pub(super) output: String,
    /// Names of the nodes that do not lead there.
    pub(super) left_out: Vec<String>,
}

/// Takes away what does not lead to the output `of`, or to the only end of the file. Every node that stays must find the same for an
/// event, whatever was before it.
pub(super) fn keep_way(
    file: &mut Pipeline,
    of: Option<&str>,
    node_types: &[NodeType],
    problems: &mut Vec<Problem>,
) -> Option<Way> {
    let output = match of {
        Some(output) => output.to_owned(),
        None => {
            // Without a choice the whole file is wanted: each of its nodes must fit.
            file.nodes.iter().for_each(|node| check(node, node_types, problems));
            only_end(file, node_types, problems)?
        }
    };
    let end = output.split('.').next().unwrap_or_default();
    if !file.nodes.iter().any(|node| node.name.text == end && has_outputs(node, node_types)) {
        let names = names(file.nodes.iter().filter(|node| has_outputs(node, node_types)));
        let expected = Expected::new("a node of the pipeline that sends pictures", names);
        let problem = Problem::elsewhere(ProblemKind::NoSuchNode(expected));
        problems.push(problem.of(Part::Option("--of", output)));
        return None;
    }
    let kept = ancestors(file, end);
    let (kept, left_out) =
        std::mem::take(&mut file.nodes).into_iter().partition(|n| kept.contains(&n.name.text));
    file.nodes = kept;
    if of.is_some() {
        // Only the nodes that are kept must fit.
        file.nodes.iter().for_each(|node| check(node, node_types, problems));
    }
    let left_out: Vec<NodeEntry> = left_out;
    Some(Way { output, left_out: left_out.into_iter().map(|node| node.name.text).collect() })
}

/// A node, and the edges to it, that remember nothing of the frames before.
fn check(node: &NodeEntry, node_types: &[NodeType], problems: &mut Vec<Problem>) {
    let Some(node_type) = type_of(node, node_types) else { return };
    let mut refuse = |at, wanted: &'static str, found: String| {
        let problem = Problem::new(at, ProblemKind::KeepsState(Expected::new(wanted, found).hint(HINT)));
        problems.push(problem.of(Part::Node(node.name.text.clone())));
    };
    if is_source(node, node_types) {
        return;
    }
    if !node_type.spec.parallel {
        let found = format!("`{}`, which does", node_type.spec.name);
        refuse(node.name.at, "a node that keeps no state from frame to frame", found);
    } else if node.edges.len() > 1 {
        let found = format!("{}, whose frames come in any order", node.edges.len());
        refuse(node.name.at, "one edge to a node", found);
    }
    for edge in node.edges.iter().filter(|edge| edge.options.every > 1) {
        let found = format!("`every: {}`, which counts those before", edge.options.every);
        refuse(edge.from.at, "an edge that takes every frame", found);
    }
}

/// The only node that sends pictures to nobody, or only to sinks.
fn only_end(file: &Pipeline, node_types: &[NodeType], problems: &mut Vec<Problem>) -> Option<String> {
    let sends_on = |node: &NodeEntry| {
        let behind = |other: &&NodeEntry| other.edges.iter().any(|edge| edge.sender() == node.name.text);
        file.nodes.iter().filter(behind).any(|other| has_outputs(other, node_types))
    };
    let ends: Vec<&NodeEntry> =
        file.nodes.iter().filter(|node| has_outputs(node, node_types) && !sends_on(node)).collect();
    match ends[..] {
        [one] => Some(one.name.text.clone()),
        [] => None,
        [_, second, ..] => {
            let found = names(ends.iter().copied());
            let expected = Expected::new("one node whose pictures are reduced", found);
            let ambiguous = ProblemKind::Ambiguous(expected.hint("choose with --of NODE"));
            problems.push(Problem::new(second.name.at, ambiguous));
            None
        }
    }
}

fn has_outputs(node: &NodeEntry, node_types: &[NodeType]) -> bool {
    type_of(node, node_types).is_some_and(|node_type| !node_type.spec.outputs.is_empty())
}

fn names<'a>(nodes: impl Iterator<Item = &'a NodeEntry>) -> String {
    let names: Vec<String> = nodes.map(|node| format!("`{}`", node.name.text)).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}

/// A node and all before it.
fn ancestors(file: &Pipeline, end: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut next = vec![end.to_owned()];
    while let Some(name) = next.pop() {
        let nodes = file.nodes.iter().filter(|node| node.name.text == name);
        // The file is not checked yet and may have cycles: a known node is not walked again.
        next.extend(
            nodes
                .flat_map(|node| &node.edges)
                .map(|edge| edge.sender().to_owned())
                .filter(|s| !found.contains(s)),
        );
        found.insert(name);
    }
    found
}
