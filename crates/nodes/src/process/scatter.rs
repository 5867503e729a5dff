//! `scatter`: sends each frame to one of up to eight receivers, in turn (areaDetector's NDPluginScatter).
//!
//! In: frames of any kind. Out: each frame, not copied, at one of `out1` … `out8`: the next output that is connected
//! and has room in its queue. Where none has room, the frame goes to the next output, whose edge counts the loss by its
//! policy. Without a receiver frames end here.
//!
//! For several threads of one node, `placement: {pool: n}` is simpler and keeps the order exact. `scatter` is for
//! receivers that differ; [`gather`](super::gather) brings the frames together again.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::scatter::Scatter;
//!
//! let mut node = Harness::new::<Scatter>(&[])?;
//! let frame = node.bytes(b"x")?;
//! let sent = node.feed(&frame)?;
//! assert!(sent[0].is_same(&frame));
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use livetime_engine::{Context, Counterpart, Node, NodeError, NodeSpec, ParamEnum, Params, PortSpec, Stream};
use livetime_frame::Frame;

const OUTPUTS: usize = 8;

/// In which order receivers get frames.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ParamEnum)]
pub enum ScatterMethod {
    /// One after the other.
    #[default]
    #[pv("Round robin")]
    RoundRobin,
}

/// Parameters of `scatter`.
#[derive(Params)]
pub struct ScatterParams {
    /// In which order receivers get frames.
    #[param(pv = "ScatterMethod")]
    pub method: ScatterMethod,
}

/// Sends each frame to one receiver.
pub struct Scatter {
    params: ScatterParams,
    /// The output of the next frame.
    next: usize,
}

impl Node for Scatter {
    type Params = ScatterParams;

    const SPEC: NodeSpec = NodeSpec::process(
        "scatter",
        "Sends each frame to one of up to eight receivers, in turn.",
        &[PortSpec::any("in")],
        &[
            PortSpec::any("out1"),
            PortSpec::any("out2"),
            PortSpec::any("out3"),
            PortSpec::any("out4"),
            PortSpec::any("out5"),
            PortSpec::any("out6"),
            PortSpec::any("out7"),
            PortSpec::any("out8"),
        ],
    );

    const COUNTERPART: Option<Counterpart> = Some(Counterpart::new("NDPluginScatter", "Scatter"));

    fn new(params: ScatterParams) -> Result<Scatter, NodeError> {
        Ok(Scatter { params, next: 0 })
    }

    fn params(&mut self) -> &mut ScatterParams {
        &mut self.params
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(inputs.iter().take(1).flat_map(|stream| [*stream; OUTPUTS]).collect())
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let turn = |step| (self.next + step) % OUTPUTS;
        let with_room =
            (0..OUTPUTS).map(turn).find(|output| ctx.is_connected(*output) && ctx.has_room(*output));
        // Without room anywhere the frame goes to the next receiver all the same: its edge counts the loss.
        let chosen = with_room.or_else(|| (0..OUTPUTS).map(turn).find(|output| ctx.is_connected(*output)));
        let Some(output) = chosen else { return Ok(()) };
        // The next frame begins behind this receiver, so that all get their turn.
        self.next = (output + 1) % OUTPUTS;
        ctx.forward(output, frame)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use livetime_engine::testing::assert_compliant;
    use livetime_engine::{EdgeOptions, Graph, NodeType, Run, RunOptions, WhenFull};

    use crate::test_pictures::Pictures;

    /// Nothing takes this long unless it is broken.
    const LONG: Duration = livetime_testkit::HANG;

    #[test]
    fn keeps_the_contract() {
        assert_compliant::<super::Scatter>(&[]);
    }

    #[test]
    fn connected_receivers_share_the_frames() {
        let mut graph = Graph::default();
        let cam = graph.add("cam", NodeType::of::<Pictures>()).unwrap();
        graph.set(cam, "count", &30.into()).unwrap();
        graph.add("s", crate::find("scatter").unwrap()).unwrap();
        let block = EdgeOptions { when_full: WhenFull::Block, ..EdgeOptions::default() };
        graph.connect("cam", "s", block).unwrap();
        for (node, output) in [("a", "s.out1"), ("b", "s.out4"), ("c", "s.out8")] {
            graph.add(node, crate::find("null").unwrap()).unwrap();
            graph.connect(output, node, EdgeOptions { queue: 100, ..block }).unwrap();
        }
        let run = Run::start(&graph, RunOptions::default()).map_err(|e| format!("{e:?}")).unwrap();
        assert!(run.wait(LONG));
        let report = run.finish(LONG);
        let received = ["a", "b", "c"].map(|n| report.nodes.iter().find(|r| r.name == n).unwrap().received);
        assert_eq!(received, [10, 10, 10]);
        assert_eq!(report.imbalances(), [""; 0]);
    }
}
