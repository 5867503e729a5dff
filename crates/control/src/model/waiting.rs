//! A caller that waits until a node has done its work.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use livetime_engine::Snapshot;

use super::action::{Asked, Change};

/// A caller that waits for the end of an acquisition, or of other work.
pub(super) struct Waiting {
    pub(super) asked: Asked,
    since: Instant,
    /// The parameter that is true as long as the work lasts; `None` if the source has none.
    pub(super) param: Option<usize>,
    /// Whether that is a capture.
    pub(super) is_capture: bool,
    /// The count of work done when all queues were seen empty; they are only if it is the same at the next look.
    pub(super) seen: Option<u64>,
    /// The node's answer to whether it is at work, if it was asked and has not answered.
    pub(super) is_at_work: Option<Receiver<Snapshot>>,
}

impl Waiting {
    pub(super) fn new(asked: Asked, param: Option<usize>, is_capture: bool) -> Waiting {
        Waiting { asked, since: Instant::now(), param, is_capture, seen: None, is_at_work: None }
    }

    pub(super) fn is_of(&self, node: usize) -> bool {
        self.asked.node == node
    }

    /// Whether frames that were sent before the end belong to the work: an acquisition's frames, and the frames of a
    /// buffer that captures.
    pub(super) fn sends_frames(&self) -> bool {
        match &self.asked.change {
            Change::Acquire { .. } => true,
            Change::LetWork(_) => self.is_capture,
            _ => false,
        }
    }

    /// How long until it is worth to look again: short acquisitions end soon.
    pub(super) fn interval(&self) -> Duration {
        (self.since.elapsed() / 50).clamp(Duration::from_millis(1), Duration::from_millis(20))
    }
}
