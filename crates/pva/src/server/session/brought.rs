//! The content of a request: the fields of a put, the arguments of a call. Many texts or elements are read over several turns.

use super::core::SessionCore;
use super::operation::OperationKind;
use super::price::READ;
use super::rest::{Brought, Reading, Rest};
use crate::Result;
use crate::data::{Dynamic, Part, Progress, Stop};
use crate::proto::{ReplyHead, Request, RequestHead};
use crate::server::Denial;
use crate::server::account::{Charge, SMALL};
use crate::wire::{Kept, Reader};

impl SessionCore {
    /// Reads the content of a request, and carries it out. Keeps it if the turn is too short.
    pub(super) fn bring(
        &mut self,
        request: Request<'_>,
        mut brought: Brought,
        left: &mut usize,
    ) -> Result<()> {
        let Request { head, mut body } = request;
        let bytes = body.remaining();
        let paused = self.read_on(&mut brought, &mut body, Vec::new(), left)?;
        let Some(parts) = paused else { return self.brought(head, brought, bytes) };
        let mut charge = Charge::new(&self.account);
        if body.remaining() > SMALL && !charge.set(body.remaining()) {
            // The types that the request defines must be known for later requests, even if this one is refused.
            let mut all = usize::MAX;
            self.read_on(&mut brought, &mut body, parts, &mut all)?;
            return self.brought(head, brought, bytes);
        }
        let rest = Kept::of(&mut body)?;
        let reading = Reading { head, brought, parts, rest, bytes, _charge: charge };
        self.rest.push_front(Rest::Reading(Box::new(reading)));
        Ok(())
    }

    /// Goes on with a request that is read in part.
    pub(super) fn more_of(&mut self, mut reading: Box<Reading>, left: &mut usize) -> Result<()> {
        let (brought, parts) = (&mut reading.brought, std::mem::take(&mut reading.parts));
        let paused = reading.rest.read(|reader| self.read_on(brought, reader, parts, left))?;
        let Some(parts) = paused else {
            let Reading { head, brought, bytes, .. } = *reading;
            return self.brought(head, brought, bytes);
        };
        self.rest.push_front(Rest::Reading(Box::new(Reading { parts, ..*reading })));
        Ok(())
    }

    /// Reads on from where `parts` says. Returns where it paused, if it did.
    fn read_on(
        &mut self,
        brought: &mut Brought,
        reader: &mut Reader<'_>,
        parts: Vec<Part>,
        left: &mut usize,
    ) -> Result<Option<Vec<Part>>> {
        let cache = &mut self.received_types;
        let mut progress = Progress { cache, left: left.saturating_mul(READ), parts };
        let read = match brought {
            Brought::Changes(value, bits) => value.read_bits(reader, &mut progress, bits),
            Brought::Arguments(arguments) => Dynamic::read_into(arguments, reader, &mut progress),
        };
        *left = (*left).min(progress.left / READ);
        match read {
            Ok(()) => Ok(None),
            Err(Stop::Paused) => Ok(Some(progress.parts)),
            Err(Stop::Wrong(error)) => Err(error),
        }
    }

    /// Carries out a request that was read as a whole. Meanwhile the client asked for nothing else.
    fn brought(&mut self, head: RequestHead, brought: Brought, bytes: usize) -> Result<()> {
        let operation = self.operation(head.sid, head.ioid, head.command).map(|operation| &operation.kind);
        match (operation, brought) {
            (
                Some(
                    OperationKind::Put { view, options, .. }
                    | OperationKind::PutGet { put: view, options, .. },
                ),
                Brought::Changes(mut value, _),
            ) => {
                let (view, options) = (view.clone(), std::sync::Arc::clone(options));
                if let Some(selection) = view.selection() {
                    // A client may name fields that it did not select; they are not written.
                    value.changed = selection.apply(&value.structure, &value.changed);
                }
                self.put(head, view.pv, (value, bytes), options, false)
            }
            (Some(OperationKind::Call { target, options }), Brought::Arguments(arguments)) => {
                let (target, options) = (target.clone(), std::sync::Arc::clone(options));
                self.call(head, target, options, arguments.map(|arguments| *arguments), bytes)
            }
            _ => {
                let RequestHead { command, ioid, sub, .. } = head;
                self.answer(ReplyHead { command, ioid, sub }, &Denial::RequestId.into())
            }
        }
    }
}
