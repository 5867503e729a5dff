//! One node: a simulated detector, alone.

use livetime_engine::Graph;

use crate::{Outcome, run_to_the_end};

pub(crate) fn run() -> Outcome {
    let mut graph = Graph::default();
    graph.add("detector", livetime_nodes::find("sim_detector")?)?;
    run_to_the_end(&graph)
}
