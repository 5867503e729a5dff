//! Values of settings in the model: which change writes them, and what they are.

use livetime_engine::{Graph, Refusal, Value, WhenFull};

use super::limits_text;

use crate::model::action::{Change, Rewire, Which};
use crate::model::moment::{Input, NodeMoment, NodeState};
use crate::settings::{Key, RunKey};

/// The names of the values that `change` of a node in this state writes; none for an action.
pub(in crate::model) fn written_by(change: &Change, state: &NodeState) -> Vec<String> {
    let one = |key: RunKey| vec![key.name().to_owned()];
    match change {
        Change::Set(param, _) => vec![param.clone()],
        Change::SetAll(values) => values.iter().map(|(param, _)| param.clone()).collect(),
        Change::Enable(_) => one(RunKey::Enabled),
        Change::Send(_) => one(RunKey::Sends),
        Change::WaitForNodes(_) => one(RunKey::WaitsForNodes),
        Change::Attributes(_) => one(RunKey::Attributes),
        Change::Macros(_) => one(RunKey::Macros),
        Change::Limit(..) | Change::Limits(_) => one(RunKey::Limits),
        // Settings keep one edge of a node, so changes of others are not noted.
        Change::Rewire(rewire) if is_first(&rewire.edge, state) => written_by_wire(rewire),
        _ => Vec::new(),
    }
}

fn written_by_wire(rewire: &Rewire) -> Vec<String> {
    let written = [
        (RunKey::Input, rewire.node.is_some() || rewire.output.is_some()),
        (RunKey::Queue, rewire.queue.is_some()),
        (RunKey::WhenFull, rewire.when_full.is_some()),
        (RunKey::Every, rewire.every.is_some()),
        (RunKey::MaxRate, rewire.max_rate_hz.is_some()),
        (RunKey::MaxBytes, rewire.max_bytes_per_s.is_some()),
    ];
    written.iter().filter(|(_, is_written)| *is_written).map(|(key, _)| key.name().to_owned()).collect()
}

/// Whether the edge is the first one to the first input: the only one that settings keep.
fn is_first(edge: &Which, state: &NodeState) -> bool {
    match edge {
        Which::Number(number) => *number == 0,
        Which::Between { to, .. } => {
            // A node with one edge has no other edge that could be meant.
            state.joined.is_empty() && state.input.as_ref().is_some_and(|input| input.to == *to)
        }
        Which::New(_) => false,
    }
}

/// The value of a node in a moment; `None` if the node has not answered yet.
pub(super) fn value(key: Key, node: &NodeMoment) -> Option<Value> {
    match key {
        Key::Param(spec) => node.value(spec.name).cloned(),
        Key::Run(key) => of_state(key, &node.state),
    }
}

/// How the run handles a node in this state.
pub(super) fn of_state(key: RunKey, state: &NodeState) -> Option<Value> {
    let of_input = |of: fn(&Input) -> Value| state.input.as_ref().map(|input| of(input));
    match key {
        RunKey::Input => of_input(|input| Value::from(&*input.from)),
        RunKey::Queue => of_input(|input| Value::Int(input.options.queue as i64)),
        RunKey::WhenFull => of_input(|input| Value::from(input.options.when_full.name())),
        // A number beyond the range of settings means never, as the largest one does.
        RunKey::Every => of_input(|input| Value::Int(i64::try_from(input.options.every).unwrap_or(i64::MAX))),
        // 0 stands for no limit, as in a change of the edge.
        RunKey::MaxRate => of_input(|input| Value::Float(input.options.max_rate_hz.unwrap_or(0.0))),
        RunKey::MaxBytes => of_input(|input| Value::Float(input.options.max_bytes_per_s.unwrap_or(0.0))),
        RunKey::Macros => Some(Value::from(&*state.macros)),
        RunKey::Attributes => Some(Value::from(&*state.attributes)),
        RunKey::Limits => Some(limits_text::text(&state.limited).into()),
        RunKey::WaitsForNodes => Some(Value::Bool(state.waits_for_nodes)),
        RunKey::Sends => Some(Value::Bool(state.sends)),
        RunKey::Enabled => Some(Value::Bool(state.is_enabled)),
    }
}

/// The change that gives a node this value.
///
/// # Errors
/// [`Refusal`] when the value is not of the key's type, or names no output or policy, or no limit of the node.
pub(super) fn change((node, key): (usize, Key), graph: &Graph, value: &Value) -> Result<Change, Refusal> {
    let value = key.accept(value)?;
    let Key::Run(key) = key else { return Ok(Change::Set(key.name().into(), value)) };
    if let (RunKey::Limits, Value::Text(text)) = (key, &value) {
        let specs = graph.nodes().get(node).map_or(&[][..], |node| node.node_type.param_specs());
        return limits_text::parse(text, specs).map(Change::Limits).map_err(|refusal| refusal.of(key.name()));
    }
    let refused =
        Refusal::value("an output of a node, a policy, or a number from 0 on", format_args!("`{value}`"));
    change_run(key, graph, value).ok_or_else(|| refused.of(key.name()))
}

fn change_run(key: RunKey, graph: &Graph, value: Value) -> Option<Change> {
    let usual = Rewire::default();
    let rewire = match (key, value) {
        (RunKey::Enabled, Value::Bool(value)) => return Some(Change::Enable(value)),
        (RunKey::Sends, Value::Bool(value)) => return Some(Change::Send(value)),
        (RunKey::WaitsForNodes, Value::Bool(value)) => return Some(Change::WaitForNodes(value)),
        (RunKey::Attributes, Value::Text(text)) => return Some(Change::Attributes(text)),
        (RunKey::Macros, Value::Text(text)) => return Some(Change::Macros(text)),
        (RunKey::Input, Value::Text(from)) => {
            let (node, output) = output(graph, &from)?;
            Rewire { node: Some(node), output: Some(output), ..usual }
        }
        (RunKey::WhenFull, Value::Text(wanted)) => {
            let policy = WhenFull::ALL.iter().find(|(_, name)| *name == wanted)?.0;
            Rewire { when_full: Some(policy), ..usual }
        }
        (RunKey::Queue, Value::Int(queue)) => Rewire { queue: Some(queue.try_into().ok()?), ..usual },
        (RunKey::Every, Value::Int(every)) => Rewire { every: Some(every.try_into().ok()?), ..usual },
        (RunKey::MaxRate, Value::Float(hz)) => Rewire { max_rate_hz: Some(hz), ..usual },
        (RunKey::MaxBytes, Value::Float(bytes)) => Rewire { max_bytes_per_s: Some(bytes), ..usual },
        _ => return None,
    };
    Some(Change::Rewire(rewire))
}

/// Node and number of an output given as `node` or `node.output`.
fn output(graph: &Graph, from: &str) -> Option<(String, usize)> {
    // The whole text may be a name, because names may have points.
    let (name, port) = match graph.node(from) {
        Ok(_) => (from, None),
        Err(_) => from.rsplit_once('.').map(|(name, port)| (name, Some(port)))?,
    };
    let outputs = graph.nodes()[graph.node(name).ok()?].node_type.spec.outputs;
    // Without a port the first output is meant, as in the pipeline file.
    let output = port.map_or(Some(0), |port| outputs.iter().position(|output| output.name == port))?;
    // A sink has no output.
    (output < outputs.len()).then(|| (name.to_owned(), output))
}
