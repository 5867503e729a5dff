//! Values that no node can take, and the largest that it must: the values that every face writes pass here.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use livetime_control::config;
use livetime_control::model::Model;
use livetime_engine::{ParamKind, ParamSpec, RunOptions, Value};

use crate::model::LONG;

/// One of each kind of node that works on pictures.
const MANY: &str = "memory: 256 MiB
nodes:
  cam:
    type: sim_detector
    params: {max_size_x: 16, max_size_y: 8, data_type: u16, color_mode: mono, acquire_period: 2 ms, acquire_time: 0 s}
  roi: {type: roi, from: cam}
  stats: {type: statistics, from: cam}
  process: {type: process, from: cam}
  transform: {type: transform, from: cam}
  overlay: {type: overlay, from: cam}
  rois: {type: roi_statistics, from: cam}
  bad: {type: bad_pixels, from: cam}
  color: {type: color_convert, from: cam}
  resize: {type: resize, from: cam}
";

fn start() -> Model {
    let pipeline =
        config::parse("many.yaml", MANY, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[]).unwrap();
    Model::run_graph(&pipeline.graph, RunOptions::default()).unwrap()
}

/// Numbers that may be written: name of the node, and declaration. Of the members of a group one stands for all.
fn numbers(model: &Model) -> Vec<(String, &'static ParamSpec)> {
    let nodes = model.run().graph().nodes().iter();
    let all =
        nodes.flat_map(|node| node.node_type.param_specs().iter().map(|spec| (node.name.clone(), spec)));
    let is_number = |spec: &ParamSpec| matches!(spec.kind, ParamKind::Int | ParamKind::Float);
    let is_first = |spec: &ParamSpec| spec.member().is_none_or(|(number, _)| number == 1);
    all.filter(|(_, spec)| !spec.readback && is_number(spec) && is_first(spec)).collect()
}

fn value(spec: &ParamSpec, number: f64) -> Value {
    if matches!(spec.kind, ParamKind::Int) { Value::Int(number as i64) } else { Value::Float(number) }
}

#[test]
fn what_is_outside_of_a_declared_range_is_refused_in_words() {
    let model = start();
    let mut tried = 0;
    for (node, spec) in numbers(&model) {
        let low = spec.min.map(|min| min - min.abs().max(1.0));
        let high = spec.max.map(|max| max + max.abs().max(1.0));
        for number in low.into_iter().chain(high) {
            let error = model.run().set(&node, spec.name, &value(spec, number)).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{}`: wanted ", spec.name)), "{node}: {error}");
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried}");
    model.run().stop();
    model.finish(LONG);
}

#[test]
fn no_number_that_is_accepted_makes_a_node_panic() {
    let model = start();
    for (node, spec) in numbers(&model) {
        // A period of years is accepted, and the source then sleeps.
        if node == "cam" && spec.unit == Some("s") {
            continue;
        }
        let decl = &model.run().graph().nodes()[model.run().graph().node(&node).unwrap()];
        let before = decl.value(spec.name).unwrap();
        for number in [0.0, -1.0, 1e300, -1e300, f64::MIN_POSITIVE] {
            if model.run().set(&node, spec.name, &value(spec, number)).is_ok() {
                // At least one frame goes through it with this value, once there was a first one.
                let _ = model.run().process_again(&node);
            }
        }
        model.run().set(&node, spec.name, &before).unwrap();
    }
    model.run().stop();
    let report = model.finish(LONG);
    let panics: Vec<_> = report.events.iter().filter(|event| event.message.contains("panic")).collect();
    assert!(panics.is_empty(), "{panics:?}");
    assert!(report.imbalances().is_empty(), "{:?}", report.imbalances());
}
