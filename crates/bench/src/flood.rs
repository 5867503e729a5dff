//! Nodes that do nothing, as fast as possible, to measure the cost of the engine itself.

use livetime_engine::{Context, Next, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec};
use livetime_frame::Frame;

/// Parameters of `flood`.
#[derive(Params)]
pub(super) struct FloodParams {
    /// Frames sent in one call.
    #[param(default = 64, min = 1)]
    batch: u64,
}

/// Sends empty frames without end.
pub(super) struct Flood {
    params: FloodParams,
    sequence: u64,
}

impl Node for Flood {
    type Params = FloodParams;

    const SPEC: NodeSpec =
        NodeSpec::source("flood", "Sends empty frames without end.", &[PortSpec::any("out")]);

    fn new(params: FloodParams) -> Result<Flood, NodeError> {
        Ok(Flood { params, sequence: 0 })
    }

    fn params(&mut self) -> &mut FloodParams {
        &mut self.params
    }

    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        for _ in 0..self.params.batch {
            // Empty, so that nothing but the engine is measured.
            let mut frame = ctx.bytes(0)?;
            self.sequence += 1;
            frame.header_mut().sequence = self.sequence;
            ctx.emit(frame)?;
        }
        Ok(Next::Now)
    }
}

/// Passes frames on.
pub(super) struct Hop(());

impl Node for Hop {
    type Params = ();

    const SPEC: NodeSpec = NodeSpec {
        name: "hop",
        kind: NodeKind::Process,
        summary: "Passes frames on.",
        inputs: &[PortSpec::any("in")],
        outputs: &[PortSpec::any("out")],
        parallel: true,
    };

    fn new(params: ()) -> Result<Hop, NodeError> {
        Ok(Hop(params))
    }

    fn params(&mut self) -> &mut () {
        &mut self.0
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        ctx.forward(0, frame)
    }
}

#[cfg(test)]
mod tests {
    use livetime_engine::testing::assert_compliant;

    use super::*;

    #[test]
    fn keep_the_contract() {
        assert_compliant::<Flood>(&[]);
        assert_compliant::<Hop>(&[]);
    }
}
