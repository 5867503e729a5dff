//! The last frame of each output without clients, so that a client that comes back while the source pauses sees it again.
//!
//! It is copied into memory of its own: an unwatched frame of the run's pool would be memory that the sources lack.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use livetime_frame::{Allocator, Frame, FrameMut, FramePool, Layout, Payload, PoolExhausted};

use super::newest::Newest;

/// Memory for these frames; the output that was left longest ago loses its own first.
const MOST_BYTES: usize = 64 << 20;

/// Outputs that were watched once.
pub(crate) struct Left {
    outputs: BTreeMap<String, Last>,
    allocator: Allocator,
}

struct Last {
    /// The number of the last frame: the next one is counted from here, so that no two frames of an output have the same.
    number: u64,
    newest: Option<Arc<Newest>>,
    at: Instant,
}

impl Default for Left {
    fn default() -> Left {
        Left::with(MOST_BYTES)
    }
}

impl Left {
    fn with(bytes: usize) -> Left {
        Left { outputs: BTreeMap::new(), allocator: FramePool::new(bytes).allocator() }
    }

    /// Keeps a copy of the newest frame of an output that is left, after `number` frames of it.
    pub(crate) fn keep(&mut self, name: &str, number: u64, newest: Option<&Newest>) {
        let last = Last { number, newest: None, at: Instant::now() };
        self.outputs.insert(name.to_owned(), last);
        let copied = newest.and_then(|newest| {
            let frame = self.copied(&newest.frame)?;
            Some(Arc::new(Newest { frame, number: newest.number, came: newest.came, age: newest.age }))
        });
        if let Some(last) = self.outputs.get_mut(name) {
            last.newest = copied;
        }
    }

    /// The kept frame of an output that is watched again.
    pub(crate) fn take(&mut self, name: &str) -> (u64, Option<Arc<Newest>>) {
        self.outputs.remove(name).map_or((0, None), |last| (last.number, last.newest))
    }

    /// A copy in memory of its own; `None` if it is too large, or is no picture and no table.
    fn copied(&mut self, frame: &Frame) -> Option<Frame> {
        loop {
            match copy(&mut self.allocator, frame)? {
                Ok(copy) => return Some(copy),
                Err(_) => self.forget_oldest()?,
            }
        }
    }

    /// `None` if there is none.
    fn forget_oldest(&mut self) -> Option<()> {
        let kept = self.outputs.values_mut().filter(|last| last.newest.is_some());
        kept.min_by_key(|last| last.at)?.newest = None;
        self.allocator.release_free();
        Some(())
    }
}

/// `None` if it cannot be copied, whatever memory there is.
fn copy(allocator: &mut Allocator, frame: &Frame) -> Option<Result<Frame, PoolExhausted>> {
    let filled = |made: Result<FrameMut, PoolExhausted>, bytes: &[u8]| {
        made.map(|mut copy| {
            copy.inherit(frame);
            copy.bytes_mut().copy_from_slice(bytes);
            copy.freeze()
        })
    };
    match frame.payload() {
        Payload::Array(_) => {
            let array = frame.array().ok()?;
            let layout = array.layout();
            let shape: Vec<usize> = layout.shape().collect();
            let packed = Layout::packed(layout.dtype(), layout.color(), &shape).ok()?;
            let mut scratch = Vec::new();
            // A compressed frame cannot be shown, and has no pixels to copy.
            let bytes = layout.codec().is_none().then(|| array.packed(&mut scratch))?;
            Some(filled(allocator.array(packed), bytes))
        }
        Payload::Table(layout) => Some(filled(allocator.table(layout.clone()), frame.bytes())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use livetime_frame::{ColorMode, DType};

    use super::*;

    fn newest(allocator: &mut Allocator, number: u64, width: usize) -> Newest {
        let layout = Layout::packed(DType::U16, ColorMode::Mono, &[4, width]).unwrap();
        let mut frame = allocator.array(layout).unwrap();
        frame.header_mut().sequence = number + 100;
        for (value, pixel) in frame.elements_mut::<u16>().unwrap().iter_mut().enumerate() {
            *pixel = value as u16;
        }
        let frame = frame.freeze();
        Newest { frame, number, came: Instant::now(), age: Duration::from_millis(7) }
    }

    #[test]
    fn a_copy_is_kept_and_the_pool_has_its_memory_back() {
        let pool = FramePool::new(1 << 20);
        let mut allocator = pool.allocator();
        let frame = newest(&mut allocator, 5, 8);
        // A region of it: rows with a stride.
        let (layout, start) = frame.frame.array().unwrap().layout().crop(1, 2, 3).unwrap();
        let region = allocator.view(&frame.frame, layout, start).unwrap().freeze();
        let mut left = Left::default();
        left.keep("cam.out", 5, Some(&frame));
        left.keep("roi.out", 9, Some(&Newest { frame: region, number: 9, ..frame }));
        drop((frame, allocator));
        assert_eq!(pool.statistics().used_bytes, 0);
        let (number, kept) = left.take("roi.out");
        let kept = kept.unwrap();
        assert_eq!((number, kept.number, kept.age), (9, 9, Duration::from_millis(7)));
        let pixels = kept.frame.array().unwrap();
        assert_eq!(pixels.elements::<u16>().unwrap(), [2, 3, 4, 10, 11, 12, 18, 19, 20, 26, 27, 28]);
        assert_eq!(left.take("roi.out").0, 0);
        assert_eq!(left.take("cam.out").1.unwrap().frame.header().sequence, 105);
    }

    #[test]
    fn memory_is_bounded_and_the_oldest_goes_first() {
        let mut allocator = FramePool::new(1 << 22).allocator();
        let mut left = Left::with(3 * FramePool::cost_bytes(4 * 1000 * 2));
        for number in 0..5 {
            let frame = newest(&mut allocator, number, 1000);
            left.keep(&format!("{number}.out"), number, Some(&frame));
        }
        let kept: Vec<bool> = (0..5).map(|n| left.take(&format!("{n}.out")).1.is_some()).collect();
        assert_eq!(kept, [false, false, true, true, true]);
        left.keep("large.out", 3, Some(&newest(&mut allocator, 3, 100_000)));
        assert!(matches!(left.take("large.out"), (3, None)));
        left.keep("empty.out", 4, None);
        assert!(matches!(left.take("empty.out"), (4, None)));
    }
}
