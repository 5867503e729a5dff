//! What the program asks of a node between two frames: to handle its last frame once more, and to make or free memory.

use std::fmt;

use livetime_frame::{FramePool, PoolExhausted};

use super::Runner;

/// Why a node does not do what it is asked for.
#[derive(Debug)]
pub(crate) enum RequestError {
    Ended(String),
    InPool,
    NoFrameToRepeat,
    Disconnected,
    NoRoom,
    NoFrameToMeasure,
    /// More buffers than the memory for frames holds.
    TooMany {
        most: usize,
        found: usize,
    },
    Exhausted(PoolExhausted),
}

impl fmt::Display for RequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RequestError::Ended(name) => return write!(f, "node `{name}` has ended"),
            RequestError::InPool => "wanted a node on one thread, found one in a pool, which keeps no frame",
            RequestError::NoFrameToRepeat => {
                "wanted a frame to handle again, found none: the node keeps its last one from now on"
            }
            RequestError::Disconnected => "wanted the input of the last frame, found it disconnected",
            RequestError::NoRoom => "wanted room in the queues behind the node, found one full",
            RequestError::NoFrameToMeasure => "wanted a frame whose size buffers get, found none yet",
            RequestError::TooMany { most, found } => {
                return write!(
                    f,
                    "wanted at most {most} buffers, which fit into the memory for frames, found {found}"
                );
            }
            RequestError::Exhausted(error) => return error.fmt(f),
        })
    }
}

impl Runner {
    /// Handles the last frame once more. The first call only begins to keep frames.
    pub(crate) fn process_again(&mut self) -> Result<(), RequestError> {
        if self.finished {
            return Err(RequestError::Ended(self.ctx.name.to_string()));
        }
        if self.reorder.is_some() {
            return Err(RequestError::InPool);
        }
        let Some((edge, frame)) = self.again.last() else {
            return Err(RequestError::NoFrameToRepeat);
        };
        let is_same = |lane: &usize| self.inputs[*lane].edge.to == edge.to;
        let Some(lane) = (0..self.inputs.len()).find(is_same) else {
            return Err(RequestError::Disconnected);
        };
        if !self.outputs_ready() {
            return Err(RequestError::NoRoom);
        }
        self.inputs[lane].edge.offer_again();
        self.receive(lane, &frame, 0);
        Ok(())
    }

    /// Makes `count` buffers of the size of the last frame.
    pub(crate) fn preallocate(&mut self, count: usize) -> Result<(), RequestError> {
        let last = self.ctx.last.and_then(|last| last.layout);
        let bytes = last.ok_or(RequestError::NoFrameToMeasure)?.span();
        let most = self.ctx.allocator.limit_bytes() / FramePool::cost_bytes(bytes);
        if count > most {
            return Err(RequestError::TooMany { most, found: count });
        }
        self.ctx.allocator.preallocate(bytes, count).map_err(RequestError::Exhausted)
    }

    /// Gives back all memory that is not in use; returns the number of buffers.
    pub(crate) fn release_free(&mut self) -> usize {
        self.ctx.allocator.release_free()
    }
}
