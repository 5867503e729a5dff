//! Parameters: set before the run in the graph, and while it runs through its model. A change acts from the next frame.

use std::time::Duration;

use livetime_control::model::Model;
use livetime_engine::{EdgeOptions, Graph, RunOptions};

use crate::Outcome;

pub(crate) fn run() -> Outcome {
    let mut graph = Graph::default();
    let detector = graph.add("detector", livetime_nodes::find("sim_detector")?)?;
    graph.add("stats", livetime_nodes::find("statistics")?)?;
    graph.connect("detector", "stats", EdgeOptions::default())?;
    // A text has its unit; a value out of its range, or of another type, is an error here.
    graph.set(detector, "acquire_period", &"2 ms".into())?;
    graph.set(detector, "offset", &100.0.into())?;
    assert!(graph.set(detector, "acquire_period", &(-1.0).into()).is_err());

    let model = Model::run_graph(&graph, RunOptions::default())?;
    model.set("detector", "offset", 20.0)?;
    let moment = model.newest();
    let (_, node) = moment.node("detector").ok_or("it is in the graph")?;
    println!("03: offset = {:?}", node.value("offset"));
    Ok(model.finish(Duration::from_secs(600)))
}
