//! The leftovers of a client that has gone.

use std::collections::hash_map;

use super::channel::ServedChannel;
use super::core::SessionCore;
use super::operation::{Operation, OperationKind};
use super::price::{CLOSED, ENDED};

/// The operations and channels of a connection that is closed. A client may have 400,000 of them, which take 100 ms to
/// end, so they end over turns like anything else that one client makes the thread do.
pub(crate) struct Leaving {
    operations: hash_map::IntoIter<u32, Operation>,
    channels: Box<dyn Iterator<Item = ServedChannel> + Send>,
    core: SessionCore,
}

impl Leaving {
    pub(super) fn new(mut core: SessionCore) -> Leaving {
        // No thread leaves mail for the connection any more.
        core.mailbox.end();
        core.ready.clear();
        let operations = std::mem::take(&mut core.operations).into_iter();
        let channels = Box::new(core.channels.drain());
        Leaving { operations, channels, core }
    }

    /// Ends some of it. Returns whether there is more.
    pub(crate) fn work(&mut self, mut left: usize) -> bool {
        while left > 0 {
            // Operations leave first, because they belong to channels.
            if let Some((_, operation)) = self.operations.next() {
                note_unsent(&operation);
                self.core.end(operation);
                left = left.saturating_sub(ENDED);
            } else if let Some(channel) = self.channels.next() {
                self.core.closed(channel);
                left = left.saturating_sub(CLOSED);
            } else {
                return false;
            }
        }
        true
    }
}

/// The connection has ended before its client had every update of a monitor.
fn note_unsent(operation: &Operation) {
    if let OperationKind::Monitor { subscription, .. } = &operation.kind {
        subscription.view.pv.note_unsent(subscription.waiting());
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        while self.work(usize::MAX) {}
    }
}
