//! Small grey pictures, for the examples to play with.
#![allow(dead_code, unreachable_pub, reason = "a part of every example, which uses some of it")]

use livetime_actors::AgentError;
use livetime_frame::{Allocator, ColorMode, DType, Frame, FramePool, Layout};

pub const WIDTH: usize = 64;
pub const HEIGHT: usize = 48;

/// A camera that works at once: each picture is one level brighter than the last.
pub struct Camera {
    memory: Allocator,
    pub taken: u64,
}

impl Camera {
    pub fn new() -> Camera {
        Camera { memory: FramePool::new(64 << 20).allocator(), taken: 0 }
    }

    /// The next picture. Its memory comes from a pool, and goes home when nobody looks at the picture any more.
    pub fn take(&mut self) -> Result<Frame, AgentError> {
        let layout = Layout::packed(DType::U8, ColorMode::Mono, &[HEIGHT, WIDTH]).map_err(AgentError::new)?;
        let mut picture = self.memory.array(layout).map_err(AgentError::new)?;
        picture.elements_mut::<u8>().map_err(AgentError::new)?.fill(self.taken as u8);
        picture.header_mut().sequence = self.taken;
        self.taken += 1;
        Ok(picture.freeze())
    }
}
