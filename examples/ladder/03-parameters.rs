//! Parameters: set before the run in the graph, and while it runs through its model. A change acts from the next frame.

use std::time::Duration;

use livetime_control::model::Model;
use livetime_engine::{EdgeOptions, Graph, NodeType, RunOptions};
use livetime_sim::SimDetector;

use crate::Outcome;

pub(crate) fn run() -> Outcome {
    let mut graph = Graph::default();
    let detector = graph.add("detector", NodeType::of::<SimDetector>())?;
    let stats = graph.add("stats", livetime_nodes::find("statistics")?)?;
    graph.set(stats, "compute_statistics", &true.into())?;
    graph.connect("detector", "stats", EdgeOptions::default())?;
    // A text has its unit; a value out of its range, or of another type, is an error here.
    graph.set(detector, "acquire_period", &"2 ms".into())?;
    graph.set(detector, "offset", &100.0.into())?;
    assert!(graph.set(detector, "acquire_period", &(-1.0).into()).is_err());

    let model = Model::run_graph(&graph, RunOptions::default())?;
    model.set("detector", "offset", 20.0)?;
    for moment in model.moments(Duration::from_millis(100)) {
        let (counts, stats) = moment.node("stats").ok_or("it is in the graph")?;
        if counts.completed >= 20 {
            println!("03: {} frames, mean {:?}", counts.completed, stats.value("mean_value"));
            break;
        }
    }
    Ok(model.finish(Duration::from_secs(600)))
}
