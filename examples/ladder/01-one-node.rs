//! One node: a simulated detector, alone.

use livetime_engine::{Graph, NodeType};
use livetime_sim::SimDetector;

use crate::{Outcome, run_to_the_end};

pub(crate) fn run() -> Outcome {
    let mut graph = Graph::default();
    graph.add("detector", NodeType::of::<SimDetector>())?;
    run_to_the_end(&graph)
}
