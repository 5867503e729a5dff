//! A checked graph as text and as JSON.

use livetime_engine::{EdgeDecl, Graph, PortSpec};
use serde_json::{Value, json};

use crate::commands::count;
use crate::config::Pipeline;
use crate::report::numbers::bytes;
use crate::report::table::{Style, Table};

pub(super) fn as_text(pipeline: &Pipeline) -> String {
    let Pipeline { graph, plan, .. } = pipeline;
    let mut table = Table::new(&["from", "to", "frames", "queue", "when full"]);
    for edge in graph.edges() {
        table.row([
            output_name(graph, edge.from),
            input_name(graph, edge.to),
            plan.streams[edge.from.0][edge.from.1].to_string(),
            edge.options.queue.to_string(),
            edge.options.when_full.name().to_owned(),
        ]);
    }
    format!(
        "{}\nok: {}, {}; {}\n",
        table.render(Style::default()),
        count(graph.nodes().len(), "node"),
        count(graph.edges().len(), "edge"),
        memory(pipeline),
    )
}

/// What a graph may hold, and how much of it full queues and links do.
pub(super) fn memory(pipeline: &Pipeline) -> String {
    let Pipeline { graph, plan, .. } = pipeline;
    let links = if plan.kept_of_run() > 0 { " and links" } else { "" };
    let held = format!(
        "full queues{links} hold {} of at most {}",
        bytes(plan.memory_bytes),
        bytes(graph.memory_bytes as u64)
    );
    match plan.kept_beside() {
        0 => held,
        own => format!("{held}, and frames from links {} beside it", bytes(own)),
    }
}

pub(super) fn as_json(pipeline: &Pipeline) -> Value {
    let Pipeline { graph, plan, .. } = pipeline;
    let edge = |e: &EdgeDecl| {
        json!({
            "from": output_name(graph, e.from),
            "to": input_name(graph, e.to),
            "frames": plan.streams[e.from.0][e.from.1].to_string(),
            "queue": e.options.queue,
            "when_full": e.options.when_full.name(),
            "every": e.options.every,
            "max_rate_hz": e.options.max_rate_hz,
        })
    };
    let node = |n: &livetime_engine::NodeDecl| json!({ "name": n.name, "type": n.node_type.spec.name });
    json!({
        "ok": true,
        "nodes": graph.nodes().iter().map(node).collect::<Vec<_>>(),
        "edges": graph.edges().iter().map(edge).collect::<Vec<_>>(),
        "queues_bytes": plan.memory_bytes.saturating_sub(plan.kept_of_run()),
        "windows_bytes": plan.kept_of_run(),
        "beside_bytes": plan.kept_beside(),
        "memory_bytes": graph.memory_bytes,
    })
}

fn output_name(graph: &Graph, (node, port): (usize, usize)) -> String {
    let decl = &graph.nodes()[node];
    port_name(&decl.name, decl.node_type.spec.outputs, port)
}

fn input_name(graph: &Graph, (node, port): (usize, usize)) -> String {
    let decl = &graph.nodes()[node];
    port_name(&decl.name, decl.node_type.spec.inputs, port)
}

fn port_name(node: &str, ports: &[PortSpec], port: usize) -> String {
    format!("{node}.{}", ports[port].name)
}
