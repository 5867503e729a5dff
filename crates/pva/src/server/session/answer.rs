//! Answers to operations, and their end.

use super::core::SessionCore;
use super::operation::{Operation, OperationKind};
use crate::data::Dynamic;
use crate::proto::{Command, ReplyHead, sub};
use crate::server::Denial;
use crate::server::pv::{Completion, View};
use crate::server::statistics::subtract;
use crate::wire::{Header, Order, Status, Writer};
use crate::{Error, Result};

impl SessionCore {
    /// The operation that `head` means, if it is there and of this kind.
    pub(super) fn operation(&mut self, sid: u32, ioid: u32, command: Command) -> Option<&mut Operation> {
        let operation = self.operations.get_mut(&ioid)?;
        (operation.sid == sid && operation.command == command).then_some(operation)
    }

    /// Ends an operation; unknown ones are of no interest.
    pub(super) fn destroy(&mut self, sid: u32, ioid: u32) {
        if self.operations.get(&ioid).is_none_or(|operation| operation.sid != sid) {
            return;
        }
        // Removed first: the consequences of its end must not find it.
        let Some(operation) = self.operations.remove(&ioid) else { return };
        if let Some(channel) = self.channel_mut(sid) {
            channel.live = channel.live.saturating_sub(1);
        }
        self.end(operation);
    }

    pub(super) fn cancel(&mut self, sid: u32, ioid: u32) {
        if let Some(operation) = self.operations.get_mut(&ioid).filter(|operation| operation.sid == sid) {
            operation.running = None;
        }
    }

    /// Releases the memory of an operation that is not in the list any more.
    pub(super) fn end(&self, operation: Operation) {
        self.account.give(Operation::memory(operation.command));
        match operation.kind {
            OperationKind::Get(view) | OperationKind::Put { view, .. } => view.close(),
            OperationKind::PutGet { put, get, .. } => {
                put.close();
                get.close();
            }
            OperationKind::Monitor { subscription, .. } => {
                // In this order: a stopped monitor gets nothing more, then its host may have another, then its fields are
                // no longer encoded.
                subscription.view.stop(&subscription);
                subscription.view.unwatch(subscription.host());
                subscription.view.close();
                subtract(&self.shared.counters.subscriptions, 1);
            }
            OperationKind::Process { .. } | OperationKind::Call { .. } => {}
        }
    }

    /// Answers with `status` alone.
    pub(super) fn answer(&mut self, head: ReplyHead, status: &Status) -> Result<()> {
        head.encode(self.output.writer(), Some(status), |_| {})
    }

    /// Sends the answer to a put or a call that its owner has given.
    pub(super) fn complete(&mut self, completion: Completion) -> Result<()> {
        let Completion { ioid, serial, result } = completion;
        let Some(operation) = self.operations.get_mut(&ioid).filter(|op| op.serial == serial) else {
            return Ok(());
        };
        let Some(sub) = operation.running.take() else { return Ok(()) };
        // The owner may have answered an execution that the client has cancelled: the serial tells.
        let (sid, head) = (operation.sid, ReplyHead { command: operation.command, ioid, sub });
        let writer = self.output.writer();
        match (result, &operation.kind) {
            (Err(status), _) => head.encode(writer, Some(&status), |_| {}),
            (Ok(result), OperationKind::Call { .. }) => write_result(writer, head, result),
            (Ok(_), OperationKind::PutGet { get, .. }) => write_current(writer, head, get),
            (Ok(_), _) => head.encode(writer, Some(&Status::OK), |_| {}),
        }?;
        self.finish_if_last(sid, head);
        Ok(())
    }

    pub(super) fn finish_if_last(&mut self, sid: u32, head: ReplyHead) {
        if head.sub & sub::DESTROY != 0 {
            self.destroy(sid, head.ioid);
        }
    }
}

/// Writes the answer to a call. One that no message can hold becomes an error.
pub(super) fn write_result(writer: &mut Writer, head: ReplyHead, result: Option<Dynamic>) -> Result<()> {
    let written = head.encode(writer, Some(&Status::OK), |w| match &result {
        Some(result) => result.encode(w),
        None => w.null(),
    });
    written.or_else(|error: Error| head.encode(writer, Some(&Status::from(error)), |_| {}))
}

/// Writes the current value as the answer to a get.
#[inline]
pub(super) fn write_current(writer: &mut Writer, head: ReplyHead, view: &View) -> Result<()> {
    let written = view.answer(|body| {
        writer.raw(&success_head(head, body.len()));
        writer.encoded(body);
    });
    match written {
        Some(()) => Ok(()),
        // The PV was given another type or closed after the operation began.
        None => head.encode(writer, Some(&Denial::NoValue.into()), |_| {}),
    }
}

/// Everything in front of the body of a successful answer.
#[inline]
fn success_head(head: ReplyHead, body: usize) -> [u8; 14] {
    // Bodies are kept below the bound of a message.
    let size = u32::try_from(body + 6).unwrap_or(u32::MAX);
    let [a, b, c, d, e, f, g, h] = Header::message(Order::HOST, true, head.command as u8, size).encode();
    let [i, j, k, l] = head.ioid.to_ne_bytes();
    [a, b, c, d, e, f, g, h, i, j, k, l, head.sub, 0xFF]
}
