//! A promise about all frames that are made of one frame.

use std::sync::Arc;

/// Tells whether a frame, and each frame that was made of it ([`FrameMut::inherit`](crate::FrameMut::inherit)), has been
/// dropped: then its work is done, whatever nodes it went through.
///
/// ```
/// use livetime_frame::{FramePool, Pledge};
/// let (mut memory, mut pledge) = (FramePool::new(1 << 20).allocator(), Pledge::default());
/// let mut frame = memory.bytes(1)?;
/// frame.pledge(&pledge);
/// let frame = frame.freeze();
/// let mut made_of_it = memory.bytes(1)?;
/// made_of_it.inherit(&frame);
/// drop(frame);
/// assert!(!pledge.is_free());
/// drop(made_of_it);
/// assert!(pledge.is_free());
/// # Ok::<(), livetime_frame::PoolExhausted>(())
/// ```
#[derive(Clone, Default, Debug)]
pub struct Pledge(Arc<()>);

impl Pledge {
    /// True when no frame is bound to it any more, and no clone of it exists.
    pub fn is_free(&mut self) -> bool {
        Arc::get_mut(&mut self.0).is_some()
    }
}
