//! The accounts of cuts: edges whose other end is on another host.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use livetime_runtime::{LossReason, lock};

/// An end of a cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CutSide {
    /// Frames leave here.
    Sender,
    /// Frames arrive here.
    Receiver,
}

impl CutSide {
    /// Name in reports.
    pub fn name(self) -> &'static str {
        match self {
            CutSide::Sender => "sender",
            CutSide::Receiver => "receiver",
        }
    }
}

/// The counts of one end for the frames of one incarnation of a sender: offered = delivered + lost + queued + in doubt +
/// retaken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CutAccount {
    /// Name of the cut, the same at both ends.
    pub cut: String,
    /// The node that is this end.
    pub node: String,
    /// The sender's incarnation.
    pub epoch: u64,
    /// Which end.
    pub side: CutSide,
    /// A receiver that took over from another one: how many frames the others had. They are not in its counts.
    pub start: u64,
    /// Frames that were to cross; at the receiver as far as the sender told it.
    pub offered: u64,
    /// Frames that the receiver has completed.
    pub delivered: u64,
    /// Frames lost by either end.
    pub lost: BTreeMap<LossReason, u64>,
    /// Frames that wait or are on the way.
    pub queued: u64,
    /// Frames with an unknown end, because one side died.
    pub in_doubt: u64,
    /// Frames taken back from a receiver that is gone, and sent to another one, in whose account they are offered too.
    pub retaken: u64,
    /// Beside the sum: frames that were sent again, and perhaps handled twice.
    pub sent_again: u64,
}

impl CutAccount {
    /// True when the sum closes.
    pub fn is_closed(&self) -> bool {
        self.offered == self.delivered + self.lost() + self.queued + self.in_doubt + self.retaken
    }

    /// Losses by any reason. Everything lost on a cut is lost unintendedly: the edge before it has its own losses.
    pub fn lost(&self) -> u64 {
        self.lost.values().sum()
    }
}

type Count = Box<dyn Fn() -> Vec<CutAccount> + Send>;

/// The service to which nodes give the accounts of their cuts, so that they are in the report of the run.
///
/// ```
/// use livetime_engine::Cuts;
/// let cuts = Cuts::default();
/// cuts.add(Vec::new);
/// assert!(cuts.accounts().is_empty());
/// ```
#[derive(Clone, Default)]
pub struct Cuts(Arc<Mutex<Vec<Count>>>);

impl Cuts {
    /// Adds a node's account. `count` is called at each reading, on any thread, also after the node has stopped.
    pub fn add(&self, count: impl Fn() -> Vec<CutAccount> + Send + 'static) {
        lock(&self.0).push(Box::new(count));
    }

    /// All accounts as they are now.
    pub fn accounts(&self) -> Vec<CutAccount> {
        lock(&self.0).iter().flat_map(|count| count()).collect()
    }
}

impl fmt::Debug for Cuts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cuts").field("count", &lock(&self.0).len()).finish()
    }
}
