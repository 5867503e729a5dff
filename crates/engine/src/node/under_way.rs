//! Reports that a node may make from any of its threads: the results of frames that are under way after their
//! handler has returned, and events.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use livetime_runtime::{Clock, Event};

use crate::account::NodeAccount;
use crate::control::RunControl;

/// Reports the result of one frame whose handler returns before the frame is completed, for example because
/// threads of the node continue to work on it. Until then the ledger counts the frame as received, and
/// neither as completed nor as lost. See [`Context::under_way`](super::Context::under_way).
///
/// It may be settled on any thread, and must be by the end of [`Node::stop`](super::Node::stop). If it is dropped
/// without being settled, the frame is a loss.
#[derive(Debug)]
#[must_use = "a frame that nobody speaks for is lost"]
pub struct UnderWay {
    /// `None` after the report.
    ledger: Option<Arc<Ledger>>,
}

/// Where it is reported.
pub(crate) struct Ledger {
    pub(super) account: Arc<NodeAccount>,
    pub(super) control: Arc<RunControl>,
    pub(super) clock: Clock,
    pub(super) node: Arc<str>,
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Ledger").field(&self.node).finish()
    }
}

impl UnderWay {
    pub(super) fn new(ledger: Arc<Ledger>) -> UnderWay {
        UnderWay { ledger: Some(ledger) }
    }

    /// The frame came to a good end.
    pub fn completed(mut self) {
        if let Some(ledger) = self.ledger.take() {
            ledger.account.completed_later.fetch_add(1, Relaxed);
            ledger.settle();
        }
    }

    /// The frame is lost because of `why`: it is counted as an error of the node, and the error is reported.
    /// The node's policy for errors does not apply any more.
    pub fn lost(mut self, why: impl Into<String>) {
        self.lose(why.into());
    }

    fn lose(&mut self, message: String) {
        let Some(ledger) = self.ledger.take() else { return };
        ledger.account.failed_later.fetch_add(1, Relaxed);
        ledger.account.is_troubled.store(true, Relaxed);
        ledger.tell(true, message);
    }
}

impl Ledger {
    fn tell(&self, is_error: bool, message: String) {
        let (at_ns, node) = (self.clock.now_ns(), self.node.to_string());
        self.control.tell(Event { at_ns, node, is_error, message, cause: None });
    }

    /// The node has completed work; after errors this is reported as a recovery if it lasts.
    fn settle(&self) {
        if self.account.is_troubled.load(Relaxed) && self.control.well(&self.node, self.clock.now_ns()) {
            self.account.is_troubled.store(false, Relaxed);
        }
    }
}

/// Reports events of a node where there is no [`Context`](super::Context): in
/// [`Node::stop`](super::Node::stop), and on threads of the node's own. See
/// [`Context::teller`](super::Context::teller).
#[derive(Clone, Debug)]
pub struct Teller {
    pub(super) ledger: Arc<Ledger>,
}

impl Teller {
    /// As [`Context::tell`](super::Context::tell).
    pub fn tell(&self, message: impl Into<String>) {
        self.ledger.tell(false, message.into());
    }

    /// As [`Context::tell_error`](super::Context::tell_error).
    pub fn tell_error(&self, message: impl Into<String>) {
        self.ledger.tell(true, message.into());
    }

    /// Ends the sources of the run, as [`Run::stop`](crate::Run::stop): another program that the node works with has ended.
    pub fn stop_run(&self) {
        self.ledger.control.ask_to_stop();
    }

    /// Aborts the run, as [`Run::abort`](crate::Run::abort): another program that the node works with was aborted. The report
    /// names the node as unfinished, with this message.
    pub fn abort_run(&self, message: impl Into<String>) {
        self.tell_unfinished(message);
        self.ledger.control.abort_by_node();
    }

    /// As [`Context::unreadable`](super::Context::unreadable).
    pub fn unreadable(&self, frames: u64, why: impl Into<String>) {
        self.ledger.account.unreadable.fetch_add(frames, Relaxed);
        self.tell_error(why);
    }

    /// As [`Context::unknown`](super::Context::unknown).
    pub fn unknown(&self, since_ns: i64, what: impl Into<String>) {
        // The first one stays.
        let _ = self.ledger.account.unknown_since_ns.compare_exchange(0, since_ns, Relaxed, Relaxed);
        self.ledger.account.unknown.fetch_add(1, Relaxed);
        self.tell_error(what);
    }

    /// As [`Context::tell_unfinished`](super::Context::tell_unfinished).
    pub fn tell_unfinished(&self, message: impl Into<String>) {
        let message = message.into();
        self.ledger.control.leave_unfinished(&self.ledger.node, &message);
        self.ledger.tell(true, message);
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.lose("a frame was given up while it was under way".into());
    }
}
