//! Calls of a node whose frames get attributes from outside.

use std::mem;
use std::sync::Arc;

use livetime_frame::{Frame, FrameMut};

use super::{Failure, Runner};
use crate::edge::Outputs;
use crate::node::{Context, DynNode, NodeError, NodeKind, Stamp};

impl Runner {
    pub(crate) fn set_stamp(&mut self, stamp: Option<Arc<dyn Stamp>>) {
        self.stamp = stamp;
    }

    /// Calls the node, and contains its failures.
    #[inline(always)]
    pub(super) fn call<R>(
        &mut self,
        call: impl FnOnce(&mut dyn DynNode, &mut Context) -> Result<R, NodeError>,
    ) -> Result<R, Failure> {
        match &self.stamp {
            None => self.call_plain(call),
            Some(stamp) => self.call_stamped(Arc::clone(stamp), call),
        }
    }

    /// As [`Runner::call`], but frames that the node sends get their attributes when it returns: then its readbacks
    /// belong to these frames. Cold, so that nodes without attributes do not pay for it.
    #[cold]
    #[inline(never)]
    fn call_stamped<R>(
        &mut self,
        stamp: Arc<dyn Stamp>,
        call: impl FnOnce(&mut dyn DynNode, &mut Context) -> Result<R, NodeError>,
    ) -> Result<R, Failure> {
        let direct = match &mut self.ctx.outputs {
            outputs @ Outputs::Direct(_) => Some(mem::replace(outputs, Outputs::Held(Vec::new()))),
            Outputs::Held(_) => None,
        };
        let result = self.call_plain(call);
        let mut sent = match &mut self.ctx.outputs {
            Outputs::Held(held) => mem::take(held),
            Outputs::Direct(_) => Vec::new(),
        };
        for (_, frame) in &mut sent {
            self.stamp_frame(&*stamp, frame);
        }
        match direct {
            None => {
                self.ctx.outputs = Outputs::Held(sent);
                result
            }
            Some(direct) => {
                self.ctx.outputs = direct;
                let passed = sent.into_iter().try_for_each(|(output, frame)| self.ctx.pass_on(output, frame));
                self.ctx.tell_receivers();
                result.and_then(|done| passed.map(|()| done).map_err(Failure::Error))
            }
        }
    }

    /// As [`Runner::handle`], with the attributes of this node on the frames of a sink.
    #[cold]
    #[inline(never)]
    pub(super) fn handle_stamped(&mut self, lane: usize, frames: &[Frame], stamps: &[u64]) {
        match self.stamped(frames) {
            Some(stamped) => self.handle(lane, &stamped, stamps),
            None => self.handle(lane, frames, stamps),
        }
    }

    /// The frames for a sink, with their attributes.
    fn stamped(&mut self, frames: &[Frame]) -> Option<Vec<Frame>> {
        let stamp = self.stamp.clone().filter(|_| self.node_type.spec.kind == NodeKind::Sink)?;
        let mut stamped = frames.to_vec();
        stamped.iter_mut().for_each(|frame| self.stamp_frame(&*stamp, frame));
        Some(stamped)
    }

    /// A frame without memory for a header of its own keeps the attributes that it has.
    fn stamp_frame(&mut self, stamp: &dyn Stamp, frame: &mut Frame) {
        let mut own: FrameMut = match self.ctx.relabel(frame) {
            Ok(own) => own,
            Err(error) => return self.ctx.tell_error(format!("attributes are missing: {error}")),
        };
        let header = own.header_mut();
        let mut attributes = mem::take(&mut header.attributes);
        stamp.stamp(self.node.params(), header, &mut attributes);
        header.attributes = attributes;
        *frame = own.freeze();
    }
}
