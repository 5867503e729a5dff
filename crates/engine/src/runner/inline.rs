//! A node that runs inside the calls of its sender.

use std::any::Any;

use livetime_frame::Frame;

use super::Runner;
use crate::edge::InlineNode;

impl InlineNode for Runner {
    fn receive(&mut self, frame: &Frame, stamp_ns: u64) {
        if self.finished {
            return;
        }
        self.watch.start_at(stamp_ns);
        // An inline node has one edge to it.
        Runner::receive(self, 0, frame, stamp_ns);
    }

    fn come_to(&mut self, place: u64) {
        if !self.finished {
            Runner::come_to(self, place);
        }
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
