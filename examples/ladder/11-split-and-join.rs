//! Split and join: two branches work on every other frame, and the node behind them restores the order.

use livetime_engine::{Graph, NodeType};
use livetime_sim::SimDetector;

use crate::{Outcome, block, run_to_the_end};

pub(crate) fn run() -> Outcome {
    let mut graph = Graph::default();
    graph.add("detector", NodeType::of::<SimDetector>())?;
    graph.add("deal", livetime_nodes::find("scatter")?)?;
    graph.connect("detector", "deal", block())?;
    let joined = graph.add("joined", livetime_nodes::find("gather")?)?;
    graph.set(joined, "sort_mode", &"sorted".into())?;
    for (output, branch) in [("deal.out1", "left"), ("deal.out2", "right")] {
        let node = graph.add(branch, livetime_nodes::find("process")?)?;
        graph.set(node, "enable_offset_scale", &true.into())?;
        graph.set(node, "scale", &2.0.into())?;
        graph.connect(output, branch, block())?;
        graph.connect(branch, "joined", block())?;
    }
    graph.add("stats", livetime_nodes::find("statistics")?)?;
    graph.connect("joined", "stats", block())?;
    run_to_the_end(&graph)
}
