//! Sampled trace: one frame in n is followed through all nodes.
//!
//! The number of a frame decides whether it is traced, so that every node traces the same frames. Each node writes its
//! spans into a ring of its own, which one reader empties from time to time; a full ring loses the new span and counts
//! it. A run that is not traced pays one load of a shared number per frame.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use livetime_runtime::lock;

use crate::account::NodeAccount;
use crate::control::RunControl;

/// The work of one node on one frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Number of the node in the graph and in [`Report::nodes`](crate::Report::nodes).
    pub node: usize,
    /// Number of its thread in [`Report::threads`](crate::Report::threads).
    pub thread: usize,
    /// Number of the node that sent it; `None` at the source.
    pub from: Option<usize>,
    /// Number of the source.
    pub source: u16,
    /// The frame's number.
    pub sequence: u64,
    /// When it was sent, ns on the run's clock; at the source the same as `start_ns`.
    pub queued_ns: u64,
    /// When the handler began; at the source: after the frame before, at the latest.
    pub start_ns: u64,
    /// When the handler ended; at the source: when the frame was sent.
    pub end_ns: u64,
}

/// Switches the trace of a run on and off, and takes the recorded spans. Remains valid when the run is over.
#[derive(Clone)]
pub struct Tracer(Arc<Inner>);

struct Inner {
    control: Arc<RunControl>,
    lanes: Vec<Lane>,
    reading: Mutex<()>,
}

/// Where the spans of one copy of a node come from.
pub(crate) struct Lane {
    pub(crate) node: usize,
    pub(crate) thread: usize,
    pub(crate) account: Arc<NodeAccount>,
}

impl Tracer {
    pub(crate) fn new(control: Arc<RunControl>, lanes: Vec<Lane>) -> Tracer {
        Tracer(Arc::new(Inner { control, lanes, reading: Mutex::default() }))
    }

    /// From now on follows frames whose number is a multiple of `every`, also if a trace is running; 0 follows none.
    /// A run without statistics records nothing.
    ///
    /// Between two calls of [`take`](Tracer::take) a node keeps at most `kept` spans (some 40 bytes each), more are
    /// counted as lost. The first call decides on `kept`.
    pub fn start(&self, every: u64, kept: usize) {
        if every > 0 {
            self.0.lanes.iter().for_each(|lane| lane.account.spans.make(kept));
        }
        self.0.control.trace_every.store(every, Ordering::Release);
    }

    /// Follows no more frames.
    pub fn stop(&self) {
        self.start(0, 0);
    }

    /// The spans since the last call, node by node, each node's in the order of their ends.
    pub fn take(&self) -> Vec<Span> {
        let _reading = lock(&self.0.reading);
        let mut spans = Vec::new();
        for Lane { node, thread, account } in &self.0.lanes {
            spans.extend(std::iter::from_fn(|| account.spans.take()).map(|v| Span {
                node: *node,
                thread: *thread,
                from: v.from,
                source: v.source,
                sequence: v.sequence,
                queued_ns: v.queued_ns,
                start_ns: v.start_ns,
                end_ns: v.end_ns,
            }));
        }
        spans
    }

    /// Spans that were lost because the ring was full.
    pub fn lost(&self) -> u64 {
        self.0.lanes.iter().map(|lane| lane.account.spans.lost()).sum()
    }
}
