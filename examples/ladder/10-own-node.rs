//! A node of one's own: state, parameters that describe themselves, and a handler for one frame.

use livetime_engine::{Context, Graph, Node, NodeError, NodeKind, NodeSpec, NodeType, Params, PortSpec};
use livetime_frame::Frame;
use livetime_sim::SimDetector;

use crate::{Outcome, block, run_to_the_end};

/// Parameters of `threshold`.
#[derive(Params)]
struct ThresholdParams {
    /// Pixels below this become 0.
    #[param(default = 10, max = 255, unit = "counts")]
    level: u64,
    /// Pixels that became 0 in the last frame.
    #[param(readback)]
    cleared: usize,
}

struct Threshold {
    params: ThresholdParams,
}

impl Node for Threshold {
    type Params = ThresholdParams;
    const SPEC: NodeSpec = NodeSpec {
        name: "threshold",
        kind: NodeKind::Process,
        summary: "Pixels below a level become 0.",
        inputs: &[PortSpec::array("in")],
        outputs: &[PortSpec::array("out")],
        parallel: true, // it keeps no state from frame to frame
    };

    fn new(params: ThresholdParams) -> Result<Threshold, NodeError> {
        Ok(Threshold { params })
    }

    fn params(&mut self) -> &mut ThresholdParams {
        &mut self.params
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let array = frame.array()?;
        let mut output = ctx.array(*array.layout())?;
        let (pixels, level) = (output.elements_mut::<u8>()?, self.params.level);
        pixels.copy_from_slice(array.elements::<u8>()?);
        pixels.iter_mut().filter(|pixel| u64::from(**pixel) < level).for_each(|pixel| *pixel = 0);
        self.params.cleared = pixels.iter().filter(|pixel| **pixel == 0).count();
        output.inherit(frame);
        ctx.emit(output)
    }
}

pub(crate) fn run() -> Outcome {
    let mut graph = Graph::default();
    graph.add("detector", NodeType::of::<SimDetector>())?;
    let cut = graph.add("cut", NodeType::of::<Threshold>())?;
    graph.add("end", livetime_nodes::find("null")?)?;
    graph.connect("detector", "cut", block())?;
    graph.connect("cut", "end", block())?;
    graph.set(cut, "level", &50.into())?;
    run_to_the_end(&graph)
}
