//! A node that runs inside the calls of its sender.

use std::any::Any;

use livetime_frame::Frame;

use super::Runner;
use crate::edge::{InlineNode, Sent};

impl InlineNode for Runner {
    fn receive(&mut self, frame: &Frame, sent: Sent) {
        if self.finished {
            return;
        }
        self.come_to(sent.place);
        self.watch.start_at(sent.stamp_ns);
        // An inline node has one edge to it.
        Runner::receive(self, 0, frame, sent.stamp_ns);
    }

    fn promise(&mut self, place: u64) {
        self.ctx.promise(place);
    }

    fn finish(&mut self) {
        if !self.finished {
            Runner::finish(self);
        }
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}
