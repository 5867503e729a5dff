//! What the last frame of a node was.

use livetime_frame::{Header, Layout, Payload};

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
