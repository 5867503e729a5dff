//! Requests of the program to a node between two frames: to show its values, to pause, to handle its last frame once
//! more, and to make or free memory.

use std::any::Any;

use livetime_frame::FramePool;

use super::{Runner, values};
use crate::node::Snapshot;
use crate::{NodeError, Refusal, Value};

impl Runner {
    /// All parameters, readbacks included, in the order of their declaration.
    pub(crate) fn params(&mut self) -> Vec<Value> {
        values(&mut *self.node)
    }

    /// Some parameters, and the last frame.
    pub(crate) fn snapshot(&mut self, wanted: &[usize]) -> Snapshot {
        let params = self.node.params();
        let values = wanted.iter().filter_map(|i| params.get(*i)).collect();
        Snapshot { values, last: self.ctx.last, free_buffers: self.ctx.allocator.count_free() }
    }

    /// A source that is paused produces nothing.
    pub(crate) fn pause(&mut self, paused: bool) {
        self.paused = paused;
    }

    /// The node itself, for tests and benchmarks.
    pub(crate) fn node(&mut self) -> &mut dyn Any {
        &mut *self.node
    }

    /// Handles the last frame once more. The first call only begins to keep frames.
    pub(crate) fn process_again(&mut self) -> Result<(), Refusal> {
        if self.finished {
            return Err(self.ended());
        }
        if self.reorder.is_some() {
            return Err(Refusal::state("a node on one thread", "one in a pool, which keeps no frame"));
        }
        let Some((edge, frame)) = self.again.last() else {
            let found = "none: the node keeps its last one from now on";
            return Err(Refusal::state("a frame to handle again", found));
        };
        let is_same = |lane: &usize| self.inputs[*lane].edge.to == edge.to;
        let Some(lane) = (0..self.inputs.len()).find(is_same) else {
            return Err(Refusal::state("the input of the last frame", "it disconnected"));
        };
        if !self.outputs_ready() {
            return Err(Refusal::state("room in the queues behind the node", "one full"));
        }
        self.inputs[lane].edge.offer_again();
        self.receive(lane, &frame, 0);
        Ok(())
    }

    /// Makes `count` buffers of the size of the last frame.
    pub(crate) fn preallocate(&mut self, count: usize) -> Result<(), Refusal> {
        let last = self.ctx.last.and_then(|last| last.layout);
        let bytes = last.ok_or_else(|| Refusal::state("a frame whose size buffers get", "none yet"))?.span();
        let most = self.ctx.allocator.limit_bytes() / FramePool::cost_bytes(bytes);
        if count > most {
            return Err(Refusal::value(
                format!("at most {most} buffers, which fit into the memory for frames"),
                count,
            ));
        }
        self.ctx.allocator.preallocate(bytes, count).map_err(|e| NodeError::from(e).refusal())
    }

    /// Gives back all memory that is not in use; returns the number of buffers.
    pub(crate) fn release_free(&mut self) -> usize {
        self.ctx.allocator.release_free()
    }
}
