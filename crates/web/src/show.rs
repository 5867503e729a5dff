//! The state of a run, as JSON (docs/spec/web.md).

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use livetime_control::describe::{describe_json, value_json};
use livetime_control::model::{
    Account, Caller, Entry, Grown, Input, Limited, Moment, NodeMoment, NodeTimes, Percentiles, Spans, What,
    Window,
};
use livetime_control::report::json::bottleneck;
use livetime_control::report::losses::Loss;
use livetime_control::report::summary::placement;
use livetime_engine::{EdgeAccount, EdgeOptions, Graph, NodeDecl, Placement, Report, Run, Times};
use serde_json::{Map, Value, json};

/// A number as short as is good enough for a screen: five digits.
fn short(value: f64) -> Value {
    // The logarithm of 0 and of infinity is no number of digits.
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { json!(0) } else { Value::Null };
    }
    let digits = 4 - value.abs().log10().floor() as i32;
    // Powers beyond this are no `f64` any more.
    let scale = 10f64.powi(digits.clamp(-300, 300));
    let rounded = (value * scale).round() / scale;
    // A whole number is written without a point, which is shorter.
    if rounded.fract() == 0.0 && rounded.abs() < 1e15 { json!(rounded as i64) } else { json!(rounded) }
}

fn short_ms(ns: u64) -> Value {
    short(ns as f64 / 1e6)
}

// ---- Moments ----

/// The message `moment`. `limit` is the graph's limit, which is costly to estimate.
pub(crate) fn moment_json(moment: &Moment, graph: u64, at_ns: i64, limit: &Value) -> Value {
    let report = &moment.report;
    // A failure is also an end, so it is looked at first.
    let state = if report.failure.is_some() {
        "failed"
    } else if report.finished {
        "ended"
    } else {
        "running"
    };
    let mut shown = json!({
        "kind": "moment",
        "version": moment.version,
        "graph": graph,
        "at_ns": at_ns,
        "elapsed_ns": report.elapsed_ns,
        "state": state,
        "failure": report.failure,
        "run": run_numbers(moment),
        "limit": limit,
        "nodes": node_numbers(moment),
        "edges": edge_numbers(moment),
        "losses": losses(moment, at_ns),
        "loss": loss_json(moment, at_ns),
    });
    let alarms = alarms(moment);
    // The key is left out of most messages, because few runs have alarms.
    if !alarms.is_empty() {
        shown["alarms"] = alarms.into();
    }
    shown
}

/// The values that are beyond their limits: node, value, which limit, where that is, severity.
fn alarms(moment: &Moment) -> Vec<Value> {
    let of_node = |(number, node): (usize, &Arc<NodeMoment>)| -> Vec<Value> {
        let of = |limited: &Limited| {
            let bound = limited.beyond?;
            let (what, severity) = (limited.quantity.to_string(), limited.severity().name());
            Some(json!([number, what, bound.name(), limited.limits.at(bound), severity]))
        };
        node.state.limited.iter().filter_map(of).collect()
    };
    moment.nodes.iter().enumerate().flat_map(of_node).collect()
}

fn run_numbers(moment: &Moment) -> Value {
    let report = &moment.report;
    let sums = &moment.losses.sums;
    json!({
        "hz": short(moment.rates.hz),
        "cpu": moment.rates.cpu_percent.map(short),
        "live": moment.live,
        "frames": livetime_control::report::rates::frames_of_sources(report),
        "unintended": sums.unintended,
        "intended": sums.intended,
        "offered": sums.offered,
        "delivered": sums.delivered,
        "queued": sums.queued,
        "closed": report.imbalances().is_empty(),
        "pool_used": report.pool.used_bytes,
        "pool_limit": report.pool.limit_bytes,
        "pool_peak": report.pool.peak_bytes,
    })
}

fn node_numbers(moment: &Moment) -> Value {
    let (reports, nodes) = (&moment.report.nodes, &moment.nodes);
    let rate = |of: fn(&livetime_control::model::Rates) -> Option<f64>| -> Vec<Value> {
        nodes.iter().map(|node| of(&node.rates).map_or(Value::Null, short)).collect()
    };
    let count =
        |of: fn(&livetime_engine::NodeReport) -> u64| -> Vec<u64> { reports.iter().map(of).collect() };
    let time = |of: fn(&livetime_engine::NodeReport) -> u64| -> Vec<Value> {
        reports.iter().map(|report| short_ms(of(report))).collect()
    };
    let lost = |intended: bool| -> Vec<u64> {
        (0..reports.len()).map(|node| lost_by(moment, node, intended)).collect()
    };
    json!({
        "hz": rate(|rates| Some(rates.hz)),
        "in_hz": rate(|rates| rates.in_hz),
        "out_hz": rate(|rates| rates.out_hz),
        "frames": nodes.iter().map(|node| node.state.frames).collect::<Vec<_>>(),
        "service_ms": rate(|rates| Some(rates.service_ms)),
        "cpu": rate(|rates| rates.cpu_percent),
        "service_p50_ms": time(|report| p50(&report.service)),
        "service_p99_ms": time(|report| p99(&report.service)),
        "waiting_p50_ms": time(|report| p50(&report.waiting)),
        "waiting_p99_ms": time(|report| p99(&report.waiting)),
        "latency_p50_ms": time(|report| p50(&report.latency)),
        "latency_p99_ms": time(|report| p99(&report.latency)),
        "queued": count(|report| report.queued),
        "capacity": count(|report| report.capacity),
        "lost": lost(false),
        "left_out": lost(true),
        "losing": losing(moment, reports.len(), |grown| grown.loss.node(&moment.report)),
        "state": (0..nodes.len()).map(|node| state_bits(moment, node)).collect::<Vec<_>>(),
    })
}

fn p50(times: &Times) -> u64 {
    times.p50_ns()
}

fn p99(times: &Times) -> u64 {
    times.p99_ns()
}

/// Frames lost before and in a node: the intended ones, or the others.
pub(crate) fn lost_by(moment: &Moment, node: usize, intended: bool) -> u64 {
    let losses = moment.losses.nodes.get(node);
    losses.map_or(0, |losses| if intended { losses.intended() } else { losses.unintended() })
}

// ---- Times ----

/// The message `times`: percentiles over each window, which change once a second.
pub(crate) fn times_json(moment: &Moment) -> Value {
    json!({
        "kind": "times",
        "version": moment.version,
        "waiting": spans_json(moment, |times| &times.waiting),
        "service": spans_json(moment, |times| &times.service),
        "latency": spans_json(moment, |times| &times.latency),
    })
}

fn spans_json(moment: &Moment, of: fn(&NodeTimes) -> &Spans) -> Value {
    let over = |window: Window, ns: fn(&Percentiles) -> u64| -> Value {
        let all = moment.nodes.iter().map(|node| of(&node.times).over(window));
        // A window without frames has no percentiles.
        all.map(|found| if found.count == 0 { Value::Null } else { short_ms(ns(found)) }).collect()
    };
    let windows = |ns: fn(&Percentiles) -> u64| -> Map<String, Value> {
        Window::ALL.iter().map(|window| (window.name().to_owned(), over(*window, ns))).collect()
    };
    json!({ "p50_ms": windows(|found| found.p50_ns), "p99_ms": windows(|found| found.p99_ns) })
}

/// 1 enabled, 2 sends, 4 acquiring, 8 busy, 16 source.
fn state_bits(moment: &Moment, node: usize) -> u8 {
    let state = &moment.nodes[node].state;
    // The page reads the bits in this order.
    let bits = [state.is_enabled, state.sends, state.acquires(), state.is_busy, state.is_source];
    bits.iter().enumerate().map(|(bit, is_set)| u8::from(*is_set) << bit).sum()
}

fn edge_numbers(moment: &Moment) -> Value {
    let report = &moment.report;
    let count = |of: fn(&EdgeAccount) -> u64| -> Vec<u64> { report.edges.iter().map(of).collect() };
    json!({
        "offered": count(|edge| edge.offered),
        "delivered": count(|edge| edge.delivered),
        "queued": count(|edge| edge.queued),
        "capacity": count(|edge| edge.capacity),
        "lost": count(EdgeAccount::unintended),
        "left_out": count(EdgeAccount::intended),
        "losing": losing(moment, report.edges.len(), |grown| grown.loss.place.edge()),
        "waiting_p99_ms": report.edges.iter().map(|edge| short_ms(edge.waiting.p99_ns())).collect::<Vec<_>>(),
    })
}

/// 1 for each of `many` places where something is being lost unintentionally.
fn losing(moment: &Moment, many: usize, place: impl Fn(&Grown) -> Option<usize>) -> Vec<u8> {
    let mut losing = vec![0; many];
    for grown in moment.losses.kinds.iter().filter(|grown| grown.is_losing) {
        if let Some(place) = place(grown).and_then(|place| losing.get_mut(place)) {
            *place = 1;
        }
    }
    losing
}

/// Each kind of loss: edge or null, reason, count, node or null, whether it was asked for, when it grew last, and whether it goes on.
fn losses(moment: &Moment, at_ns: i64) -> Value {
    let of = |grown: &Grown| {
        let Loss { place, reason, is_intended, count } = grown.loss;
        let (node, grew_ns) = (grown.loss.node(&moment.report), time_of(moment, at_ns, grown));
        json!([place.edge(), reason.name(), count, node, is_intended, grew_ns, grown.is_losing])
    };
    moment.losses.kinds.iter().map(of).collect()
}

/// When a loss grew last: time of day, in ns.
fn time_of(moment: &Moment, at_ns: i64, grown: &Grown) -> i64 {
    at_ns - moment.report.elapsed_ns.saturating_sub(grown.seen_ns) as i64
}

/// How the run stands as to losses.
fn loss_json(moment: &Moment, at_ns: i64) -> Value {
    let book = &moment.losses;
    let noted = book.acknowledged.as_ref().map(
        |noted| json!({ "unintended": noted.unintended, "at_ns": noted.at_ns, "by": caller_json(&noted.by) }),
    );
    json!({
        "state": book.standing.name(),
        "newest": book.newest,
        "text": book.newest().map(|newest| newest.loss.describe(&moment.report)),
        "at_ns": book.newest().map(|newest| time_of(moment, at_ns, newest)),
        "acknowledged": noted,
    })
}

/// The limit of a run, or null.
pub(crate) fn limit_json(report: &Report) -> Value {
    report.bottleneck().map_or(Value::Null, |found| bottleneck(report, &found))
}

// ---- The graph ----

/// Differs when [`edges_json`] does.
pub(crate) fn edges_hash(moment: &Moment) -> u64 {
    let mut hasher = DefaultHasher::new();
    for edge in &moment.report.edges {
        // The capacity shows that an edge was opened or closed.
        (&edge.from, &edge.to, edge.when_full.name(), edge.capacity).hash(&mut hasher);
    }
    for input in moment.nodes.iter().flat_map(|node| node.state.edges()) {
        let EdgeOptions { when_full, queue, every, max_rate_hz, .. } = input.options;
        // The bits of a rate are hashed, because an `f64` has no hash.
        (&input.from, &input.to, when_full, queue, every, max_rate_hz.map(f64::to_bits)).hash(&mut hasher);
    }
    hasher.finish()
}

/// The edges as the message `graph` has them.
pub(crate) fn edges_json(moment: &Moment, graph: &Graph) -> Value {
    moment.report.edges.iter().map(|edge| edge_json(edge, moment, graph)).collect()
}

fn edge_json(edge: &EdgeAccount, moment: &Moment, graph: &Graph) -> Value {
    let is_inline = edge
        .nodes
        .1
        .and_then(|node| graph.nodes().get(node))
        .is_some_and(|node| node.options.placement == Placement::Inline);
    let options = options_of(edge, moment, graph);
    json!({
        "from": edge.from,
        "to": edge.to,
        "nodes": [edge.nodes.0, edge.nodes.1],
        "when_full": edge.when_full.name(),
        // An inline edge has no queue, and is open all the same.
        "open": edge.capacity > 0 || is_inline,
        "queue": options.map(|options| options.queue),
        "every": options.map(|options| options.every),
        "max_rate_hz": options.and_then(|options| options.max_rate_hz),
    })
}

/// How an edge is now, or how it was declared if it is no more.
fn options_of(edge: &EdgeAccount, moment: &Moment, graph: &Graph) -> Option<EdgeOptions> {
    let node = edge.nodes.1.and_then(|node| moment.nodes.get(node));
    let is_this = |input: &&Arc<Input>| input.from == edge.from && input.to == edge.to;
    // The present options come first; a closed edge has only its declaration.
    if let Some(input) = node.and_then(|node| node.state.edges().find(is_this)) {
        return Some(input.options);
    }
    let name = |(node, port): (usize, usize), is_input: bool| {
        let decl = graph.nodes().get(node)?;
        let spec = &decl.node_type.spec;
        let port = if is_input { spec.inputs.get(port) } else { spec.outputs.get(port) };
        Some(format!("{}.{}", decl.name, port?.name))
    };
    let is_it = |decl: &&livetime_engine::EdgeDecl| {
        name(decl.from, false).as_deref() == Some(&*edge.from)
            && name(decl.to, true).as_deref() == Some(&*edge.to)
    };
    graph.edges().iter().find(is_it).map(|decl| decl.options)
}

/// The nodes as `describe` has them.
pub(crate) fn nodes_json(graph: &Graph, settings: Option<&Account>) -> Value {
    graph.nodes().iter().map(|decl| node_decl_json(decl, settings)).collect()
}

fn node_decl_json(decl: &NodeDecl, settings: Option<&Account>) -> Value {
    let spec = &decl.node_type.spec;
    let outputs = spec.outputs.iter().map(|port| {
        let kinds: Vec<_> = port.accepts.kinds.iter().map(|kind| kind.name()).collect();
        json!({ "name": format!("{}.{}", decl.name, port.name), "kinds": kinds })
    });
    let params = decl.node_type.param_specs().iter().filter(|spec| !spec.readback);
    let initial: Map<String, Value> =
        params.filter_map(|spec| Some((spec.name.to_owned(), value_json(&decl.value(spec.name)?)))).collect();
    json!({
        "name": decl.name,
        "type": spec.name,
        "kind": spec.kind.name(),
        "placement": placement(&decl.options.placement),
        "initial": initial,
        "file": file_values(decl, settings),
        "outputs": outputs.collect::<Vec<_>>(),
    })
}

/// Values of the pipeline file, of parameters that settings have changed.
fn file_values(decl: &NodeDecl, settings: Option<&Account>) -> Map<String, Value> {
    let rows = settings.into_iter().flat_map(|settings| &settings.rows).filter(|row| row.node == decl.name);
    // A value as in the file needs no mark on the page.
    let params = rows.filter(|row| decl.value(&row.key).is_some() && row.file != decl.value(&row.key));
    params.filter_map(|row| Some((row.key.clone(), value_json(row.file.as_ref()?)))).collect()
}

/// The types of the nodes by name.
pub(crate) fn types_json(graph: &Graph) -> Value {
    let types: BTreeMap<&str, Value> =
        graph.nodes().iter().map(|decl| (decl.node_type.spec.name, describe_json(&decl.node_type))).collect();
    json!(types)
}

// ---- Nodes ----

/// A node with all that is known of it but counts.
pub(crate) fn node_json(moment: &Moment, run: &Run, number: usize) -> Value {
    let (Some(decl), Some(node)) = (run.graph().nodes().get(number), moment.nodes.get(number)) else {
        return Value::Null;
    };
    let state = &node.state;
    let input = |input: &Arc<Input>| {
        json!({
            "from": input.from,
            "to": input.to,
            "when_full": input.options.when_full.name(),
            "queue": input.options.queue,
            "every": input.options.every,
            "max_rate_hz": input.options.max_rate_hz,
        })
    };
    json!({
        "name": decl.name,
        "version": moment.version,
        "enabled": state.is_enabled,
        "sends": state.sends,
        "acquiring": state.acquires(),
        "busy": state.is_busy,
        "input": state.input.as_ref().map(input),
        "inputs": state.edges().map(input).collect::<Vec<_>>(),
        "values": values_json(moment, number, None),
    })
}

/// The values of a node by name; with `before`, only the values that differ from it.
pub(crate) fn values_json(
    moment: &Moment,
    number: usize,
    before: Option<&[livetime_engine::Value]>,
) -> Map<String, Value> {
    let Some(node) = moment.nodes.get(number) else { return Map::new() };
    let is_new = |index: usize| before.is_none_or(|before| before.get(index) != node.values.get(index));
    let values = node.specs.iter().zip(node.values.iter()).enumerate();
    values
        .filter(|(index, _)| is_new(*index))
        .map(|(_, (spec, value))| (spec.name.to_owned(), value_json(value)))
        .collect()
}

// ---- The log ----

/// The caller of an action, for the page.
pub(crate) fn caller_json(caller: &Caller) -> Value {
    let mut json =
        json!({ "face": caller.face, "user": caller.user, "from": caller.from.map(|from| from.to_string()) });
    // Left out of most entries: few come through another host.
    if let Some(door) = &caller.door {
        json["door"] = door.clone().into();
    }
    json
}

/// An entry of the log.
pub(crate) fn entry_json(entry: &Entry) -> Value {
    match &entry.what {
        What::Event(event) => json!({
            "number": entry.number,
            "at_ns": entry.at_ns,
            "what": "event",
            "level": if event.is_error { "error" } else { "info" },
            "node": event.node,
            "text": event.message,
        }),
        What::Action { caller, node, action, problem } => json!({
            "number": entry.number,
            "at_ns": entry.at_ns,
            "what": "action",
            "level": "info",
            "node": node,
            "text": action,
            "by": caller_json(caller),
            "problem": problem,
        }),
    }
}

#[cfg(test)]
mod tests {
    use livetime_control::model::{Action, Bound, Change, Limit, Model, Quantity, Severity};

    use super::*;

    #[test]
    fn a_moment_has_the_values_that_are_beyond_their_limits() {
        let text = "nodes:\n  cam: {type: sim_detector, params: {acquire: false}}\n";
        let nodes = [livetime_nodes::ALL, livetime_sim::ALL].concat();
        let graph = livetime_control::config::parse("f", text, &nodes, &[]).unwrap().graph;
        let model = Model::run_graph(&graph, livetime_engine::RunOptions::default()).unwrap();
        let change = |change| model.act_and_wait(Caller::program(), Action::Change(0, change)).moment;
        let limit = |limit| change(Change::Limit(Quantity::Param("offset"), limit));
        limit(Limit::At(Bound::HiHi, -1.0));
        assert_eq!(moment_json(&limit(Limit::Hysteresis(0.5)), 1, 0, &Value::Null).get("alarms"), None);
        let moment = limit(Limit::Severity(Bound::HiHi, Severity::Major));
        let wanted = json!([[0, "offset", "HIHI", -1.0, "MAJOR"]]);
        assert_eq!(moment_json(&moment, 1, 0, &Value::Null)["alarms"], wanted);
        assert!(model.finish(livetime_testkit::HANG).imbalances().is_empty());
    }

    #[test]
    fn numbers_are_as_short_as_a_screen_needs() {
        let found: Vec<String> = [0.0, 200.0, 199.98765, 0.000_123_456_7, 2_630_123.4, f64::NAN]
            .map(|v| short(v).to_string())
            .into();
        assert_eq!(found, ["0", "200", "199.99", "0.00012346", "2630100", "null"]);
    }
}
