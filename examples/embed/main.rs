//! A program of its own around a graph: a pipeline file with a node of ours, moments of the run, a change, the ledger.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::time::Duration;

use livetime_control::{config, model::Model};
use livetime_engine::{Context, Node, NodeError, NodeSpec, NodeType, Params, PortSpec, RunOptions};
use livetime_frame::Frame;

const PIPELINE: &str = "nodes:
  cam: {type: sim_detector, params: {acquire_period: 10 ms}}
  bright: {type: brightest, from: cam}";

/// Parameters and node are one type here.
#[derive(Params)]
struct Brightest {
    /// The brightest pixel so far.
    #[param(readback)]
    peak: u64,
}

impl Node for Brightest {
    type Params = Brightest;
    const SPEC: NodeSpec = NodeSpec::sink("brightest", "The brightest pixel.", &[PortSpec::array("in")]);

    fn new(params: Brightest) -> Result<Self, NodeError> {
        Ok(params)
    }

    fn params(&mut self) -> &mut Brightest {
        self
    }

    fn frame(&mut self, _: usize, frame: &Frame, _: &mut Context) -> Result<(), NodeError> {
        let brightest = frame.bytes().iter().copied().max().unwrap_or(0);
        self.peak = self.peak.max(brightest.into());
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let nodes = [livetime_nodes::ALL, livetime_sim::ALL, &[NodeType::of::<Brightest>()]].concat();
    let pipeline = config::parse("embed.yaml", PIPELINE, &nodes, &[])?;
    let model = Model::run_graph(&pipeline.graph, RunOptions::default())?;
    model.set("cam", "offset", 20.0)?;
    for moment in model.moments(Duration::from_millis(100)).take(10) {
        println!("{} frames, brightest {:?}", moment.report.nodes[0].emitted, moment.nodes[1].value("peak"));
    }
    let report = model.finish(Duration::from_secs(10));
    println!(
        "{} lost, ledger closed: {}",
        report.edges[0].unintended() + report.edges[0].intended(),
        report.imbalances().is_empty()
    );
    Ok(())
}
