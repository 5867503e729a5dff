//! What the program asks of a node between two frames: to handle its last frame once more, and to make or free memory.

use livetime_frame::FramePool;

use super::Runner;

impl Runner {
    /// Handles the last frame once more. The first call only begins to keep frames.
    pub(crate) fn process_again(&mut self) -> Result<(), String> {
        if self.finished {
            return Err(format!("node `{}` has ended", self.ctx.name));
        }
        if self.reorder.is_some() {
            return Err("wanted a node on one thread, found one in a pool, which keeps no frame".into());
        }
        let Some((edge, frame)) = self.again.last() else {
            return Err(
                "wanted a frame to handle again, found none: the node keeps its last one from now on".into(),
            );
        };
        let is_same = |lane: &usize| self.inputs[*lane].edge.to == edge.to;
        let Some(lane) = (0..self.inputs.len()).find(is_same) else {
            return Err("wanted the input of the last frame, found it disconnected".into());
        };
        if !self.outputs_ready() {
            return Err("wanted room in the queues behind the node, found one full".into());
        }
        self.inputs[lane].edge.offer_again();
        self.receive(lane, &frame, 0);
        Ok(())
    }

    /// Makes `count` buffers of the size of the last frame.
    pub(crate) fn preallocate(&mut self, count: usize) -> Result<(), String> {
        let last = self.ctx.last.and_then(|last| last.layout);
        let bytes = last.ok_or("wanted a frame whose size buffers get, found none yet")?.span();
        let most = self.ctx.allocator.limit_bytes() / FramePool::cost_bytes(bytes);
        if count > most {
            return Err(format!(
                "wanted at most {most} buffers, which fit into the memory for frames, found {count}"
            ));
        }
        self.ctx.allocator.preallocate(bytes, count).map_err(|e| e.to_string())
    }

    /// Gives back all memory that is not in use; returns the number of buffers.
    pub(crate) fn release_free(&mut self) -> usize {
        self.ctx.allocator.release_free()
    }
}
