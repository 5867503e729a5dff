//! A file over hosts: links stand nowhere in it, so that it cannot say how they have changed.

use super::super::hosts::{link_type, order_type};
use super::standing::{NodeNow, changed_values};

/// The nodes that the file names.
pub(super) fn own(mut nodes: Vec<NodeNow>) -> Vec<NodeNow> {
    let links = links(&nodes);
    nodes.retain(|node| !links.contains(&node.name));
    nodes
}

/// Names of links, and of nodes that put the results of links in order.
fn links(nodes: &[NodeNow]) -> Vec<String> {
    let of = |is_one: &dyn Fn(&NodeNow) -> bool| -> Vec<String> {
        nodes.iter().filter(|node| is_one(node)).map(|node| node.name.clone()).collect()
    };
    let links = of(&|node| link_type(node.type_name));
    let is_behind = |node: &NodeNow| {
        order_type(node.type_name)
            && node.edges.iter().all(|edge| links.contains(&edge.from))
            && !node.edges.is_empty()
    };
    [of(&is_behind), links.clone()].concat()
}

/// Leaves links, and edges to and from them, as the file makes them. Returns a sentence for each thing that is thereby not said.
pub(super) fn settle(before: &[NodeNow], wanted: &mut Vec<NodeNow>) -> Vec<String> {
    let mut notes = vec!["the file is for all hosts: each must get it".to_owned()];
    let links = links(before);
    for node in wanted.iter_mut() {
        let Some(before) = before.iter().find(|before| before.name == node.name) else { continue };
        let is_link = links.contains(&node.name);
        if is_link {
            let changed = changed_values(before, node);
            notes.extend(changed.iter().map(|(name, _, now)| {
                format!("{}.{name} = {now} is not in the file: links are set by `links` of a host", node.name)
            }));
        }
        let touches = |edges: &NodeNow| edges.edges.iter().any(|edge| links.contains(&edge.from));
        if node.edges != before.edges && (is_link || touches(before) || touches(node)) {
            notes.push(format!(
                "how the inputs of {} have changed is not in the file: a link is there",
                node.name
            ));
            node.edges.clone_from(&before.edges);
        }
    }
    *wanted = own(std::mem::take(wanted));
    notes
}
