//! The same nodes on the recording of the step before: edges that block lose nothing, and every run gives the same bytes.

use livetime_engine::Graph;

use crate::{Outcome, block, run_to_the_end};

pub(crate) fn run() -> Outcome {
    let mut graph = Graph::default();
    let source = graph.add("run", livetime_nodes::find("recording")?)?;
    graph.set(source, "file", &"out/ladder/run_001.h5".into())?;
    graph.add("stats", livetime_nodes::find("statistics")?)?;
    graph.connect("run", "stats", block())?;
    let report = run_to_the_end(&graph)?;
    assert_eq!(report.edges[0].delivered, 100);
    Ok(report)
}
