//! Prints what a frame costs on its way from node to node.
#![allow(missing_docs, unreachable_pub, clippy::unwrap_used, clippy::print_stdout, reason = "an example")]

use std::time::Duration;

use livetime_engine::{
    Context, EdgeOptions, Graph, Next, Node, NodeError, NodeKind, NodeSpec, NodeType, Params, Placement,
    PortSpec, Run, RunOptions, WhenFull,
};
use livetime_frame::Frame;

/// Flood.
#[derive(Params)]
pub struct FloodParams {
    /// Frames per call.
    #[param(default = 64)]
    batch: u64,
}
pub struct Flood(FloodParams, u64);
impl Node for Flood {
    type Params = FloodParams;
    const SPEC: NodeSpec = NodeSpec {
        name: "flood",
        kind: NodeKind::Source,
        summary: "Floods.",
        inputs: &[],
        outputs: &[PortSpec::any("out")],
        parallel: false,
    };
    fn new(params: FloodParams) -> Result<Self, NodeError> {
        Ok(Flood(params, 0))
    }
    fn params(&mut self) -> &mut FloodParams {
        &mut self.0
    }
    fn produce(&mut self, ctx: &mut Context) -> Result<Next, NodeError> {
        for _ in 0..self.0.batch {
            let mut frame = ctx.bytes(0)?;
            self.1 += 1;
            frame.header_mut().sequence = self.1;
            ctx.emit(frame)?;
        }
        Ok(Next::Now)
    }
}
pub struct Count((), u64);
impl Node for Count {
    type Params = ();
    const SPEC: NodeSpec = NodeSpec {
        name: "count",
        kind: NodeKind::Sink,
        summary: "Counts.",
        inputs: &[PortSpec::any("in")],
        outputs: &[],
        parallel: true,
    };
    fn new(_: ()) -> Result<Self, NodeError> {
        Ok(Count((), 0))
    }
    fn params(&mut self) -> &mut () {
        &mut self.0
    }
    fn frame(&mut self, _: usize, _: &Frame, _: &mut Context) -> Result<(), NodeError> {
        self.1 += 1;
        Ok(())
    }
}

fn graph(sources: usize, sinks: usize, placement: Placement, group: bool, batch: i64) -> Graph {
    let mut g = Graph::default();
    for i in 0..sources {
        let n = g.add(&format!("flood{i}"), NodeType::of::<Flood>()).unwrap();
        g.set(n, "batch", &batch.into()).unwrap();
        if group {
            g.options_mut(n).unwrap().placement = Placement::Group("g".into());
        }
    }
    for i in 0..sinks {
        let n = g.add(&format!("count{i}"), NodeType::of::<Count>()).unwrap();
        g.options_mut(n).unwrap().placement = placement.clone();
        for s in 0..sources {
            let o = EdgeOptions { when_full: WhenFull::Block, queue: 1024, ..EdgeOptions::default() };
            g.connect(&format!("flood{s}"), &format!("count{i}"), o).unwrap();
        }
    }
    g
}

fn measure(name: &str, g: &Graph) {
    for statistics in [false, true] {
        let mut results: Vec<f64> = (0..5)
            .map(|_| {
                let run = Run::start(g, RunOptions { statistics, ..RunOptions::default() }).unwrap();
                std::thread::sleep(Duration::from_millis(50));
                let a = run.report();
                std::thread::sleep(Duration::from_millis(200));
                let b = run.report();
                run.abort();
                run.finish(Duration::from_secs(5));
                let sent = |r: &livetime_engine::Report| {
                    r.nodes.iter().filter(|n| n.type_name == "flood").map(|n| n.emitted).sum::<u64>()
                };
                (b.elapsed_ns - a.elapsed_ns) as f64 / (sent(&b) - sent(&a)) as f64
            })
            .collect();
        results.sort_by(f64::total_cmp);
        println!(
            "{name:24} statistics {statistics:5}: {:7.1} ns/frame ({:.1}..{:.1})",
            results[2], results[0], results[4]
        );
    }
}

fn main() {
    if let Some(only) = std::env::args().nth(1) {
        return match &*only {
            "none" => measure("no subscriber", &graph(1, 0, Placement::Own, false, 64)),
            "inline" => measure("inline", &graph(1, 1, Placement::Inline, false, 64)),
            "eight" => measure("one to eight", &graph(1, 8, Placement::Own, false, 64)),
            _ => measure("one to one", &graph(1, 1, Placement::Own, false, 64)),
        };
    }
    measure("no subscriber", &graph(1, 0, Placement::Own, false, 64));
    measure("inline", &graph(1, 1, Placement::Inline, false, 64));
    measure("same group", &graph(1, 1, Placement::Group("g".into()), true, 1));
    measure("one to one", &graph(1, 1, Placement::Own, false, 64));
    measure("one to eight", &graph(1, 8, Placement::Own, false, 64));
    measure("one to eight inline", &graph(1, 8, Placement::Inline, false, 64));
    measure("eight to one", &graph(8, 1, Placement::Own, false, 64));
    measure("pool of 2", &graph(1, 1, Placement::Pool(2), false, 64));
}
