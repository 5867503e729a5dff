//! `pva_image`: shows frames as NTNDArray, the images of pvAccess (areaDetector's NDPluginPva).
//!
//! In: arrays of any type and dimension. Out: nothing. The program gives the node an [`Outlet`], behind which a
//! server stands; without one it only counts. Pixels of packed arrays are not copied on their way to the network,
//! those of a region once.
//!
//! A client that is too slow misses images, never the pipeline. Each image carries the frame's number in
//! `uniqueId`, from which a client sees what it missed.
//!
//! ```
//! use std::sync::{Arc, Mutex};
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::sinks::pva_image::PvaImage;
//!
//! let shown = Arc::new(Mutex::new(Vec::new()));
//! let seen = shown.clone();
//! let mut node = Harness::new::<PvaImage>(&[])?;
//! let outlet = move |image: &livetime_pva::data::Value| seen.lock().unwrap().push(image.i64("uniqueId"));
//! node.node::<PvaImage>().unwrap().attach(Box::new(outlet));
//! let picture = node.image::<u8>(&[2, 2], &[1, 2, 3, 4])?;
//! node.feed(&picture)?;
//! assert_eq!(*shown.lock().unwrap(), [Some(picture.header().sequence as i64)]);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use livetime_engine::{Context, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec};
use livetime_frame::Frame;
use livetime_pva::data::Value;

use crate::ntndarray::ImageWriter;

/// Where images can be seen. Must not wait, and must not keep more images than it needs: each holds its frame.
pub trait Outlet: Send {
    /// Shows an image; [`Value::changed`] says what differs from the one before.
    fn show(&mut self, image: &Value);
}

impl<F: FnMut(&Value) + Send> Outlet for F {
    fn show(&mut self, image: &Value) {
        self(image);
    }
}

/// Parameters of `pva_image`.
#[derive(Params)]
pub struct PvaImageParams {
    /// Images shown so far.
    #[param(readback, pv = "ArrayCounter")]
    pub frames: u64,
    /// Frames whose numbers show that they never came here: lost on the way, or left out.
    #[param(readback)]
    pub missing: u64,
}

/// Shows frames as NTNDArray.
pub struct PvaImage {
    params: PvaImageParams,
    writer: Option<ImageWriter>,
    outlet: Option<Box<dyn Outlet>>,
    /// The number that the next frame should have.
    expected: Option<u64>,
}

impl PvaImage {
    /// From the next frame on images are shown at `outlet`.
    pub fn attach(&mut self, outlet: Box<dyn Outlet>) {
        self.outlet = Some(outlet);
        // The first image there has to be complete.
        self.writer = None;
    }

    /// Whether there is an outlet. A node that was built anew after a failure has none.
    pub fn is_attached(&self) -> bool {
        self.outlet.is_some()
    }

    fn count(&mut self, sequence: u64) {
        self.params.frames += 1;
        let expected = self.expected.unwrap_or(sequence);
        self.params.missing += sequence.saturating_sub(expected);
        self.expected = Some(sequence.saturating_add(1));
    }
}

impl Node for PvaImage {
    type Params = PvaImageParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "pva_image",
        kind: NodeKind::Sink,
        summary: "Shows frames as images of pvAccess (NTNDArray).",
        inputs: &[PortSpec::array("in")],
        outputs: &[],
        parallel: false,
    };

    fn new(params: PvaImageParams) -> Result<PvaImage, NodeError> {
        Ok(PvaImage { params, writer: None, outlet: None, expected: None })
    }

    fn params(&mut self) -> &mut PvaImageParams {
        &mut self.params
    }

    fn frame(&mut self, _input: usize, frame: &Frame, _ctx: &mut Context) -> Result<(), NodeError> {
        if let Some(outlet) = &mut self.outlet {
            let writer = match &mut self.writer {
                Some(writer) => writer,
                none => none.insert(ImageWriter::new()?),
            };
            outlet.show(writer.write(frame)?);
            // The outlet keeps what it needs; a second reference here would hold the memory back.
            writer.release();
        }
        self.count(frame.header().sequence);
        Ok(())
    }

    fn stop(&mut self) {
        (self.writer, self.expected) = (None, None);
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
    fn no_frame_is_kept() {
        let mut node = Harness::new::<PvaImage>(&[]).unwrap();
        let shown = |image: &Value| assert_eq!(image.array("value").map(|a| a.len()), Some(2));
        node.node::<PvaImage>().unwrap().attach(Box::new(shown));
        assert!(node.node::<PvaImage>().unwrap().is_attached());
        let mut allocator = FramePool::new(1 << 16).allocator();
        let layout = Layout::packed(DType::F32, ColorMode::Mono, &[1, 2]).unwrap();
        let frame = allocator.array(layout).unwrap().freeze();
        let address = frame.bytes().as_ptr();
        node.feed(&frame).unwrap();
        drop(frame);
        // Its memory is free again.
        assert_eq!(allocator.array(layout).unwrap().freeze().bytes().as_ptr(), address);
    }

    #[test]
    fn keeps_the_contract() {
        assert_compliant::<PvaImage>(&[]);
    }
}
