//! Nodes as a file can describe them: of a run, and of a file that was read, so that both can be compared.

use livetime_engine::{EdgeOptions, Graph, NodeDecl, NodeOptions, Value};

/// How a node of a run stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Standing {
    /// Values of its parameters by name; what is not named is as it was at the start.
    pub values: Vec<(&'static str, Value)>,
    /// The edges to it, each with the output where it begins and the input where it ends, as `node.output` and `node.input`.
    /// None: as they were at the start.
    pub inputs: Vec<(String, String, EdgeOptions)>,
    /// Whether frames are offered to it.
    pub is_enabled: bool,
}

impl Default for Standing {
    fn default() -> Standing {
        Standing { values: Vec::new(), inputs: Vec::new(), is_enabled: true }
    }
}

/// A node as a file can describe it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct NodeNow {
    pub(super) name: String,
    pub(super) type_name: &'static str,
    pub(super) options: NodeOptions,
    /// Without readbacks, in the order of their declarations.
    pub(super) values: Vec<(&'static str, Value)>,
    /// Sorted.
    pub(super) edges: Vec<EdgeNow>,
}

/// An edge in the node that it leads to.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct EdgeNow {
    /// `node` for its first output, or `node.output`.
    pub(super) from: String,
    /// Name of the input; empty for the first one.
    pub(super) to: &'static str,
    pub(super) options: EdgeOptions,
}

/// The nodes of a graph.
pub(super) fn of_graph(graph: &Graph) -> Vec<NodeNow> {
    graph.nodes().iter().enumerate().map(|(number, node)| of_node(graph, number, node)).collect()
}

fn of_node(graph: &Graph, number: usize, node: &NodeDecl) -> NodeNow {
    let specs = node.node_type.param_specs().iter().filter(|spec| !spec.readback);
    let values = specs.filter_map(|spec| Some((spec.name, node.value(spec.name)?)));
    let mut edges: Vec<EdgeNow> = graph
        .edges()
        .iter()
        .filter(|edge| edge.to.0 == number)
        .filter_map(|edge| {
            let from = graph.nodes().get(edge.from.0)?;
            let outputs = from.node_type.spec.outputs;
            let from = output_text(&from.name, outputs.get(edge.from.1)?.name, edge.from.1 == 0);
            let to = if edge.to.1 == 0 { "" } else { node.node_type.spec.inputs.get(edge.to.1)?.name };
            Some(EdgeNow { from, to, options: sayable(edge.options) })
        })
        .collect();
    sort(&mut edges);
    NodeNow {
        name: node.name.clone(),
        type_name: node.node_type.spec.name,
        options: node.options.clone(),
        values: values.collect(),
        edges,
    }
}

/// The nodes of a run of `graph`.
pub(super) fn standing(graph: &Graph, now: &[Standing]) -> Vec<NodeNow> {
    let mut nodes = of_graph(graph);
    for (node, now) in nodes.iter_mut().zip(now) {
        for (name, value) in &mut node.values {
            if let Some((_, now)) = now.values.iter().find(|(known, _)| known == name) {
                *value = now.clone();
            }
        }
        if now.inputs.is_empty() {
            continue;
        }
        node.edges.clear();
        node.edges.extend(now.inputs.iter().map(|input| edge_now(graph, &node.name, input)));
        sort(&mut node.edges);
    }
    nodes
}

/// Parameters that differ: name, value of `before`, value of `now`.
pub(super) fn changed_values<'a>(
    before: &'a NodeNow,
    now: &'a NodeNow,
) -> Vec<(&'static str, Option<&'a Value>, &'a Value)> {
    let value = |name: &str| before.values.iter().find(|(known, _)| *known == name).map(|(_, value)| value);
    let all = now.values.iter().map(|(name, now)| (*name, value(name), now));
    all.filter(|(_, was, now)| was.is_none_or(|was| was != *now)).collect()
}

fn edge_now(graph: &Graph, node: &str, (from, to, options): &(String, String, EdgeOptions)) -> EdgeNow {
    let ports =
        |name: &str| graph.nodes().iter().find(|node| node.name == name).map(|node| node.node_type.spec);
    let is_first = |(name, output): (&str, &str)| {
        ports(name).is_some_and(|spec| spec.outputs.first().is_some_and(|first| first.name == output))
    };
    let first = from.rsplit_once('.').filter(|parts| is_first(*parts));
    let from = first.map_or(from.as_str(), |(name, _)| name).to_owned();
    // The first input goes without a name.
    let further = ports(node).map_or(&[][..], |spec| spec.inputs).iter().skip(1);
    let port = to.rsplit_once('.').map_or("", |(_, port)| port);
    let to = further.map(|port| port.name).find(|name| *name == port).unwrap_or_default();
    EdgeNow { from, to, options: sayable(*options) }
}

fn output_text(node: &str, output: &str, is_first: bool) -> String {
    if is_first { node.to_owned() } else { format!("{node}.{output}") }
}

fn sort(edges: &mut [EdgeNow]) {
    edges.sort_by(|a, b| (a.to, &a.from).cmp(&(b.to, &b.from)));
}

/// What of an edge's options a file can say.
fn sayable(options: EdgeOptions) -> EdgeOptions {
    EdgeOptions { max_bytes_per_s: None, ..options }
}
