//! Frames that are under way when their handler has returned.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use crate::account::NodeAccount;
use crate::clock::Clock;
use crate::control::{Control, Event};

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
    pub(super) control: Arc<Control>,
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
        let (at_ns, node) = (ledger.clock.now_ns(), ledger.node.to_string());
        ledger.control.tell(Event { at_ns, node, is_error: true, message });
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.lose("a frame was given up while it was under way".into());
    }
}
