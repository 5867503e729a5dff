//! Looking at a node without waiting for it.

use std::sync::Arc;
use std::sync::mpsc::Receiver;

use livetime_frame::{Header, Layout, Payload};

use super::Run;
use crate::{ParamError, Value};

/// What a node tells of itself between two of its frames.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The parameters that were asked for, in that order.
    pub values: Vec<Value>,
    /// Its last frame, if the run remembers frames
    /// ([`RunOptions::remember_frames`](crate::RunOptions::remember_frames)): of a source the last one sent, else
    /// the last one received.
    pub last: Option<LastFrame>,
}

/// What a frame was.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LastFrame {
    /// Its number.
    pub sequence: u64,
    /// When it happened, ns since 1970.
    pub event_time_ns: i64,
    /// How it lay in memory; `None` if it was no array.
    pub layout: Option<Layout>,
}

impl LastFrame {
    pub(crate) fn of(header: &Header, payload: &Payload) -> LastFrame {
        let layout = match payload {
            Payload::Array(layout) => Some(*layout),
            _ => None,
        };
        LastFrame { sequence: header.sequence, event_time_ns: header.event_time_ns, layout }
    }
}

impl Run {
    /// Asks node number `node` for the parameters `params` (by number) and for its last frame. Returns at once;
    /// the answer comes when the node has handled the frame it is at. Of a pool the first copy answers.
    ///
    /// This is for those who look at many nodes again and again: nobody waits for a slow one, and a node is
    /// interrupted once for all its parameters.
    ///
    /// # Errors
    /// [`ParamError`] when the node has ended or does not exist.
    pub fn look(&self, node: usize, params: Arc<[usize]>) -> Result<Receiver<Snapshot>, ParamError> {
        let info = self.nodes.get(node);
        let worker = info.and_then(|n| n.workers.first()).copied();
        let worker = worker.ok_or_else(|| ParamError::new(format!("there is no node number {node}")))?;
        self.begin(worker, node, move |runner| runner.snapshot(&params))
    }
}
