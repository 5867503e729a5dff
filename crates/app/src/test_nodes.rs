//! Nodes for tests: those of the example, and one whose frames nobody wants.

use livetime_engine::{Context, Next, Node, NodeError, NodeKind, NodeSpec, NodeType, PortSpec, Stream};
use livetime_frame::{ColorMode, DType, Layout};

#[path = "../examples/own_nodes/nodes.rs"]
mod own;

/// The standard nodes and those for tests.
pub(crate) fn all() -> Vec<NodeType> {
    let own = [NodeType::of::<own::Counter>(), NodeType::of::<own::Slow>(), NodeType::of::<Lines>()];
    [livetime_nodes::ALL, &own].concat()
}

/// Says that it sends arrays of one dimension, and sends none.
struct Lines(());

impl Node for Lines {
    type Params = ();

    const SPEC: NodeSpec = NodeSpec {
        name: "lines",
        kind: NodeKind::Source,
        summary: "Sends lines.",
        inputs: &[],
        outputs: &[PortSpec::array("out")],
        parallel: false,
    };

    fn new((): ()) -> Result<Lines, NodeError> {
        Ok(Lines(()))
    }

    fn params(&mut self) -> &mut () {
        &mut self.0
    }

    fn plan(&mut self, _: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(vec![Stream::Array(Layout::packed(DType::U8, ColorMode::Mono, &[7])?)])
    }

    fn produce(&mut self, _: &mut Context) -> Result<Next, NodeError> {
        Ok(Next::Finished)
    }
}
