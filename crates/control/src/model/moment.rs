//! Moments: the state of a running graph at one time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use livetime_engine::{
    ByNode, EdgeAccount, EdgeOptions, LastFrame, NodeReport, ParamSpec, Report, Role, Value,
};

use super::alarms::Limited;
use super::losses::LossBook;
use super::origin::Origin;
use crate::attributes::Problem;
use crate::report::rates::{Rates, RunRates};
use crate::report::times::NodeTimes;

/// The state of a running graph at one time. Immutable; a newer one has a higher version.
#[derive(Debug)]
pub struct Moment {
    /// Grows by one with each moment of a run; 0 is before the first look.
    pub version: u64,
    /// When it was taken.
    pub taken: Instant,
    /// Counts, times, losses, events.
    pub report: Report,
    /// The nodes in the order of their declaration. A node that was not looked at anew is the same `Arc` as in the
    /// moment before.
    pub nodes: Vec<Arc<NodeMoment>>,
    /// How fast the run is as a whole, over the last second that is over.
    pub rates: RunRates,
    /// Live time so far: the fraction of the time since the start in which nothing was lost unintentionally, as far as looks at the
    /// run can tell. All time between two looks counts as dead if something was lost in it.
    pub live: f64,
    /// The losses: place, reason, time, and whether they go on.
    pub losses: LossBook,
    edges: ByNode,
}

impl Moment {
    pub(super) fn new(
        version: u64,
        report: Report,
        nodes: Vec<Arc<NodeMoment>>,
        rates: RunRates,
        live: f64,
        losses: LossBook,
    ) -> Moment {
        let edges = ByNode::new(nodes.len(), report.edges.iter().map(|edge| edge.nodes.1));
        Moment { version, taken: Instant::now(), report, nodes, rates, live, losses, edges }
    }

    /// The accounts of the edges that lead to node number `node`.
    pub fn edges_to(&self, node: usize) -> impl Iterator<Item = &EdgeAccount> {
        self.edges.of(node).filter_map(|edge| self.report.edges.get(edge))
    }

    /// The state of the node called `name`: the counts of the engine, and the answers of the node.
    pub fn node(&self, name: &str) -> Option<(&NodeReport, &NodeMoment)> {
        let number = self.report.nodes.iter().position(|node| node.name == name)?;
        Some((&self.report.nodes[number], self.nodes.get(number)?))
    }
}

/// The answers of a node about itself, and the run's handling of it.
#[derive(Clone, Debug)]
pub struct NodeMoment {
    /// The declarations of its parameters.
    pub specs: &'static [ParamSpec],
    /// Their values, readbacks included, in the same order, as the node said last; empty until it has answered once. A node
    /// that hangs or has ended keeps those from before. Unchanged ones may be the same `Arc`.
    pub values: Arc<Vec<Value>>,
    /// Its last frame, if the run remembers frames.
    pub last: Option<LastFrame>,
    /// Its state beside its parameters.
    pub state: NodeState,
    /// How fast it is, over the last second that is over.
    pub rates: Rates,
    /// How long its frames waited and took, over several times; made anew once a second.
    pub times: NodeTimes,
}

impl NodeMoment {
    /// Whether it is a writer that captures: an acquisition whose frames it takes ends when they are written.
    pub fn is_capturing(&self) -> bool {
        self.value_of(Role::Capture) == Some(&Value::Bool(true))
    }

    /// The value of the parameter or readback that has this role.
    pub fn value_of(&self, role: Role) -> Option<&Value> {
        self.values.get(number_of(self.specs, role)?)
    }

    /// The value of the parameter or readback `param`.
    pub fn value(&self, param: &str) -> Option<&Value> {
        self.values.get(self.specs.iter().position(|spec| spec.name == param)?)
    }
}

/// The number of the parameter that has this role, if one has.
pub(super) fn number_of(specs: &[ParamSpec], role: Role) -> Option<usize> {
    specs.iter().position(|spec| spec.role == Some(role))
}

/// The state of a node beside its parameters.
#[derive(Clone, PartialEq, Debug)]
pub struct NodeState {
    /// Whether it is a source.
    pub is_source: bool,
    /// Whether frames are offered to it; of a source whether it produces any.
    pub is_enabled: bool,
    /// Whether its frames are sent to the nodes behind it; frames that are not are an intended loss.
    pub sends: bool,
    /// The text in which a client asked for attributes of its frames; empty if no client did.
    pub attributes: Arc<str>,
    /// The texts for `$(NAME)` in that text, as `NAME=value,OTHER=value`.
    pub macros: Arc<str>,
    /// The problem with the attributes that were asked for last.
    pub attributes_problem: Option<Problem>,
    /// Whether a source acquires.
    pub is_acquiring: bool,
    /// The same, or frames of the acquisition are still under way and the acquisition waits for them.
    pub is_busy: bool,
    /// Whether an acquisition ends only when all nodes behind have nothing left to do.
    pub waits_for_nodes: bool,
    /// Whether acquisitions of the sources before it end only when it has nothing left to do; `None` until a client
    /// sets it.
    pub awaited: Option<bool>,
    /// A source acquires no longer, and a node that its acquisition waits for still has frames.
    pub is_delivering: bool,
    /// Parameters that were written through [`Action`](super::Action), in the order of the first writes. Others may differ from the start
    /// of the run, too: nodes count numbers of files up, and limit sizes.
    pub written: Arc<[String]>,
    /// Where values come from that clients have written or settings have restored, by the name of the value in a
    /// settings file; every other value is as at the start.
    pub origins: Arc<BTreeMap<String, Origin>>,
    /// Acquisitions begun through [`Action`](super::Action) so far: one that was over between two moments is seen by it.
    pub acquisitions: u64,
    /// The edge that leads to its first input.
    pub input: Option<Arc<Input>>,
    /// The other edges that lead to its first input, in the order in which they were made.
    pub joined: Arc<[Arc<Input>]>,
    /// The edges that lead to its other inputs, in the order of the inputs, and of one in the order in which they were made.
    pub further: Arc<[Arc<Input>]>,
    /// Frames that wait in front of the nodes behind it; kept for sources only.
    pub queued_behind: u64,
    /// Buffers for frames that it has made and that are not in use.
    pub free_buffers: usize,
    /// Frames so far: sent by a source, handled by another node; the node's own count, if it has one.
    pub frames: u64,
    /// The values of counters when a client set them to 0.
    pub offsets: Offsets,
    /// Values with limits, and which of them are alarms.
    pub limited: Arc<[Limited]>,
}

impl NodeState {
    /// Whether an acquisition is shown: it is not over before the nodes that it waits for have handled its frames.
    pub fn acquires(&self) -> bool {
        self.is_acquiring || self.is_delivering
    }

    /// All edges that lead to it, those to its first input first.
    pub fn edges(&self) -> impl Iterator<Item = &Arc<Input>> {
        self.input.iter().chain(self.joined.iter()).chain(self.further.iter())
    }

    /// Edges with the numbers of their inputs, in their order.
    pub(super) fn set_edges(&mut self, edges: impl IntoIterator<Item = (usize, Arc<Input>)>) {
        let (first, further): (Vec<_>, Vec<_>) = edges.into_iter().partition(|(input, _)| *input == 0);
        let mut first = first.into_iter().map(|(_, edge)| edge);
        (self.input, self.joined) = (first.next(), first.collect());
        self.further = further.into_iter().map(|(_, edge)| edge).collect();
    }
}

/// Where an edge to a node comes from.
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

/// Numbers to subtract from counts, by wrapping, so that they count from the time when a client set them anew. The
/// ledger knows nothing of this.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Offsets {
    /// Of [`NodeState::frames`].
    pub frames: u64,
    /// Of [`NodeReport::lost_before`].
    pub lost_before: u64,
    /// Of [`NodeReport::lost_inside`].
    pub lost_inside: u64,
}
