//! The state of a node between two of its frames, for [`Run::look`](crate::Run::look).

use livetime_frame::{Header, Layout, Payload};

use crate::Value;

/// The state of a node, read between two of its frames.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The requested parameters, in that order.
    pub values: Vec<Value>,
    /// The last frame, if the run remembers frames
    /// ([`RunOptions::remember_frames`](crate::RunOptions::remember_frames)): for a source the last one sent, else the
    /// last one received.
    pub last: Option<LastFrame>,
    /// Buffers for frames that this node has made and that are not in use.
    pub free_buffers: usize,
}

/// The description of a frame.
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
