//! Windows, periods and bounds of an end of a link.

use crate::Retain;
use crate::message::Cut;

const MS: u64 = 1_000_000;

/// How an end of a link behaves. Both ends have the same cut; the other values may differ.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The cut.
    pub cut: Cut,
    /// How long the sender keeps frames.
    pub retain: Retain,
    /// Whether other receivers do the same work: frames with an unknown end go back to the caller
    /// ([`Sender::retaken`](crate::Sender::retaken)), who offers them to another one, and are not lost. Not for
    /// [`Retain::Received`], which keeps no frames for that. At a receiver: whether another sender makes the frames
    /// again that a dead one had told of, so that they are not in doubt.
    pub retakes: bool,
    /// Frames that the sender keeps at most, and frames that the receiver has under way at most.
    pub window_frames: u64,
    /// The same in bytes; exceeded by one frame at most.
    pub window_bytes: u64,
    /// The largest payload.
    pub max_frame_bytes: u64,
    /// Frames of a message of data at most.
    pub batch_frames: usize,
    /// Bytes of a message of data at most, unless one frame alone has more.
    pub batch_bytes: u64,
    /// Each end sends a message at least so often.
    pub heartbeat_ns: u64,
    /// An end that is silent for so long is dead.
    pub dead_after_ns: u64,
    /// The sender goes back to the last acknowledged frame after so long without progress.
    pub resend_after_ns: u64,
    /// The receiver acknowledges after so many frames …
    pub ack_frames: u64,
    /// … or after this time …
    pub ack_after_ns: u64,
    /// … or after this one, while the sender's window has room for many times as many frames as wait for a word.
    pub ack_at_leisure_ns: u64,
}

impl Default for Settings {
    /// A window of 2,000 frames and 64 MiB, heartbeats every 200 ms, death after 2 s.
    fn default() -> Settings {
        Settings {
            cut: Cut::default(),
            retain: Retain::default(),
            retakes: false,
            window_frames: 2_000,
            window_bytes: 64 << 20,
            max_frame_bytes: 1 << 30,
            // Small frames share the cost of a message; beyond 64 KiB it is hidden behind the bytes.
            batch_frames: 64,
            batch_bytes: 64 << 10,
            heartbeat_ns: 200 * MS,
            dead_after_ns: 2_000 * MS,
            // Three heartbeats: every one of them carried an acknowledgement that did not come.
            resend_after_ns: 600 * MS,
            ack_frames: 16,
            ack_after_ns: 5 * MS,
            ack_at_leisure_ns: 50 * MS,
        }
    }
}
