//! A program of its own around a graph: a pipeline file with a node of ours, moments of the run, a change, the ledger.

#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::sync::Arc;
use std::time::Duration;

use livetime_control::{access::Access, config, model::*, report::json::report_json};
use livetime_engine::{
    Context, Node, NodeError, NodeKind, NodeSpec, NodeType, Params, PortSpec, Run, RunOptions,
};
use livetime_frame::Frame;

const PIPELINE: &str = "nodes:
  cam: {type: sim_detector, params: {acquire_period: 10 ms}}
  bright: {type: brightest, from: cam}";

#[derive(Params)]
struct BrightestParams {
    /// The brightest pixel so far.
    #[param(readback)]
    peak: u64,
}

struct Brightest(BrightestParams);

#[rustfmt::skip]
impl Node for Brightest {
    type Params = BrightestParams;
    const SPEC: NodeSpec = NodeSpec {
        name: "brightest", kind: NodeKind::Sink, summary: "Keeps the brightest pixel.",
        inputs: &[PortSpec::array_of_dims("in", 2, 2)], outputs: &[], parallel: false,
    };
    fn new(params: BrightestParams) -> Result<Self, NodeError> { Ok(Brightest(params)) }
    fn params(&mut self) -> &mut BrightestParams { &mut self.0 }
    fn frame(&mut self, _: usize, frame: &Frame, _: &mut Context) -> Result<(), NodeError> {
        let brightest = frame.bytes().iter().copied().max().unwrap_or(0);
        self.0.peak = self.0.peak.max(brightest.into());
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let nodes = [livetime_nodes::ALL, &[NodeType::of::<Brightest>()]].concat();
    let pipeline = config::parse("embed.yaml", PIPELINE, &nodes, &[])?;
    let run =
        Run::start(&pipeline.graph, RunOptions::default()).map_err(|errors| errors[0].message.clone())?;
    let model = Model::start(&Arc::new(run), &Bell::default(), Access::default())?;
    let change = Change::Set("offset".into(), 20.0.into());
    model.act_and_wait(Caller::program(), Action::Change(0, change)).result?;
    let mut watch = model.watch(Duration::from_millis(100));
    for _ in 0..10 {
        let Some(moment) = watch.next(Duration::from_secs(10)) else { break };
        println!("{} frames, brightest {:?}", moment.report.nodes[0].emitted, moment.nodes[1].value("peak"));
    }
    model.act_and_wait(Caller::program(), Action::Stop).result?;
    model.run().wait(Duration::from_secs(10));
    let report = report_json(&model.run().report());
    println!("{:#}\nledger closed: {}", report["edges"][0]["lost"], report["ledger_closed"]);
    Ok(())
}
