//! Which node sends to which, as re-wiring left it.

use std::sync::Arc;

use livetime_engine::Graph;

/// The edges of a running graph by their sender.
pub(super) struct Wires {
    /// By number of the sender, the receivers.
    receivers: Vec<Vec<usize>>,
    /// The nodes behind each node, by its number, if requested since the last change.
    behind: Vec<Option<Arc<[usize]>>>,
}

impl Wires {
    pub(super) fn new(graph: &Graph) -> Wires {
        let count = graph.nodes().len();
        let mut receivers = vec![Vec::new(); count];
        graph.edges().iter().for_each(|edge| receivers[edge.from.0].push(edge.to.0));
        Wires { receivers, behind: vec![None; count] }
    }

    /// The nodes that frames of `node` reach.
    pub(super) fn behind(&mut self, node: usize) -> Arc<[usize]> {
        if let Some(known) = &self.behind[node] {
            return known.clone();
        }
        let mut is_found = vec![false; self.receivers.len()];
        let (mut found, mut open) = (Vec::new(), vec![node]);
        while let Some(from) = open.pop() {
            for &to in &self.receivers[from] {
                if !std::mem::replace(&mut is_found[to], true) {
                    found.push(to);
                    open.push(to);
                }
            }
        }
        let found: Arc<[usize]> = found.into();
        self.behind[node] = Some(found.clone());
        found
    }

    /// The nodes whose frames reach `node`.
    pub(super) fn ahead(&mut self, node: usize) -> Vec<usize> {
        (0..self.receivers.len()).filter(|ahead| self.behind(*ahead).contains(&node)).collect()
    }

    /// Notes that `node` has its frames from `new` and no longer from `old`.
    pub(super) fn rewired(&mut self, node: usize, old: usize, new: usize) {
        if self.receivers[old].contains(&node) {
            self.changed(node, Some(old), Some(new));
        }
    }

    /// Notes that an edge from `old` to `node` is gone, and one from `new` is there.
    pub(super) fn changed(&mut self, node: usize, old: Option<usize>, new: Option<usize>) {
        let place = old.and_then(|old| Some((old, self.receivers[old].iter().position(|to| *to == node)?)));
        if let Some((old, place)) = place {
            self.receivers[old].swap_remove(place);
        }
        if let Some(new) = new {
            self.receivers[new].push(node);
        }
        self.behind.fill(None);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;

    #[test]
    fn what_lies_behind_follows_the_wires() {
        let text = "nodes:\n  cam: {type: sim_detector}\n  a: {type: statistics, from: cam}\n  \
                    b: {type: statistics, from: a}\n  other: {type: sim_detector}\n";
        let graph =
            config::parse("f", text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[]).unwrap().graph;
        let mut wires = Wires::new(&graph);
        assert_eq!((&wires.behind(0)[..], wires.behind(3).len()), (&[1, 2][..], 0));
        wires.rewired(1, 0, 3);
        assert_eq!((wires.behind(0).len(), &wires.behind(3)[..]), (0, &[1, 2][..]));
        assert_eq!((wires.ahead(2), wires.ahead(0)), (vec![1, 3], vec![]));
        wires.rewired(2, 1, 3);
        assert_eq!((wires.behind(1).len(), wires.behind(3).len()), (0, 2));
    }
}
