//! Which nodes and edges hold the frames when memory is exhausted.

use std::sync::{Arc, Mutex, Weak};

use livetime_frame::FramePool;
use livetime_runtime::lock;

use super::books::{Books, SharedBooks};
use super::wiring::NodeInfo;
use crate::ByNode;
use crate::account::NodeAccount;
use crate::graph::Graph;

/// The data from which the list of holders of memory is made.
pub(crate) struct Holders {
    graph: Graph,
    nodes: Vec<Vec<Arc<NodeAccount>>>,
    /// Weak, because edges to outlets know the control of the run, and that knows this.
    books: Weak<Mutex<Books>>,
    pool: FramePool,
}

impl Holders {
    pub(crate) fn new(graph: &Graph, nodes: &[NodeInfo], books: &SharedBooks, pool: &FramePool) -> Holders {
        Holders {
            graph: graph.clone(),
            nodes: nodes.iter().map(|node| node.accounts.clone()).collect(),
            books: Arc::downgrade(books),
            pool: pool.clone(),
        }
    }

    /// `63 frames: 20 in a.out -> b.in, 1 with b, 42 elsewhere (kept by nodes or by the program, or free)`.
    ///
    /// A frame that waits in two queues is in the list twice. Frames that a node keeps, or that the program
    /// keeps from outlets, are not known individually: they are the remainder.
    pub(crate) fn describe(&self) -> String {
        // Completed before received, so that a frame in the handler is received and not yet completed.
        let settled: Vec<u64> =
            self.nodes.iter().map(|copies| copies.iter().map(|a| a.settled()).sum()).collect();
        let edges = self.books.upgrade().map_or_else(Vec::new, |books| lock(&books).accounts(&self.graph));
        let total = self.pool.statistics().buffers as u64;
        let queued = edges.iter().map(|e| (e.queued, format!("in {} -> {}", e.from, e.to)));
        let leading_to = ByNode::new(settled.len(), edges.iter().map(|edge| edge.nodes.1));
        let handled = settled.iter().enumerate().map(|(node, settled)| {
            let received = leading_to.of(node).map(|edge| edges[edge].delivered);
            (received.sum::<u64>().saturating_sub(*settled), format!("with {}", self.graph.nodes[node].name))
        });
        let mut held: Vec<(u64, String)> = queued.chain(handled).collect();
        let known: u64 = held.iter().map(|(count, _)| count).sum();
        held.push((
            total.saturating_sub(known),
            "elsewhere (kept by nodes or by the program, or free)".into(),
        ));
        let held = held.iter().filter(|(count, _)| *count > 0);
        let list: Vec<String> = held.map(|(count, place)| format!("{count} {place}")).collect();
        format!("{total} frames: {}", list.join(", "))
    }
}
