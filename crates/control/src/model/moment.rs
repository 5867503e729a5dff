//! What is known of a running graph at one moment.

use std::sync::Arc;
use std::time::Instant;

use livetime_engine::{EdgeAccount, EdgeOptions, LastFrame, NodeReport, ParamSpec, Report, Value};

use super::rates::Rates;

/// What is known of a running graph at one moment. Immutable; a newer one has a higher version.
#[derive(Debug)]
pub struct Moment {
    /// Grows by one with each moment of a run; 0 is before the first look.
    pub version: u64,
    /// When it was taken.
    pub taken: Instant,
    /// Counts, times, losses, events.
    pub report: Report,
    /// The nodes in the order of their declaration. What was not looked at anew is the same `Arc` as in the moment before.
    pub nodes: Vec<Arc<NodeMoment>>,
    edges: EdgesByNode,
}

impl Moment {
    pub(super) fn new(version: u64, report: Report, nodes: Vec<Arc<NodeMoment>>) -> Moment {
        let edges = EdgesByNode::new(&report.edges, nodes.len());
        Moment { version, taken: Instant::now(), report, nodes, edges }
    }

    /// The accounts of the edges that lead to node number `node`.
    pub fn edges_to(&self, node: usize) -> impl Iterator<Item = &EdgeAccount> {
        self.edges.of(node).iter().filter_map(|edge| self.report.edges.get(*edge as usize))
    }

    /// What is known of the node called `name`: what the engine counts, and what the node says.
    pub fn node(&self, name: &str) -> Option<(&NodeReport, &NodeMoment)> {
        let number = self.report.nodes.iter().position(|node| node.name == name)?;
        Some((&self.report.nodes[number], self.nodes.get(number)?))
    }
}

/// What a node says of itself, and what the run does with it.
#[derive(Clone, Debug)]
pub struct NodeMoment {
    /// The declarations of its parameters.
    pub specs: &'static [ParamSpec],
    /// Their values, readbacks included, in the same order, as the node said last; empty until it has answered once. A node
    /// that hangs or has ended keeps those from before. Unchanged ones may be the same `Arc`.
    pub values: Arc<Vec<Value>>,
    /// What its last frame was, if the run remembers frames.
    pub last: Option<LastFrame>,
    /// What is known of it beside its parameters.
    pub state: NodeState,
    /// How fast it is.
    pub rates: Rates,
}

impl NodeMoment {
    /// The value of the parameter or readback `param`.
    pub fn value(&self, param: &str) -> Option<&Value> {
        self.values.get(self.specs.iter().position(|spec| spec.name == param)?)
    }
}

/// What is known of a node beside its parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeState {
    /// Whether it is a source.
    pub is_source: bool,
    /// Whether frames are offered to it; of a source whether it produces any.
    pub is_enabled: bool,
    /// Whether a source acquires.
    pub is_acquiring: bool,
    /// The same, or frames of the acquisition are still under way and the acquisition waits for them.
    pub is_busy: bool,
    /// Whether an acquisition ends only when all nodes behind have nothing left to do.
    pub waits_for_nodes: bool,
    /// Acquisitions begun through [`Action`](super::Action) so far: one that was over between two moments is seen by it.
    pub acquisitions: u64,
    /// The edge that leads to its first input.
    pub input: Option<Arc<Input>>,
    /// Frames that wait in front of the nodes behind it; kept for sources only.
    pub queued_behind: u64,
    /// Frames so far: sent by a source, handled by another node; what the node counts itself, if it does.
    pub frames: u64,
    /// What counters stood at when somebody set them to 0.
    pub offsets: Offsets,
}

/// Where the edge to a node's first input comes from.
#[derive(Clone, PartialEq, Debug)]
pub struct Input {
    /// Name of the sending node.
    pub node: String,
    /// Number of its output.
    pub output: usize,
    /// The same as `node.output` by names.
    pub from: String,
    /// `node.input` by names.
    pub to: String,
    /// How the edge is.
    pub options: EdgeOptions,
}

/// What to subtract from counts, by wrapping, so that they count from when somebody set them anew. The ledger knows nothing of this.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Offsets {
    /// Of [`NodeState::frames`].
    pub frames: u64,
    /// Of [`NodeReport::lost_before`].
    pub lost_before: u64,
    /// Of [`NodeReport::lost_inside`].
    pub lost_inside: u64,
}

/// Numbers of the edges by the node they lead to, so that nobody has to search all edges for every node.
#[derive(Debug)]
struct EdgesByNode {
    /// Of each node, where its edges begin in `edges`; one more for the end.
    starts: Vec<u32>,
    edges: Vec<u32>,
}

impl EdgesByNode {
    fn new(accounts: &[EdgeAccount], nodes: usize) -> EdgesByNode {
        let mut starts = vec![0_u32; nodes + 1];
        // An edge to an outlet leads to no node.
        let leads = || {
            let numbered = accounts.iter().enumerate();
            numbered.filter_map(|(edge, account)| Some((edge, account.nodes.1.filter(|to| *to < nodes)?)))
        };
        leads().for_each(|(_, to)| starts[to + 1] += 1);
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut free = starts.clone();
        let mut edges = vec![0; starts[nodes] as usize];
        for (number, to) in leads() {
            let place = &mut free[to];
            edges[*place as usize] = number as u32;
            *place += 1;
        }
        EdgesByNode { starts, edges }
    }

    fn of(&self, node: usize) -> &[u32] {
        match (self.starts.get(node), self.starts.get(node + 1)) {
            (Some(from), Some(to)) => &self.edges[*from as usize..*to as usize],
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture;

    #[test]
    fn edges_are_found_by_the_node_they_lead_to() {
        let mut edges = Vec::new();
        for to in [Some(2), Some(0), Some(2), None, Some(1), Some(2)] {
            edges.push(EdgeAccount { nodes: (0, to), ..fixture::report(1).edges.remove(0) });
        }
        let by_node = EdgesByNode::new(&edges, 3);
        let found = [0, 1, 2, 3].map(|node| by_node.of(node).to_vec());
        assert_eq!(found, [vec![1], vec![4], vec![0, 2, 5], vec![]]);
    }
}
