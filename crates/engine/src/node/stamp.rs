//! Attributes that the program adds to the frames of a node.

use livetime_frame::{Attributes, Header};

use crate::Params;

/// Adds attributes to each frame that a node sends, or, of a sink, receives; see [`Run::set_stamp`](crate::Run::set_stamp).
///
/// Called on the node's thread for every frame, so it must not wait.
pub trait Stamp: Send + Sync {
    /// Adds to the `attributes` of a frame with this `header`. `params` are the node's parameters: after it has handled
    /// the input of this frame, or, for a sink, before it handles the frame.
    fn stamp(&self, params: &dyn Params, header: &Header, attributes: &mut Attributes);
}
