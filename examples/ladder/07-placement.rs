//! Placement: which thread runs a node. Results do not depend on it.

use livetime_engine::{Graph, NodeType, Placement};
use livetime_sim::SimDetector;

use crate::{Outcome, block, run_to_the_end};

pub(crate) fn run() -> Outcome {
    let mut graph = Graph::default();
    graph.add("detector", NodeType::of::<SimDetector>())?;
    let line = [
        ("region", "roi", Placement::Inline),
        ("packed", "compress", Placement::Pool(2)),
        ("rate", "rate_monitor", Placement::Group("light".into())),
        ("end", "null", Placement::Group("light".into())),
    ];
    let mut before = "detector";
    for (name, node_type, placement) in line {
        let node = graph.add(name, livetime_nodes::find(node_type)?)?;
        graph.options_mut(node).ok_or("it was just added")?.placement = placement;
        graph.connect(before, name, block())?;
        before = name;
    }
    run_to_the_end(&graph)
}
