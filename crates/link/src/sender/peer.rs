//! The receiver as its sender knows it.

use crate::message::Credit;
use crate::{Losses, Standing};

/// The receiver that is connected, or was last.
#[derive(Debug)]
pub(super) struct Peer {
    pub(super) epoch: u64,
    pub(super) standing: Standing,
    /// Room from `standing.received` on.
    pub(super) credit: Credit,
    /// Where it began.
    pub(super) start: u64,
}

/// A receiver that has said hello.
#[derive(Debug)]
pub(super) struct Caller {
    /// Number of its connection.
    pub(super) session: u64,
    pub(super) epoch: u64,
    /// How far it came with us: from its memory if we know it, else from its store.
    pub(super) standing: Option<Standing>,
    pub(super) credit: Credit,
    /// The position from which it has given credit.
    pub(super) credit_from: u64,
    /// Where the frames for it start.
    pub(super) start: u64,
    /// Losses of receivers before the start.
    pub(super) lost: Losses,
    pub(super) is_welcomed: bool,
}

impl Peer {
    /// Takes over the credit that was given with `received`. A credit from before is worth less, and is dropped; of two
    /// with the same position the larger one is newer, because a receiver never takes a credit back.
    pub(super) fn allow(&mut self, received: u64, credit: Credit) {
        if received == self.standing.received {
            self.credit.frames = self.credit.frames.max(credit.frames);
            self.credit.bytes = self.credit.bytes.max(credit.bytes);
        }
    }
}
