//! The state of a node between two of its frames, for [`Run::look`](crate::Run::look).

use livetime_frame::{Frame, Layout, Payload};

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
    /// Bytes of its array, of a compressed one as they are.
    pub array_bytes: usize,
}

impl LastFrame {
    pub(crate) fn of(frame: &Frame) -> LastFrame {
        let (layout, array_bytes) = match frame.payload() {
            Payload::Array(layout) if layout.codec().is_some() => (Some(*layout), frame.bytes().len()),
            // The bytes of a view would include the gaps between its rows.
            Payload::Array(layout) => (Some(*layout), layout.len() * layout.dtype().bytes()),
            _ => (None, 0),
        };
        let header = frame.header();
        LastFrame { sequence: header.sequence, event_time_ns: header.event_time_ns, layout, array_bytes }
    }
}

#[cfg(test)]
mod tests {
    use livetime_frame::{Codec, ColorMode, DType, FramePool};

    use super::*;

    #[test]
    fn a_compressed_array_has_fewer_bytes_than_its_shape() {
        let layout = Layout::packed(DType::I32, ColorMode::Rgb1, &[4, 5, 3]).unwrap();
        let mut allocator = FramePool::new(1 << 20).allocator();
        let frames =
            [allocator.compressed(layout, Codec("bslz4"), 7), allocator.array(layout), allocator.bytes(9)];
        let found = frames.map(|frame| LastFrame::of(&frame.unwrap().freeze()).array_bytes);
        assert_eq!(found, [7, 240, 0]);
    }
}
