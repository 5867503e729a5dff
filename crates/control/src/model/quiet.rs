//! Whether nodes have anything left to do.

use livetime_engine::{NodeReport, Report};

/// If no node of `behind` has anything to do: a number that differs when they have done something since.
///
/// The counts of several nodes are not read at one moment: a frame may be on its way from a node that was
/// looked at late to one that was looked at early. So it takes two looks with the same number.
pub(super) fn done_if_quiet(report: &Report, behind: &[usize]) -> Option<u64> {
    let nodes = || behind.iter().filter_map(|n| report.nodes.get(*n));
    let done = |n: &NodeReport| n.received.wrapping_add(n.completed).wrapping_add(n.emitted);
    nodes().all(is_quiet).then(|| nodes().fold(0, |sum: u64, n| sum.wrapping_add(done(n))))
}

fn is_quiet(node: &NodeReport) -> bool {
    node.queued == 0 && node.received <= node.completed + node.lost_of_received()
}
