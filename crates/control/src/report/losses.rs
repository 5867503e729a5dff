//! Losses by reason, intended and unintentional.

use std::collections::BTreeMap;

use livetime_engine::{EdgeAccount, LossReason, NodeReport, Report};

/// Lost frames by reason; the flag says whether the loss is intended.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Losses(BTreeMap<(LossReason, bool), u64>);

impl Losses {
    /// Frames lost on an edge.
    pub fn of_edge(edge: &EdgeAccount) -> Losses {
        let mut losses = Losses::default();
        losses.add_edge(edge);
        losses
    }

    /// Frames lost on the way to a node and in it.
    pub fn of_node(report: &Report, node: &NodeReport) -> Losses {
        let mut losses = Losses::default();
        report.edges.iter().filter(|e| node_of(&e.to) == node.name).for_each(|e| losses.add_edge(e));
        for (reason, count) in &node.lost {
            *losses.0.entry((*reason, reason.is_intended())).or_default() += count;
        }
        losses
    }

    fn add_edge(&mut self, edge: &EdgeAccount) {
        for (reason, count) in &edge.lost {
            *self.0.entry((*reason, edge.is_intended(*reason))).or_default() += count;
        }
    }

    /// Unintentional losses.
    pub fn unintended(&self) -> u64 {
        self.0.iter().filter(|((_, intended), _)| !intended).map(|(_, n)| n).sum()
    }

    /// `12 queue_full (3 decimated)`: intended ones in brackets.
    pub fn describe(&self) -> String {
        let listed = |intended: bool| {
            let some = self.0.iter().filter(|((_, i), n)| *i == intended && **n > 0);
            some.map(|((reason, _), n)| format!("{n} {reason}")).collect::<Vec<_>>().join(", ")
        };
        match (listed(false), listed(true)) {
            (no, wanted) if no.is_empty() && wanted.is_empty() => "0".into(),
            (no, wanted) if wanted.is_empty() => no,
            (no, wanted) if no.is_empty() => format!("({wanted})"),
            (no, wanted) => format!("{no} ({wanted})"),
        }
    }
}

/// The node of `node.port`; names of nodes have no dots.
fn node_of(port: &str) -> &str {
    port.split_once('.').map_or(port, |(node, _)| node)
}
