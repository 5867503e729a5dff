//! The beginning of an operation.

use std::sync::Arc;

use super::channel::Target;
use super::core::SessionCore;
use super::operation::{Operation, OperationKind};
use crate::data::Structure;
use crate::proto::{Command, Init, ReplyHead, Request, RequestHead, sub};
use crate::request::Options;
use crate::server::Denial;
use crate::server::account::Charge;
use crate::server::pv::{Depth, Subscription, View};
use crate::server::statistics::add;
use crate::wire::Status;
use crate::{Error, Result};

/// The types in the answer: none, one, or the two of PUT_GET.
type Types = [Option<Arc<Structure>>; 2];

impl SessionCore {
    pub(super) fn init(&mut self, request: Request<'_>) -> Result<()> {
        let head = request.head;
        // First of all, since it may bring types with numbers.
        let init = request.init(&mut self.received_types)?;
        if self.operations.contains_key(&head.ioid) {
            return Err(Error::new(
                "a request number that is free",
                format!("{:#X}, which is not", head.ioid),
            ));
        }
        // Some clients want exactly this one for a monitor with a window.
        let reply = ReplyHead { command: head.command, ioid: head.ioid, sub: head.sub & !sub::PIPELINE };
        // A number that is taken ends the connection, since the client has lost its count; other failures are answered.
        match self.prepare(head, &init) {
            Err(status) => self.answer(reply, &status),
            Ok((kind, types)) => {
                self.begin(head, kind);
                let (writer, sent) = (self.output.writer(), &mut self.sent_types);
                reply.encode(writer, Some(&Status::OK), |w| {
                    types.iter().flatten().for_each(|structure| match sent {
                        Some(sent) => sent.encode(w, structure),
                        None => structure.encode(w),
                    });
                })
            }
        }
    }

    fn begin(&mut self, head: RequestHead, kind: OperationKind) {
        let RequestHead { sid, ioid, command, .. } = head;
        self.serial = self.serial.wrapping_add(1);
        let operation = Operation { sid, command, serial: self.serial, running: None, kind };
        self.operations.insert(ioid, operation);
        let operations = &self.operations;
        let place = sid as usize % (1 << 20);
        if let Some(channel) = self.channels.get_mut(place) {
            channel.begin(ioid, |ioid| operations.get(&ioid).is_some_and(|op| op.sid == sid));
        }
    }

    /// The state of the operation, and the types that are sent to the client.
    fn prepare(
        &mut self,
        head: RequestHead,
        init: &Init,
    ) -> std::result::Result<(OperationKind, Types), Status> {
        if self.operations.len() >= self.shared.limits.requests {
            return Err(Denial::Requests.into());
        }
        if !self.account.take(Operation::memory(head.command)) {
            return Err(Denial::Memory.into());
        }
        let prepared = self.prepare_paid(head, init);
        if prepared.is_err() {
            self.account.give(Operation::memory(head.command));
        }
        prepared
    }

    fn prepare_paid(
        &mut self,
        head: RequestHead,
        init: &Init,
    ) -> std::result::Result<(OperationKind, Types), Status> {
        let channel = self.channel(head.sid).ok_or(Denial::ChannelId)?;
        let options = Arc::new(Options::of(&init.request));
        let target = channel.target.clone();
        let Target::Pv { pv, .. } = &target else {
            return match head.command {
                Command::Rpc => Ok((OperationKind::Call { target, options }, [None, None])),
                _ => Err(Denial::NoValue.into()),
            };
        };
        let view = |part| View::open(pv, &init.request, part);
        match head.command {
            Command::Get => view("field").map(|(view, ty)| (OperationKind::Get(view), [Some(ty), None])),
            Command::Put => view("field").map(|(view, structure)| {
                let ty = Some(Arc::clone(&structure));
                (OperationKind::Put { view, structure, options }, [ty, None])
            }),
            Command::PutGet => {
                let (put, structure) = view("putField")?;
                let (get, second) = view("getField").inspect_err(|_| put.close())?;
                let types = [Some(Arc::clone(&structure)), Some(second)];
                Ok((OperationKind::PutGet { put, get, structure, options }, types))
            }
            Command::Monitor => {
                let (view, ty) = view("field")?;
                let (host, limit) = (self.peer.address.ip(), self.shared.limits.monitors_per_pv);
                // Each monitor of a PV costs every update some time, so their number per host is bounded.
                view.watch(host, limit).inspect_err(|_| view.close())?;
                Ok((self.subscribe(head.ioid, view, &options, init.window), [Some(ty), None]))
            }
            Command::Process => Ok((OperationKind::Process { pv: pv.clone(), options }, [None, None])),
            Command::Rpc => match pv.call_handler() {
                Some(_) => Ok((OperationKind::Call { target, options }, [None, None])),
                None => Err(Denial::NoCall.into()),
            },
            _ => Err(Denial::NotSupported.into()),
        }
    }

    fn subscribe(&self, ioid: u32, view: View, options: &Options, window: Option<u32>) -> OperationKind {
        let limits = &self.shared.limits;
        let queue = (options.queue_size as usize).clamp(1, limits.queue.max(1));
        let mailbox = Arc::clone(&self.mailbox);
        let charge = Charge::new(&self.account);
        let depth = Depth { updates: queue, bytes: limits.queue_bytes, window, charge };
        let subscription = Subscription::new(ioid, view, depth, self.peer.address.ip(), mailbox);
        add(&self.shared.counters.subscriptions, 1);
        OperationKind::Monitor { subscription: Arc::new(subscription), running: false }
    }
}
