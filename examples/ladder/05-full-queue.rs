//! A full queue: each edge has a policy, and every lost frame a place and a reason.

use livetime_engine::{EdgeOptions, Graph, NodeType, WhenFull};
use livetime_sim::SimDetector;

use crate::{Outcome, run_to_the_end};

pub(crate) fn run() -> Outcome {
    let mut graph = Graph::default();
    graph.add("detector", NodeType::of::<SimDetector>())?;
    let block = EdgeOptions { queue: 5, when_full: WhenFull::Block, ..EdgeOptions::default() };
    let newest = EdgeOptions { when_full: WhenFull::Latest, ..EdgeOptions::default() };
    let tenth = EdgeOptions { every: 10, ..EdgeOptions::default() };
    for (name, options) in [("all", block), ("newest", newest), ("tenth", tenth)] {
        graph.add(name, livetime_nodes::find("null")?)?;
        graph.connect("detector", name, options)?;
    }
    let report = run_to_the_end(&graph)?;
    assert_eq!(report.edges[0].delivered, 100);
    assert_eq!((report.edges[2].delivered, report.edges[2].intended()), (10, 90));
    Ok(report)
}
