//! The last frame of a node that shall be able to handle it once more.

use std::sync::Arc;

use livetime_frame::Frame;

use crate::edge::Edge;

/// The last frame, kept from the first request to handle it once more. A node without such a request keeps none, because
/// the sources would lack its memory.
#[derive(Default)]
pub(super) struct Again {
    keeps: bool,
    last: Option<(Arc<Edge>, Frame)>,
}

impl Again {
    #[inline(always)]
    pub(super) fn keep(&mut self, edge: &Arc<Edge>, frames: &[Frame]) {
        if self.keeps {
            self.last = frames.last().map(|frame| (edge.clone(), frame.clone()));
        }
    }

    /// The last frame and the edge on which it came. The first call begins to keep frames and finds none.
    pub(super) fn last(&mut self) -> Option<(Arc<Edge>, Frame)> {
        self.keeps = true;
        self.last.clone()
    }
}
