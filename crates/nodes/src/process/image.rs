//! `image`: holds the newest frame for readers (areaDetector's NDPluginStdArrays).
//!
//! In: any frame. Out: the same frame. Nothing is copied: the node keeps a reference, and each reader gets
//! another one.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::image::Image;
//!
//! let mut node = Harness::new::<Image>(&[])?;
//! let picture = node.image::<u8>(&[1, 2], &[3, 4])?;
//! let out = node.feed(&picture)?;
//! assert!(out[0].is_same(&picture));
//! let newest = node.node::<Image>().and_then(|image| image.newest());
//! assert!(newest.is_some_and(|frame| frame.is_same(&picture)));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use livetime_engine::{Context, Counterpart, Node, NodeError, NodeSpec, Params, PortSpec, Stream};
use livetime_frame::Frame;

/// Parameters of `image`.
#[derive(Params)]
pub struct ImageParams {
    /// Sequence number of the newest frame.
    #[param(readback, pv = "UniqueId")]
    pub sequence: u64,
    /// Frames seen so far.
    #[param(readback, pv = "ArrayCounter", role = Frames)]
    pub frames: u64,
}

/// Holds the newest frame for readers.
pub struct Image {
    params: ImageParams,
    newest: Option<Frame>,
}

impl Image {
    /// The newest frame; `None` before the first one. A reference, not a copy.
    pub fn newest(&self) -> Option<Frame> {
        self.newest.clone()
    }
}

impl Node for Image {
    type Params = ImageParams;

    const SPEC: NodeSpec = NodeSpec::process(
        "image",
        "Holds the newest frame for readers.",
        &[PortSpec::any("in")],
        &[PortSpec::any("out")],
    );

    const COUNTERPART: Option<Counterpart> = Some(Counterpart::new("NDPluginStdArrays", "image"));

    fn new(params: ImageParams) -> Result<Image, NodeError> {
        Ok(Image { params, newest: None })
    }

    fn params(&mut self) -> &mut ImageParams {
        &mut self.params
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(inputs.to_vec())
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        self.params.sequence = frame.header().sequence;
        self.params.frames += 1;
        self.newest = Some(frame.clone());
        ctx.forward(0, frame)
    }

    /// The memory goes back to the pool; nothing is newest between runs.
    fn stop(&mut self) {
        self.newest = None;
    }
}

#[cfg(test)]
mod tests {
    use livetime_engine::testing::{Harness, assert_compliant};

    use super::*;

    #[test]
    fn holds_only_the_newest() {
        let mut node = Harness::new::<Image>(&[]).unwrap();
        let first = node.image::<u8>(&[1, 2], &[1, 2]).unwrap();
        let second = node.image::<u8>(&[3], &[1, 2, 3]).unwrap();
        node.feed(&first).unwrap();
        node.feed(&second).unwrap();
        assert!(node.node::<Image>().unwrap().newest().unwrap().is_same(&second));
        assert_eq!((node.number_of("sequence"), node.number_of("frames")), (1.0, 2.0));
        node.stop();
        assert!(node.node::<Image>().unwrap().newest().is_none());
    }

    #[test]
    fn keeps_the_contract() {
        assert_compliant::<Image>(&[]);
    }
}
