//! The accounts and statistics of one agent, written by its strand, read by any thread.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock};

use livetime_runtime::statistics::add;
use livetime_runtime::{EdgeCounts, EdgeOptions, Histogram, LossReason, lock};

/// Messages after which an agent's times are kept: a million small agents need not have histograms.
const FIRST: u64 = 32;

/// One per named agent, and one per strand for all agents without a name.
pub(crate) struct AgentAccount {
    pub(crate) name: String,
    /// Name of the strand that runs it.
    pub(crate) thread: OnceLock<String>,
    pub(crate) since_ns: u64,
    /// When it ended; 0 while it lives.
    pub(crate) ended_ns: AtomicU64,
    pub(crate) completed: AtomicU64,
    pub(crate) failed: AtomicU64,
    pub(crate) panicked: AtomicU64,
    /// Messages that were to be handled when the agent ended.
    pub(crate) aborted: AtomicU64,
    /// Messages that no handler of the agent's state took.
    pub(crate) ignored: AtomicU64,
    pub(crate) restarts: AtomicU64,
    times: OnceLock<Box<AgentTimes>>,
    inputs: Mutex<Vec<(String, Arc<dyn Counted>)>>,
    /// Counts of inputs that are gone, of agents without a name.
    folded: Mutex<EdgeCounts>,
}

/// How long messages waited, were handled, and both.
#[derive(Default)]
pub(crate) struct AgentTimes {
    pub(crate) waiting: Histogram,
    pub(crate) service: Histogram,
    pub(crate) latency: Histogram,
}

/// An input as its accounts see it.
pub(crate) trait Counted: Send + Sync {
    fn counts(&self) -> EdgeCounts;
    fn options(&self) -> EdgeOptions;
}

impl AgentAccount {
    pub(crate) fn new(name: String, since_ns: u64) -> AgentAccount {
        AgentAccount {
            name,
            thread: OnceLock::new(),
            since_ns,
            ended_ns: AtomicU64::new(0),
            completed: AtomicU64::new(0),
            failed: AtomicU64::new(0),
            panicked: AtomicU64::new(0),
            aborted: AtomicU64::new(0),
            ignored: AtomicU64::new(0),
            restarts: AtomicU64::new(0),
            times: OnceLock::new(),
            inputs: Mutex::default(),
            folded: Mutex::default(),
        }
    }

    pub(crate) fn add_input(&self, name: &str, input: Arc<dyn Counted>) {
        lock(&self.inputs).push((name.to_string(), input));
    }

    pub(crate) fn inputs(&self) -> Vec<(String, Arc<dyn Counted>)> {
        lock(&self.inputs).clone()
    }

    /// Adds the counts of an input that is gone.
    pub(crate) fn fold(&self, counts: EdgeCounts) {
        lock(&self.folded).add(&counts);
    }

    pub(crate) fn folded(&self) -> EdgeCounts {
        *lock(&self.folded)
    }

    /// The histograms, if there are any yet.
    pub(crate) fn times(&self) -> Option<&AgentTimes> {
        self.times.get().map(|t| &**t)
    }

    /// Records one message; only the strand's thread calls it.
    #[inline]
    pub(crate) fn record(&self, stamp_ns: u64, start_ns: u64, end_ns: u64) {
        if self.times.get().is_none() && self.completed.load(Relaxed) < FIRST {
            return;
        }
        let times = self.times.get_or_init(Box::default);
        times.service.record(end_ns.saturating_sub(start_ns));
        if stamp_ns != 0 {
            times.waiting.record(start_ns.saturating_sub(stamp_ns));
            times.latency.record(end_ns.saturating_sub(stamp_ns));
        }
    }

    /// Losses in the agent itself.
    pub(crate) fn losses(&self) -> [(LossReason, u64); 4] {
        [
            (LossReason::NodeError, self.failed.load(Relaxed)),
            (LossReason::NodePanic, self.panicked.load(Relaxed)),
            (LossReason::Aborted, self.aborted.load(Relaxed)),
            (LossReason::Ignored, self.ignored.load(Relaxed)),
        ]
    }

    #[inline]
    pub(crate) fn complete(&self) {
        add(&self.completed, 1);
    }
}

/// All accounts of a system.
#[derive(Default)]
pub(crate) struct Accounts(Mutex<Vec<Arc<AgentAccount>>>);

impl Accounts {
    pub(crate) fn add(&self, account: Arc<AgentAccount>) {
        lock(&self.0).push(account);
    }

    pub(crate) fn all(&self) -> Vec<Arc<AgentAccount>> {
        lock(&self.0).clone()
    }
}
