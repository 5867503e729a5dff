//! What of a pipeline file leads to one output, for an analysis of the pictures that come out there, event by event.

use std::collections::BTreeSet;

use livetime_engine::NodeType;

use super::error::Problem;
use super::file::{NodeEntry, Pipeline};
use super::replay::{is_source, kind, sender};

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
            // Whoever does not say what is wanted of the file wants all of it.
            file.nodes.iter().for_each(|node| check(node, node_types, problems));
            only_end(file, node_types, problems)?
        }
    };
    let end = output.split('.').next().unwrap_or_default();
    if !file.nodes.iter().any(|node| node.name.text == end && has_outputs(node, node_types)) {
        let names = names(file.nodes.iter().filter(|node| has_outputs(node, node_types)));
        let message =
            format!("--of {output}: wanted a node of the pipeline that sends pictures, found {names}");
        problems.push(Problem::elsewhere(message));
        return None;
    }
    let kept = ancestors(file, end);
    let (kept, left_out) =
        std::mem::take(&mut file.nodes).into_iter().partition(|n| kept.contains(&n.name.text));
    file.nodes = kept;
    if of.is_some() {
        file.nodes.iter().for_each(|node| check(node, node_types, problems));
    }
    let left_out: Vec<NodeEntry> = left_out;
    Some(Way { output, left_out: left_out.into_iter().map(|node| node.name.text).collect() })
}

/// A node, and the edges to it, that remember nothing of the frames before.
fn check(node: &NodeEntry, node_types: &[NodeType], problems: &mut Vec<Problem>) {
    let Some(node_type) = kind(node, node_types) else { return };
    let (name, type_name) = (&node.name.text, node_type.spec.name);
    if is_source(node, node_types) {
        return;
    }
    if !node_type.spec.parallel {
        let why = format!(
            "{name}: wanted a node that keeps no state from frame to frame, found `{type_name}`, which does; {HINT}"
        );
        problems.push(Problem::new(node.name.at, why));
    } else if node.edges.len() > 1 {
        let why = format!(
            "{name}: wanted one edge to a node, found {}, whose frames come in any order; {HINT}",
            node.edges.len()
        );
        problems.push(Problem::new(node.name.at, why));
    }
    for edge in node.edges.iter().filter(|edge| edge.options.every > 1) {
        let every = edge.options.every;
        let why = format!(
            "{name}: wanted an edge that takes every frame, found `every: {every}`, which counts those before; {HINT}"
        );
        problems.push(Problem::new(edge.from.at, why));
    }
}

/// The only node that sends pictures to nobody, or only to sinks.
fn only_end(file: &Pipeline, node_types: &[NodeType], problems: &mut Vec<Problem>) -> Option<String> {
    let sends_on = |node: &NodeEntry| {
        let behind = |other: &&NodeEntry| other.edges.iter().any(|edge| sender(edge) == node.name.text);
        file.nodes.iter().filter(behind).any(|other| has_outputs(other, node_types))
    };
    let ends: Vec<&NodeEntry> =
        file.nodes.iter().filter(|node| has_outputs(node, node_types) && !sends_on(node)).collect();
    match ends[..] {
        [one] => Some(one.name.text.clone()),
        [] => None,
        [_, second, ..] => {
            let found = names(ends.iter().copied());
            let message =
                format!("wanted one node whose pictures are reduced, found {found}; choose with --of NODE");
            problems.push(Problem::new(second.name.at, message));
            None
        }
    }
}

fn has_outputs(node: &NodeEntry, node_types: &[NodeType]) -> bool {
    kind(node, node_types).is_some_and(|node_type| !node_type.spec.outputs.is_empty())
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
        next.extend(
            nodes
                .flat_map(|node| &node.edges)
                .map(|edge| sender(edge).to_owned())
                .filter(|s| !found.contains(s)),
        );
        found.insert(name);
    }
    found
}
