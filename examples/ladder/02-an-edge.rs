//! An edge: statistics of each picture. The readbacks of the node are in the report.

use livetime_engine::{EdgeOptions, Graph, NodeType};
use livetime_sim::SimDetector;

use crate::{Outcome, run_to_the_end};

pub(crate) fn run() -> Outcome {
    let mut graph = Graph::default();
    graph.add("detector", NodeType::of::<SimDetector>())?;
    let stats = graph.add("stats", livetime_nodes::find("statistics")?)?;
    graph.connect("detector", "stats", EdgeOptions::default())?;
    graph.set(stats, "compute_statistics", &true.into())?;
    let report = run_to_the_end(&graph)?;
    for (readback, value) in report.nodes[stats].readbacks().filter(|(spec, _)| spec.name == "mean_value") {
        println!("02: {} = {value}", readback.name);
    }
    Ok(report)
}
