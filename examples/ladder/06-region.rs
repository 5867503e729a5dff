//! A region is a view: the new frame points into the pixels of the detector's frame.

use livetime_engine::{Graph, NodeType};
use livetime_sim::SimDetector;

use crate::{Outcome, block, run_to_the_end};

pub(crate) fn run() -> Outcome {
    let mut graph = Graph::default();
    graph.add("detector", NodeType::of::<SimDetector>())?;
    let region = graph.add("region", livetime_nodes::find("roi")?)?;
    graph.add("stats", livetime_nodes::find("statistics")?)?;
    graph.connect("detector", "region", block())?;
    graph.connect("region", "stats", block())?;
    for (name, value) in [("min_x", 64), ("min_y", 64), ("size_x", 128), ("size_y", 32)] {
        graph.set(region, name, &value.into())?;
    }
    run_to_the_end(&graph)
}
