//! Graphs with a camera.

use std::time::{Duration, Instant};

use livetime_engine::{EdgeOptions, Graph, NodeType, Report, Run, RunOptions, Value, WhenFull};

/// Long enough for a machine that does much else.
pub(crate) const LIMIT: Duration = livetime_testkit::HANG;

/// Whether libaravis is there; else the test is skipped.
pub(crate) fn has_aravis() -> bool {
    let version = livetime_genicam::version();
    if let Err(why) = &version {
        livetime_testkit::skip("peer/aravis", &why.to_string());
    }
    version.is_ok()
}

/// A camera `cam` with these parameters in front of a sink `end`.
pub(crate) fn graph_of(camera: NodeType, params: &[(&str, Value)]) -> Graph {
    let mut graph = Graph::default();
    let cam = graph.add("cam", camera).unwrap();
    params.iter().for_each(|(name, value)| graph.set(cam, name, value).unwrap());
    graph.add("end", livetime_nodes::find("null").unwrap()).unwrap();
    let options = EdgeOptions { when_full: WhenFull::Block, ..EdgeOptions::default() };
    graph.connect("cam", "end", options).unwrap();
    graph
}

/// The type of node without features of a camera.
pub(crate) fn genicam() -> NodeType {
    livetime_genicam::all().remove(0)
}

pub(crate) fn start(params: &[(&str, Value)]) -> Run {
    Run::start(&graph_of(genicam(), params), RunOptions::default()).unwrap()
}

/// Waits until `is_so`.
pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < LIMIT, "waited in vain: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A parameter or readback of the camera now.
pub(crate) fn value(run: &Run, name: &str) -> Value {
    let params = run.params("cam").unwrap();
    params.into_iter().find(|(spec, _)| spec.name == name).unwrap().1
}

pub(crate) fn assert_closed(report: &Report) {
    assert_eq!(report.imbalances(), Vec::<String>::new());
}

/// A parameter or readback of the camera that is a number.
pub(crate) fn number(run: &Run, name: &str) -> f64 {
    match value(run, name) {
        Value::Int(number) => number as f64,
        Value::Float(number) => number,
        other => panic!("wanted a number as `{name}`, found {other}"),
    }
}
