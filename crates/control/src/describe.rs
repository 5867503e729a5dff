//! Types of nodes as data: ports, and parameters with their units, ranges and defaults.
//!
//! Every face that has to offer a parameter, or to explain a node, takes it from here.

use livetime_engine::{NodeType, ParamKind, ParamSpec, PortSpec, Value as ParamValue};
use serde_json::{Value, json};

use crate::settings::is_saved;

/// A type of node with its ports and parameters. Keys are stable: new ones may be added, none changes its
/// meaning.
pub fn describe_json(node: &NodeType) -> Value {
    let spec = &node.spec;
    let defaults = node.params();
    let params = node.param_specs().iter().enumerate();
    json!({
        "name": spec.name,
        "kind": spec.kind.name(),
        "summary": spec.summary,
        "parallel": spec.parallel,
        "inputs": spec.inputs.iter().map(port_json).collect::<Vec<_>>(),
        "outputs": spec.outputs.iter().map(port_json).collect::<Vec<_>>(),
        "params": params.map(|(i, s)| param_json(s, defaults.get(i))).collect::<Vec<_>>(),
    })
}

fn port_json(port: &PortSpec) -> Value {
    json!({
        "name": port.name,
        "frames": port.accepts.to_string(),
        "kinds": port.accepts.kinds.iter().map(|k| k.name()).collect::<Vec<_>>(),
        "dtypes": port.accepts.dtypes.iter().map(|d| d.name()).collect::<Vec<_>>(),
        "min_dims": port.accepts.ndim.map(|d| d.0),
        "max_dims": port.accepts.ndim.map(|d| d.1),
    })
}

fn param_json(spec: &ParamSpec, default: Option<ParamValue>) -> Value {
    let choice = |c: &livetime_engine::Choice| json!({ "name": c.name, "doc": c.doc, "pv": c.pv });
    let choices = match spec.kind {
        ParamKind::Enum(choices) => choices.iter().map(choice).collect(),
        _ => Value::Null,
    };
    json!({
        "name": spec.name,
        "doc": spec.doc,
        "type": spec.kind.name(),
        "unit": spec.unit,
        "min": spec.min,
        "max": spec.max,
        "pv": spec.pv,
        "readback": spec.readback,
        "saved": is_saved(spec),
        "default": default.as_ref().map(value_json),
        "choices": choices,
    })
}

/// A parameter's value in JSON; numbers that JSON cannot hold become null.
pub fn value_json(value: &ParamValue) -> Value {
    match value {
        ParamValue::Bool(v) => json!(v),
        ParamValue::Int(v) => json!(v),
        ParamValue::Float(v) => json!(v),
        ParamValue::Text(v) => json!(v),
        ParamValue::List(v) => json!(v),
    }
}
