//! Fan-out: three nodes get the same frame, by reference.

use livetime_engine::{EdgeOptions, Graph, NodeType};
use livetime_sim::SimDetector;

use crate::{Outcome, run_to_the_end};

pub(crate) fn run() -> Outcome {
    let mut graph = Graph::default();
    graph.add("detector", NodeType::of::<SimDetector>())?;
    for (name, node_type) in [("stats", "statistics"), ("turned", "transform"), ("rate", "rate_monitor")] {
        graph.add(name, livetime_nodes::find(node_type)?)?;
        graph.connect("detector", name, EdgeOptions::default())?;
    }
    run_to_the_end(&graph)
}
