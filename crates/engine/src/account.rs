//! The accounts and statistics of one node, written by the thread that runs it.

use std::sync::OnceLock;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64};

use livetime_runtime::{Histogram, LossReason};

use crate::Value;
use crate::spans::SpanRing;

/// One per node, or per copy of a node in a pool. Each field has one writer, except the fields for frames
/// that end later. The account has cache lines of its own; otherwise two nodes on two cores would take each
/// other's counters away.
#[repr(align(128))]
#[derive(Default)]
pub(crate) struct NodeAccount {
    pub(crate) completed: AtomicU64,
    pub(crate) failed: AtomicU64,
    pub(crate) panicked: AtomicU64,
    pub(crate) exhausted: AtomicU64,
    /// Frames that were settled on any thread, completed or lost, after their handler had returned.
    pub(crate) completed_later: AtomicU64,
    pub(crate) failed_later: AtomicU64,
    pub(crate) emitted: AtomicU64,
    pub(crate) restarts: AtomicU64,
    pub(crate) source_gap: AtomicU64,
    pub(crate) unreadable: AtomicU64,
    pub(crate) late: AtomicU64,
    pub(crate) taken_back: AtomicU64,
    pub(crate) disconnected: AtomicU64,
    pub(crate) unknown: AtomicU64,
    /// Since when the first of these is unknown, as a time of day; 0 if there is none.
    pub(crate) unknown_since_ns: AtomicI64,
    pub(crate) sequence_jumps: AtomicU64,
    pub(crate) sequence_repeats: AtomicU64,
    pub(crate) stalls: AtomicU64,
    pub(crate) longest_gap_ns: AtomicU64,
    /// An error was reported, but the recovery of the node was not yet.
    pub(crate) is_troubled: AtomicBool,
    /// In the handler, time of inline nodes behind it included.
    pub(crate) service: Histogram,
    /// From the source's stamp to the end of the handler.
    pub(crate) latency: Histogram,
    /// Spans of the traced frames.
    pub(crate) spans: SpanRing,
    /// Set when the node has stopped for good.
    pub(crate) ended: OnceLock<Ended>,
}

/// How a node, or a copy of one in a pool, has ended.
pub(crate) struct Ended {
    /// Position of its last frame in the queue of the pool.
    pub(crate) last_ticket: Option<u64>,
    /// All its parameters, readbacks included.
    pub(crate) values: Vec<Value>,
}

impl NodeAccount {
    /// Frames that came to a good end.
    pub(crate) fn all_completed(&self) -> u64 {
        self.completed.load(Relaxed) + self.completed_later.load(Relaxed)
    }

    /// Frames given to the node whose outcome is known: completed or lost.
    pub(crate) fn settled(&self) -> u64 {
        let lost = self.losses().into_iter().filter(|(reason, _)| !reason.is_beside_frames());
        self.all_completed() + lost.map(|(_, count)| count).sum::<u64>()
    }

    /// Losses that happened in the node itself.
    pub(crate) fn losses(&self) -> [(LossReason, u64); 9] {
        [
            (LossReason::NodeError, self.failed.load(Relaxed) + self.failed_later.load(Relaxed)),
            (LossReason::NodePanic, self.panicked.load(Relaxed)),
            (LossReason::PoolExhausted, self.exhausted.load(Relaxed)),
            (LossReason::SourceGap, self.source_gap.load(Relaxed)),
            (LossReason::Unreadable, self.unreadable.load(Relaxed)),
            (LossReason::Late, self.late.load(Relaxed)),
            (LossReason::TakenBack, self.taken_back.load(Relaxed)),
            (LossReason::Disconnected, self.disconnected.load(Relaxed)),
            (LossReason::Unknown, self.unknown.load(Relaxed)),
        ]
    }
}
