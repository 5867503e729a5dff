//! Pools in a file: hosts with a `count`, whose workers share the frames of one edge.
//!
//! The results of a pool come back to the host that feeds it, where an `in_order` restores their order; all nodes behind the
//! pool take them from there. So the policies of their edges act on the whole stream, as in one process, and only the host
//! that feeds a pool needs to know how far it has come.

use livetime_engine::{EdgeOptions, NodeKind, NodeOptions, NodeType, WhenFull};

use super::super::error::{Part, Problem};
use super::super::file::{EdgeEntry, MAX_NAME, NodeEntry, Pipeline};
use super::super::types::find_type;
use super::super::yaml::Name;
use super::names::free_name;
use super::problem::wrong;

/// The node that restores the order of results.
pub(super) const IN_ORDER: &str = "in_order";

/// Places the nodes into the file that put the results of its pools in order. Their numbers are behind those of the file's own nodes.
pub(super) fn with_orders(file: &mut Pipeline, problems: &mut Vec<Problem>) {
    let pools: Vec<Name> = file
        .hosts
        .iter()
        .flatten()
        .filter(|host| host.count.is_some())
        .map(|host| host.name.clone())
        .collect();
    // Feeders are found before any edge is led over an order.
    let feeders: Vec<Option<Name>> = pools.iter().map(|pool| feeder(file, pool, problems)).collect();
    for (pool, feeder) in pools.iter().zip(feeders) {
        if let Some(feeder) = feeder {
            order_results(file, &pool.text, &feeder);
        }
    }
}

fn is_of(node: &NodeEntry, host: &str) -> bool {
    node.host.as_ref().is_some_and(|name| name.text == host)
}

/// The node with this name.
fn node<'a>(file: &'a Pipeline, name: &str) -> Option<&'a NodeEntry> {
    file.nodes.iter().find(|node| node.name.text == name)
}

/// The host that feeds a pool. `None` where something is wrong, which is among the problems.
fn feeder(file: &Pipeline, pool: &Name, problems: &mut Vec<Problem>) -> Option<Name> {
    let known = problems.len();
    let mut entering: Vec<&EdgeEntry> = Vec::new();
    for member in file.nodes.iter().filter(|node| is_of(node, &pool.text)) {
        let mut refuse = |wanted: String, found: String| {
            problems.push(wrong(member.name.at, wanted, found).of(Part::Entry(member.name.text.clone())));
        };
        if member.edges.is_empty() {
            refuse(
                format!("a node with an input on host `{}`, whose workers share frames", pool.text),
                "none".into(),
            );
        }
        for edge in &member.edges {
            // An unknown node is reported when the graph is built.
            let Some(sender) = node(file, edge.sender()) else { continue };
            if !is_of(sender, &pool.text) {
                entering.push(edge);
            } else if is_sender(file, &member.name.text) && !is_whole(&edge.options) {
                let wanted = "`when_full: block`, without `every` and `max_rate`, between nodes of a pool: \
                              a frame that is left out would be waited for behind it";
                refuse(wanted.into(), format!("another edge from `{}`", edge.from.text));
            }
        }
    }
    let first = entering.first()?;
    let is_one = entering.len() == 1 || first.options.when_full == WhenFull::Block;
    let is_same = |edge: &&&EdgeEntry| edge.from.text == first.from.text && edge.options == first.options;
    if let Some(other) = entering.iter().skip(1).find(|edge| !(is_one && is_same(edge))) {
        let wanted = format!(
            "frames of one output for host `{}`, over edges with equal options and `when_full: block`",
            pool.text
        );
        let found = format!("edges from `{}` and `{}`", first.from.text, other.from.text);
        problems.push(wrong(other.from.at, wanted, found));
    }
    let host = node(file, first.sender()).and_then(|sender| sender.host.clone())?;
    if file.hosts.iter().flatten().any(|entry| entry.name.text == host.text && entry.count.is_some()) {
        let wanted = format!("a host without `count` before host `{}`", pool.text);
        problems.push(wrong(first.from.at, wanted, format!("`{}` on host `{}`", first.from.text, host.text)));
    }
    (problems.len() == known).then_some(host)
}

/// Whether an edge leads on from the node.
fn is_sender(file: &Pipeline, name: &str) -> bool {
    file.nodes.iter().flat_map(|node| &node.edges).any(|edge| edge.sender() == name)
}

/// Whether the edge lets each frame pass.
fn is_whole(options: &EdgeOptions) -> bool {
    options.when_full == WhenFull::Block && options.every == 1 && options.max_rate_hz.is_none()
}

/// Leads the results of a pool over an order on the host that feeds it.
fn order_results(file: &mut Pipeline, pool: &str, feeder: &Name) {
    let members: Vec<String> =
        file.nodes.iter().filter(|node| is_of(node, pool)).map(|node| node.name.text.clone()).collect();
    let mut orders: Vec<(String, NodeEntry)> = Vec::new();
    let mut taken: Vec<String> = file.nodes.iter().map(|node| node.name.text.clone()).collect();
    for node in file.nodes.iter_mut().filter(|node| !is_of(node, pool)) {
        for edge in node.edges.iter_mut().filter(|edge| members.iter().any(|name| name == edge.sender())) {
            let known = orders.iter().find(|(from, _)| *from == edge.from.text);
            let name = match known {
                Some((_, order)) => order.name.text.clone(),
                None => {
                    let whole = format!("{}-in-order", edge.from.text.replace('.', "-"));
                    // Behind it `-1000` for the link of each worker.
                    let name =
                        free_name(&whole, MAX_NAME - 5, |name| taken.iter().any(|taken| taken == name));
                    orders.push((edge.from.text.clone(), order(&name, edge, feeder)));
                    taken.push(name.clone());
                    name
                }
            };
            edge.from.text = name;
        }
    }
    file.nodes.extend(orders.into_iter().map(|(_, order)| order));
}

/// A node behind the output of `edge`. It waits for each result.
fn order(name: &str, edge: &EdgeEntry, feeder: &Name) -> NodeEntry {
    let at = edge.from.at;
    let named = |text: &str| Name { text: text.to_owned(), at };
    let options = EdgeOptions { when_full: WhenFull::Block, ..EdgeOptions::default() };
    NodeEntry {
        name: named(name),
        type_name: Some(named(IN_ORDER)),
        params: Vec::new(),
        edges: vec![EdgeEntry { from: edge.from.clone(), to: None, options }],
        options: NodeOptions::default(),
        pv: Some(named(name)),
        host: Some(Name { text: feeder.text.clone(), at }),
        expected: None,
    }
}

/// Refuses nodes that several workers cannot share.
pub(super) fn check_members(file: &Pipeline, node_types: &[NodeType], problems: &mut Vec<Problem>) {
    let pools = file.hosts.iter().flatten().filter(|host| host.count.is_some());
    for pool in pools {
        for member in file.nodes.iter().filter(|node| is_of(node, &pool.name.text)) {
            let Some(type_name) = &member.type_name else { continue };
            // An unknown type was reported when the graph was built.
            let Ok(node_type) = find_type(node_types, &type_name.text) else { continue };
            let spec = node_type.spec;
            if spec.kind == NodeKind::Process && !spec.parallel && is_sender(file, &member.name.text) {
                let wanted = format!(
                    "a node on host `{}` whose output for a frame depends on that frame alone, as those that may be in a \
                     `placement: {{pool: N}}`",
                    pool.name.text
                );
                let problem = wrong(type_name.at, wanted, format!("`{}`", type_name.text));
                problems.push(problem.of(Part::Entry(member.name.text.clone())));
            }
        }
    }
}
