//! `pva_image`: shows frames as NTNDArray, the images of pvAccess (areaDetector's NDPluginPva).
//!
//! In: arrays of any type and dimension. Out: nothing. The node only leaves each frame in a [`Handover`], in a time
//! that does not depend on the clients; a thread of the program makes an image of the frame and posts it. Without a
//! handover the node only counts. Pixels of packed arrays are not copied on their way to the network, pixels of a
//! region once.
//!
//! When frames come faster than they are shown, the newest replace the oldest: `replaced` counts the replaced ones. No
//! client can make the node wait, and no more frames wait than the handover allows. Each image carries the frame's
//! number in `uniqueId`, which shows a client the images that it missed.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::sinks::pva_image::{Handover, PvaImage};
//!
//! let mut node = Harness::new::<PvaImage>(&[])?;
//! let handover = Handover::new(2, 1 << 20, || ());
//! node.node::<PvaImage>().unwrap().attach(handover.clone());
//! let pictures = [[1u8, 2], [3, 4], [5, 6]].map(|pixels| node.image::<u8>(&[1, 2], &pixels).unwrap());
//! for picture in &pictures {
//!     node.feed(picture)?;
//! }
//! // Two may wait; the oldest made room.
//! assert!(handover.take().is_some_and(|frame| frame.is_same(&pictures[1])));
//! assert!(handover.take().is_some_and(|frame| frame.is_same(&pictures[2])));
//! assert!(handover.take().is_none());
//! assert_eq!(node.number_of("replaced"), 1.0);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};

use livetime_engine::{Context, Counterpart, Node, NodeError, NodeSpec, Params, PortSpec};
use livetime_frame::Frame;
use livetime_runtime::lock;

/// Where frames wait to be shown: the newest ones, a bounded number of them. A clone is the same place.
///
/// Every frame that was left here was taken, or [replaced](Handover::replaced), or still waits.
#[derive(Clone)]
pub struct Handover(Arc<Inner>);

struct Inner {
    frames: usize,
    bytes: usize,
    bell: Box<dyn Fn() + Send + Sync>,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    frames: VecDeque<Frame>,
    bytes: usize,
    replaced: u64,
    unsent: u64,
}

impl Handover {
    /// At most `frames` frames wait, with at most `bytes` bytes together; one frame always may. `bell` is rung when a
    /// frame arrives in an empty handover; it must not wait.
    pub fn new(frames: usize, bytes: usize, bell: impl Fn() + Send + Sync + 'static) -> Handover {
        let waiting =
            // One more place is for the frame that is added before the oldest goes.
            Mutex::new(Waiting { frames: VecDeque::with_capacity(frames + 1), ..Waiting::default() });
        Handover(Arc::new(Inner { frames, bytes, bell: Box::new(bell), waiting }))
    }

    /// Leaves a frame. The oldest make room for it.
    fn leave(&self, frame: Frame) {
        let mut waiting = self.lock();
        let was_empty = waiting.frames.is_empty();
        let bytes = frame.bytes().len();
        // One frame may always wait, also if it is larger than the limit: else a large image would never be
        // shown.
        while !waiting.frames.is_empty()
            && (waiting.frames.len() >= self.0.frames || waiting.bytes.saturating_add(bytes) > self.0.bytes)
        {
            waiting.pop();
            waiting.replaced += 1;
        }
        waiting.bytes += bytes;
        waiting.frames.push_back(frame);
        // The bell may take locks of its own, so this one is released before.
        drop(waiting);
        // The server empties the queue after one bell, so further bells would only wake it in vain.
        if was_empty {
            (self.0.bell)();
        }
    }

    /// The oldest frame that waits.
    pub fn take(&self) -> Option<Frame> {
        self.lock().pop()
    }

    /// Whether no frame waits.
    pub fn is_empty(&self) -> bool {
        self.lock().frames.is_empty()
    }

    /// How many frames made room for newer ones.
    pub fn replaced(&self) -> u64 {
        self.lock().replaced
    }

    /// Says how many images waited for clients whose connections broke.
    pub fn note_unsent(&self, unsent: u64) {
        self.lock().unsent = unsent;
    }

    /// How many that are.
    pub fn unsent(&self) -> u64 {
        self.lock().unsent
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        lock(&self.0.waiting)
    }
}

impl Waiting {
    fn pop(&mut self) -> Option<Frame> {
        let frame = self.frames.pop_front()?;
        self.bytes -= frame.bytes().len();
        Some(frame)
    }
}

/// Parameters of `pva_image`.
#[derive(Params)]
pub struct PvaImageParams {
    /// Frames left to be shown so far.
    #[param(readback, pv = "ArrayCounter", role = Frames)]
    pub frames: u64,
    /// Of these, frames that newer ones replaced before they were shown, because they came too fast.
    #[param(readback)]
    pub replaced: u64,
    /// Images that waited for clients whose connections ended without a word. No losses of the run: viewers come and go,
    /// and a `pva_source` counts what it missed itself.
    #[param(readback)]
    pub unsent: u64,
    /// Frames whose numbers show that they never came here: lost on the way, or left out.
    #[param(readback)]
    pub missing: u64,
}

/// Shows frames as NTNDArray.
pub struct PvaImage {
    params: PvaImageParams,
    handover: Option<Handover>,
    /// The number that the next frame should have.
    expected: Option<u64>,
}

impl PvaImage {
    /// From the next frame on frames are left at `handover`.
    pub fn attach(&mut self, handover: Handover) {
        self.handover = Some(handover);
    }

    /// Whether there is a handover. A node that was built again after a failure has none.
    pub fn is_attached(&self) -> bool {
        self.handover.is_some()
    }

    fn count(&mut self, sequence: u64) {
        self.params.frames += 1;
        // The first frame sets the number: frames before it are not missing.
        let expected = self.expected.unwrap_or(sequence);
        // A source that begins again counts from 0, which is no loss.
        self.params.missing += sequence.saturating_sub(expected);
        self.expected = Some(sequence.saturating_add(1));
    }
}

impl Node for PvaImage {
    type Params = PvaImageParams;

    const SPEC: NodeSpec = NodeSpec::sink(
        "pva_image",
        "Shows frames as images of pvAccess (NTNDArray).",
        &[PortSpec::array("in")],
    );

    const COUNTERPART: Option<Counterpart> =
        Some(Counterpart::new("NDPluginPva", "Pva").or(&["NDPluginPvxs"]));

    fn new(params: PvaImageParams) -> Result<PvaImage, NodeError> {
        Ok(PvaImage { params, handover: None, expected: None })
    }

    fn params(&mut self) -> &mut PvaImageParams {
        if let Some(handover) = &self.handover {
            (self.params.replaced, self.params.unsent) = (handover.replaced(), handover.unsent());
        }
        &mut self.params
    }

    fn frame(&mut self, _input: usize, frame: &Frame, _ctx: &mut Context) -> Result<(), NodeError> {
        // A frame without an array could not be shown.
        frame.array()?;
        if let Some(handover) = &self.handover {
            handover.leave(frame.clone());
        }
        self.count(frame.header().sequence);
        Ok(())
    }

    fn stop(&mut self) {
        // The next run has numbers of its own.
        self.expected = None;
    }
}

#[cfg(test)]
mod tests {
    use livetime_engine::testing::{Harness, assert_compliant};
    use livetime_frame::{ColorMode, DType, FramePool, Layout};

    use super::*;

    #[test]
    fn gaps_are_counted() {
        let mut node = Harness::new::<PvaImage>(&[]).unwrap();
        let pv = node.node::<PvaImage>().unwrap();
        [5, 6, 9, 3, 4].into_iter().for_each(|sequence| pv.count(sequence));
        assert_eq!((node.number_of("frames"), node.number_of("missing")), (5.0, 2.0));
    }

    #[test]
    fn the_newest_wait_and_all_others_are_counted() {
        let mut node = Harness::new::<PvaImage>(&[]).unwrap();
        let rung = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let bell = rung.clone();
        let ring = move || _ = bell.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        // Three frames of 8 bytes would be too many bytes.
        let handover = Handover::new(10, 20, ring);
        node.node::<PvaImage>().unwrap().attach(handover.clone());
        assert!(node.node::<PvaImage>().unwrap().is_attached());
        let mut allocator = FramePool::new(1 << 16).allocator();
        let layout = Layout::packed(DType::F32, ColorMode::Mono, &[1, 2]).unwrap();
        let large = Layout::packed(DType::F32, ColorMode::Mono, &[1, 20]).unwrap();
        for layout in [layout, layout, layout, layout, large] {
            node.feed(&allocator.array(layout).unwrap().freeze()).unwrap();
        }
        assert_eq!(rung.load(std::sync::atomic::Ordering::Relaxed), 1);
        assert_eq!((node.number_of("frames"), node.number_of("replaced")), (5.0, 4.0));
        assert_eq!(handover.take().unwrap().bytes().len(), 80, "one always may wait");
        assert!(handover.is_empty() && handover.take().is_none());
    }

    #[test]
    fn keeps_the_contract() {
        assert_compliant::<PvaImage>(&[]);
    }
}
