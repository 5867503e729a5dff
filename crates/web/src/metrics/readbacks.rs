//! Readbacks of nodes, while they run and at their end.

use std::sync::Arc;

use livetime_control::model::NodeMoment;
use livetime_engine::{NodeReport, ParamSpec, Value};

use super::text::{Exposition, Family, gauge};

const READBACK: Family = gauge(
    "livetime_node_readback",
    "A readback of a node, as `livetime nodes TYPE` lists them; of a pool that of its first copy.",
);

/// Writes down the readbacks of all nodes, as they last said.
pub(super) fn expose(nodes: &[Arc<NodeMoment>], reports: &[NodeReport], text: &mut Exposition) {
    text.family(&READBACK);
    for (node, report) in nodes.iter().zip(reports) {
        if report.last_values.is_empty() {
            let now = node.specs.iter().zip(node.values.iter()).filter(|(spec, _)| spec.readback);
            now.for_each(|(spec, value)| sample(text, &report.name, spec, value));
        } else {
            report.readbacks().for_each(|(spec, value)| sample(text, &report.name, spec, value));
        }
    }
}

/// Numbers and flags; texts and lists are in the report and in the PVs.
fn sample(text: &mut Exposition, node: &str, spec: &ParamSpec, value: &Value) {
    let number = match value {
        Value::Bool(flag) => f64::from(u8::from(*flag)),
        Value::Int(number) => *number as f64,
        Value::Float(number) => *number,
        Value::Text(_) | Value::List(_) => return,
    };
    let labels = [("node", node), ("name", spec.name), ("unit", spec.unit.unwrap_or(""))];
    text.sample(READBACK.name, &labels, number);
}
