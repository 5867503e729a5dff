//! What a node may say from any of its threads: what becomes of frames that are under way when their handler has returned, and what
//! happens beside frames.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use livetime_runtime::{Clock, Event};

use crate::account::NodeAccount;
use crate::control::RunControl;

/// Speaks for one frame whose handler returns before it is known what becomes of the frame, as when threads of the node's own go on with it. The
/// ledger has the frame as received, and neither completed nor lost, until this says which. See
/// [`Context::under_way`](super::Context::under_way).
///
/// It may be settled on any thread, and must be by the end of [`Node::stop`](super::Node::stop). Dropped without a word it is a loss.
#[derive(Debug)]
#[must_use = "a frame that nobody speaks for is lost"]
pub struct UnderWay {
    /// `None` when it is settled.
    ledger: Option<Arc<Ledger>>,
}

/// Where it is said.
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

    /// The frame is lost for the reason that `why` gives: it is counted as an error of the node, and told. The node's policy for
    /// errors does not apply any more.
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

    /// The node has done its work: after errors, that is worth telling when it lasts.
    fn settle(&self) {
        if self.account.is_troubled.load(Relaxed) && self.control.well(&self.node, self.clock.now_ns()) {
            self.account.is_troubled.store(false, Relaxed);
        }
    }
}

/// Speaks for a node where there is no [`Context`](super::Context): in [`Node::stop`](super::Node::stop), and on threads of the node's own.
/// See [`Context::teller`](super::Context::teller).
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
