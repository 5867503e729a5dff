//! The report of a run: statistics of every node, and the ledger.

use std::collections::BTreeMap;

use livetime_frame::PoolStatistics;
use livetime_runtime::{Event, LossReason, Times, WhenFull};

use crate::graph::Placement;
use crate::{CutAccount, ParamSpec, Value};

/// The state of a run at one moment, or at its end.
#[derive(Clone, Debug)]
pub struct Report {
    /// Time since the start, in ns.
    pub elapsed_ns: u64,
    /// True when every thread has ended. False in the report of a run's end: a node does not return, and was left behind.
    pub finished: bool,
    /// Why the run failed, if it did.
    pub failure: Option<String>,
    /// Output that should outlive the run and is incomplete, with the node, the reason and where the data
    /// are. The run has failed then, too.
    pub unfinished: Vec<String>,
    /// The nodes in the order of their declaration.
    pub nodes: Vec<NodeReport>,
    /// The edges. Edges that were connected while the run continued are summed by output, receiver and policy, ended
    /// ones included; so are outlets.
    pub edges: Vec<EdgeAccount>,
    /// The ends of edges to other hosts.
    pub cuts: Vec<CutAccount>,
    /// The threads.
    pub threads: Vec<ThreadReport>,
    /// Cores that the program may use.
    pub cores: usize,
    /// The frame pool.
    pub pool: PoolStatistics,
    /// CPU time of all threads of the run, in ns; `None` where the operating system does not provide it.
    pub cpu_ns: Option<u64>,
    /// The events of the run.
    pub events: Vec<Event>,
    /// Events that were counted but not kept.
    pub events_dropped: usize,
    /// The number of events that were counted but not reported individually, because equal ones had been
    /// reported shortly before.
    pub events_repeated: usize,
}

/// One node.
#[derive(Clone, Debug)]
pub struct NodeReport {
    /// Its name.
    pub name: String,
    /// Name of its type.
    pub type_name: &'static str,
    /// How it is placed.
    pub placement: Placement,
    /// Whether it can be placed on several threads: it keeps no state from frame to frame, and has one edge to it.
    pub parallel: bool,
    /// Names of the threads that run it.
    pub threads: Vec<String>,
    /// Frames handed to it.
    pub received: u64,
    /// Frames whose handler came to a good end.
    pub completed: u64,
    /// Frames it sent.
    pub emitted: u64,
    /// Frames lost in the node itself, by reason.
    pub lost: BTreeMap<LossReason, u64>,
    /// Since when frames may be missing whose number is unknown ([`LossReason::Unknown`]), in ns since 1970.
    pub unknown_since_ns: Option<i64>,
    /// Frames that wait in front of it, and how many may.
    pub queued: u64,
    /// Sum of the capacities of its queues.
    pub capacity: u64,
    /// Frames lost on the edges that lead to it, unintended ones only.
    pub lost_before: u64,
    /// Frames left out on the edges that lead to it because the pipeline says so.
    pub skipped_before: u64,
    /// Time in the queues of all its edges, merged.
    pub waiting: Times,
    /// Time in the handler.
    pub service: Times,
    /// From the source's stamp to the end of the handler: behind a source the waiting time and the service time of this
    /// node; further down, the times of all nodes on the way.
    pub latency: Times,
    /// CPU time of its threads in ns, if it has them for itself.
    pub cpu_ns: Option<u64>,
    /// How often it was built again after a failure.
    pub restarts: u64,
    /// Only for sources.
    pub source: SourceReport,
    /// All its parameters at its end, readbacks included, in the order of their declaration; empty until it has ended.
    /// For a pool: the values of the copy that had the last frame, with readbacks that count summed over all copies.
    pub last_values: Vec<(&'static ParamSpec, Value)>,
}

/// The counts of a run at one moment, without times. Made by [`Run::counts`](super::Run::counts).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Counts {
    /// One per node, in the order of the graph.
    pub nodes: Vec<NodeCounts>,
    /// The edges, as in a report; their waiting times are empty.
    pub edges: Vec<EdgeAccount>,
}

/// The counts of one node, each as in [`NodeReport`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NodeCounts {
    /// Frames handed to it.
    pub received: u64,
    /// Frames whose handlers came to a good end.
    pub completed: u64,
    /// Frames that it sent.
    pub emitted: u64,
    /// Losses in it, by reason.
    pub lost: BTreeMap<LossReason, u64>,
    /// Since when frames may be missing whose number is unknown.
    pub unknown_since_ns: Option<i64>,
}

/// One thread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadReport {
    /// Its name.
    pub name: String,
    /// Numbers of the nodes that it runs.
    pub nodes: Vec<usize>,
    /// Its CPU time so far, in ns; `None` where the operating system does not provide it.
    pub cpu_ns: Option<u64>,
    /// How long it was ready to run and had no core, in ns; `None` where the operating system does not provide it.
    pub delayed_ns: Option<u64>,
}

/// The engine's observations of a source's frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SourceReport {
    /// Sequence numbers that jumped ahead.
    pub jumps: u64,
    /// Sequence numbers that came again or went back.
    pub repeats: u64,
    /// Silences of more than 500 ms, and more than eight times the usual gap.
    pub stalls: u64,
    /// The longest time between two frames, in ns.
    pub longest_gap_ns: u64,
}

/// The account of one edge.
#[derive(Clone, PartialEq, Debug)]
pub struct EdgeAccount {
    /// `node.output`.
    pub from: String,
    /// `node.input`, or `(outlet)` for an edge to a thread of the program.
    pub to: String,
    /// Numbers of the sending and of the receiving node, if a node receives.
    pub nodes: (usize, Option<usize>),
    /// Its policy.
    pub when_full: WhenFull,
    /// Frames offered to it.
    pub offered: u64,
    /// Frames handed to the receiving node.
    pub delivered: u64,
    /// Frames that wait in it.
    pub queued: u64,
    /// How many may wait in it; 0 when it is disconnected.
    pub capacity: u64,
    /// Frames lost, by reason.
    pub lost: BTreeMap<LossReason, u64>,
    /// Time in the queue; for an inline node there is none, and all times are 0.
    pub waiting: Times,
}

impl EdgeAccount {
    /// True when every frame offered is delivered, lost or queued.
    pub fn is_closed(&self) -> bool {
        self.offered == self.delivered + self.queued + self.lost.values().sum::<u64>()
    }

    /// Unintentional losses. Overwritten frames of a `latest` edge are intended losses.
    pub fn unintended(&self) -> u64 {
        self.lost.iter().filter(|(reason, _)| !self.is_intended(**reason)).map(|(_, n)| n).sum()
    }

    /// Intended losses.
    pub fn intended(&self) -> u64 {
        self.lost.values().sum::<u64>() - self.unintended()
    }

    /// Frames that came to it and that the pipeline did not ask to leave out.
    pub fn arrived(&self) -> u64 {
        self.offered - self.intended()
    }

    pub(crate) fn can_feed_a_pool(&self) -> bool {
        !self.when_full.takes_oldest()
    }

    /// True when the pipeline asks for losses of this kind on this edge.
    pub fn is_intended(&self, reason: LossReason) -> bool {
        self.when_full.intends(reason)
    }
}

impl NodeReport {
    /// Unintentional losses: frames that this node was given and that came to nothing, frames that a source could not send, and parts of
    /// frames that came too late.
    pub fn lost_inside(&self) -> u64 {
        self.lost.iter().filter(|(reason, _)| !reason.is_intended()).map(|(_, n)| n).sum()
    }

    /// Frames that arrived at it, without intended losses: the frames that it had to handle, whether or not
    /// it did. Divided by a time this is its arrival rate, as `completed` is its throughput.
    pub fn arrived(&self) -> u64 {
        self.received + self.lost_before + self.queued
    }

    /// The performance model's latency of this node alone: mean waiting time and mean service time, in ns.
    pub fn own_latency_ns(&self) -> u64 {
        self.waiting.mean_ns() + self.service.mean_ns()
    }

    /// Its readbacks at its end, in the order of their declaration; none until it has ended.
    pub fn readbacks(&self) -> impl Iterator<Item = (&'static ParamSpec, &Value)> {
        self.last_values.iter().filter(|(spec, _)| spec.readback).map(|(spec, value)| (*spec, value))
    }

    /// Frames that it was handed and that are in its handler, or that it completes later; 0 for a source.
    pub fn under_way(&self) -> u64 {
        self.received.saturating_sub(self.completed + self.lost_of_received())
    }

    /// Received frames that were lost in the node. With the completed ones, and the one in the handler, they are all
    /// received frames.
    pub fn lost_of_received(&self) -> u64 {
        self.lost.iter().filter(|(reason, _)| !reason.is_beside_frames()).map(|(_, n)| n).sum()
    }
}

impl Report {
    /// Unintentional losses, on edges, on cuts and in nodes.
    pub fn unintended_losses(&self) -> u64 {
        let on_edges: u64 = self.edges.iter().map(EdgeAccount::unintended).sum();
        let on_cuts: u64 = self.cuts.iter().map(CutAccount::lost).sum();
        on_edges + on_cuts + self.nodes.iter().map(NodeReport::lost_inside).sum::<u64>()
    }

    /// Frames of cuts with an unknown end.
    pub fn in_doubt(&self) -> u64 {
        self.cuts.iter().map(|cut| cut.in_doubt).sum()
    }

    /// The accounts that do not balance, in words; empty when the ledger is closed.
    ///
    /// Every edge: offered = delivered + lost + queued. When the run has ended also: nothing is queued but for the program, and
    /// every frame delivered to a process or sink was completed or lost there.
    pub fn imbalances(&self) -> Vec<String> {
        let open = self
            .edges
            .iter()
            .filter(|e| !e.is_closed() || (self.finished && e.queued > 0 && e.nodes.1.is_some()));
        let mut found: Vec<String> = open
            .map(|e| {
                let lost: u64 = e.lost.values().sum();
                let EdgeAccount { from, to, offered, delivered, queued, .. } = e;
                format!(
                    "{from} -> {to}: offered {offered}, delivered {delivered}, queued {queued}, lost {lost}"
                )
            })
            .collect();
        let cuts = self.cuts.iter().filter(|cut| !cut.is_closed());
        found.extend(
            cuts.map(|cut| format!("cut {}: the sum of the {} does not close", cut.cut, cut.side.name())),
        );
        if self.finished {
            let nodes = self.nodes.iter().filter(|n| n.received > 0);
            let open = nodes.filter(|n| n.received != n.completed + n.lost_of_received());
            found.extend(open.map(|n| {
                format!(
                    "{}: received {}, completed {}, lost {}",
                    n.name,
                    n.received,
                    n.completed,
                    n.lost_of_received()
                )
            }));
        }
        found
    }
}
