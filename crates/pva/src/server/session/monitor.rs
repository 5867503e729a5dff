//! Monitors: starting, stopping, and sending waiting updates.

use std::sync::Arc;

use super::core::SessionCore;
use super::operation::OperationKind;
use crate::Result;
use crate::proto::{Command, ReplyHead, RequestHead, sub};
use crate::server::pv::{NextUpdate, Subscription};
use crate::server::statistics::add;
use crate::wire::{HEADER_LEN, Header, Order, Reader, Status};

impl SessionCore {
    /// Carries out a client's request about a monitor. One that is unknown has ended meanwhile.
    pub(super) fn control(&mut self, head: RequestHead, mut body: Reader<'_>) -> Result<()> {
        let Some(operation) = self.operation(head.sid, head.ioid, head.command) else { return Ok(()) };
        let OperationKind::Monitor { subscription, running } = &mut operation.kind else { return Ok(()) };
        let mut wake = false;
        if head.sub & sub::PIPELINE != 0 {
            wake |= subscription.acknowledge(body.u32()?);
        }
        if head.sub & sub::STOP != 0 {
            let start = head.sub & sub::START == sub::START;
            match (start, std::mem::replace(running, start)) {
                (true, false) => wake |= subscription.view.start(subscription),
                (false, true) => subscription.view.stop(subscription),
                _ => {}
            }
        }
        // The operation is borrowed until here.
        let wake = wake.then(|| Arc::clone(subscription));
        self.ready.extend(wake);
        if head.is_last() {
            self.destroy(head.sid, head.ioid);
        }
        Ok(())
    }

    /// Sends about `budget` bytes of updates and at most `count` of them, one of each monitor in turn. Returns whether
    /// there are more.
    pub(super) fn send_updates(&mut self, budget: usize, count: &mut usize) -> Result<bool> {
        while *count > 0 && !self.output.is_blocked() && self.output.pending() < budget {
            let Some(subscription) = self.ready.pop_front() else { return Ok(false) };
            *count -= 1;
            // To the end of the row, so that a PV that changes all the time leaves the others their turn.
            if self.send_update(&subscription)? {
                self.ready.push_back(subscription);
            }
        }
        Ok(!self.ready.is_empty())
    }

    /// Returns whether it may have more.
    fn send_update(&mut self, subscription: &Arc<Subscription>) -> Result<bool> {
        let writer = self.output.writer();
        let mut next = subscription.next();
        if matches!(next, NextUpdate::Encode) {
            next = subscription.view.write_latest(subscription, writer);
        }
        let more = match next {
            NextUpdate::Nothing | NextUpdate::Encode => return Ok(false),
            NextUpdate::Finished => {
                self.end_monitor(subscription)?;
                return Ok(false);
            }
            NextUpdate::Body(body, more) => {
                writer.raw(&head(subscription.ioid, body.len()));
                body.write(writer);
                more
            }
            NextUpdate::Encoded(more) => more,
        };
        subscription.view.pv.made_room();
        add(&self.shared.counters.updates, 1);
        match subscription.take_squashed() {
            0 => {}
            count => add(&self.shared.counters.squashed, count),
        }
        Ok(more)
    }

    fn end_monitor(&mut self, subscription: &Arc<Subscription>) -> Result<()> {
        let ioid = subscription.ioid;
        let last = ReplyHead { command: Command::Monitor, ioid, sub: sub::DESTROY };
        let known = self.operations.get(&ioid).is_some_and(
            |op| matches!(&op.kind, OperationKind::Monitor { subscription: own, .. } if Arc::ptr_eq(own, subscription)),
        );
        if !known {
            return Ok(());
        }
        self.answer(last, &Status::OK)?;
        let sid = self.operations.get(&ioid).map_or(0, |operation| operation.sid);
        self.destroy(sid, ioid);
        Ok(())
    }
}

fn head(ioid: u32, body: usize) -> [u8; HEADER_LEN + 5] {
    // Bodies are kept below the bound of a message.
    let size = u32::try_from(body + 5).unwrap_or(u32::MAX);
    let mut head = [0; HEADER_LEN + 5];
    let header = Header::message(Order::HOST, true, Command::Monitor as u8, size);
    head[..HEADER_LEN].copy_from_slice(&header.encode());
    head[HEADER_LEN..HEADER_LEN + 4].copy_from_slice(&ioid.to_ne_bytes());
    head
}
