//! The two ways of sending: the prepared batches unchanged, or with faults.

use livetime_engine::{Context, NodeError};
use livetime_frame::FrameMut;

use super::direct::{Batch, Direct, Sent};
use super::faults::Fault;
use super::faulty::Faulty;
use super::prepare::Ring;
use crate::wires::SimulationSetup;
use livetime_wire::State;
use livetime_wire::sources::tell_losses;

/// Sends batches and the ledger.
pub(super) enum Feed {
    Direct(Direct),
    Faulty(Faulty),
}

impl Feed {
    pub(super) fn new(
        setup: &SimulationSetup,
        batch_frames: usize,
        rings: Vec<Ring>,
        faults: &[Fault],
        sequence: u64,
    ) -> Feed {
        match faults {
            [] => Feed::Direct(Direct::new(setup.format, batch_frames, rings, sequence)),
            _ => Feed::Faulty(Faulty::new(setup, batch_frames, rings, faults, sequence)),
        }
    }

    /// # Errors
    /// [`NodeError`] when there is no memory, or an edge refuses: the batch is lost, and reported in the ledger.
    pub(super) fn send(&mut self, batch: Batch, ctx: &mut Context) -> Result<Sent, NodeError> {
        match self {
            Feed::Direct(direct) => direct.send(batch, ctx),
            Feed::Faulty(faulty) => faulty.send(batch, ctx).map(|()| Sent::Yes),
        }
    }

    /// A batch is not sent. With faults the account of the link sees that its frames are missing.
    pub(super) fn lose(&mut self, batch: Batch, ctx: &Context) {
        if let Feed::Direct(direct) = self {
            direct.account(batch, State::Dropped);
            ctx.lost_at_source(1);
        }
    }

    /// At the end: reports the frames that were lost or damaged on purpose.
    pub(super) fn tell_losses(&self, ctx: &Context) {
        if let Feed::Faulty(faulty) = self {
            tell_losses(&faulty.sender.counts(), 0, 1, ctx);
        }
    }

    /// Sends the ledger when it is time to.
    ///
    /// # Errors
    /// [`NodeError`] when there is no memory for it, then it is sent later, or an edge refuses.
    pub(super) fn tell(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        match self {
            Feed::Direct(direct) => direct.tell(false, ctx),
            Feed::Faulty(faulty) => faulty.sender.tell(ctx),
        }
    }

    /// Sends the remaining frames.
    ///
    /// # Errors
    /// As [`Feed::tell`].
    pub(super) fn finish(&mut self, ctx: &mut Context) -> Result<(), NodeError> {
        match self {
            Feed::Direct(direct) => direct.tell(true, ctx),
            Feed::Faulty(faulty) => faulty.sender.finish(ctx),
        }
    }

    /// Sends a table to another output.
    ///
    /// # Errors
    /// [`NodeError`] when an edge refuses.
    pub(super) fn emit(
        &mut self,
        output: usize,
        mut table: FrameMut,
        ctx: &mut Context,
    ) -> Result<(), NodeError> {
        match self {
            Feed::Direct(direct) => {
                table.header_mut().sequence = direct.sequence;
                direct.sequence += 1;
                ctx.emit_to(output, table)
            }
            Feed::Faulty(faulty) => faulty.sender.emit(output, table, ctx),
        }
    }

    /// Frames and tables sent, and the number of the next one.
    pub(super) fn sequence(&self) -> u64 {
        match self {
            Feed::Direct(direct) => direct.sequence,
            Feed::Faulty(faulty) => faulty.sender.sent(),
        }
    }
}
