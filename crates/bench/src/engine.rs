//! `livetime-bench engine`: the cost of passing a frame from node to node.

use crate::Failed;
use std::time::Duration;

use livetime_engine::{EdgeOptions, Graph, NodeType, Placement, Report, Run, RunOptions, WhenFull};
use serde_json::{Value, json};

use super::flood::{Flood, Hop};
use super::{CountAllocations, Progress, Record, Settings, Spread, in_one_line};
use livetime_control::report::table::{Style, Table};

/// One way of connecting nodes.
struct Case {
    name: &'static str,
    graph: Graph,
    /// Hops of a frame, in rows that state the cost of one hop; else 0.
    hops: u64,
}

/// The measurement of one case.
struct Row {
    name: &'static str,
    statistics: bool,
    hops: u64,
    ns: Spread,
    allocations: f64,
}

pub(super) fn run(
    settings: &Settings,
    count: CountAllocations,
    progress: &mut Progress,
) -> Result<Record, Failed> {
    let cases = cases()?;
    let mut rows: Vec<Row> = Vec::new();
    // The cost of a hop is the difference to the source alone, so that case always runs.
    let is_wanted = |c: &&Case| c.name == "source alone" || c.name.contains(&settings.filter);
    for case in cases.iter().filter(is_wanted) {
        for statistics in [false, true] {
            progress.log(format!("{}, statistics {statistics}", case.name));
            let mut samples = Vec::new();
            for _ in 0..settings.repeats() {
                samples.push(measure(&case.graph, statistics, count, settings.quick)?);
            }
            // The largest of the repeats, so that no allocation is averaged away.
            let allocations = samples.iter().map(|s| s.1).fold(0.0, f64::max);
            let ns = Spread::of(samples.into_iter().map(|s| s.0).collect());
            rows.push(Row { name: case.name, statistics, hops: case.hops, ns, allocations });
        }
    }
    Ok(record(&rows))
}

const NULL: NodeType = NodeType::of::<livetime_nodes::sinks::null::Null>();

/// Hops in the chains. Their times are divided by this number.
const CHAIN: u64 = 8;

fn cases() -> Result<Vec<Case>, livetime_engine::GraphError> {
    let group = || Placement::Group("group".into());
    Ok(vec![
        Case { name: "source alone", graph: graph(1, 0, &Placement::Own, false)?, hops: 0 },
        Case { name: "inline hop", graph: chain(&Placement::Inline)?, hops: CHAIN },
        Case { name: "same-group hop", graph: chain(&group())?, hops: CHAIN },
        Case { name: "one thread to one", graph: graph(1, 1, &Placement::Own, false)?, hops: 0 },
        Case { name: "one to eight", graph: graph(1, 8, &Placement::Own, false)?, hops: 0 },
        Case { name: "one to eight, same group", graph: graph(1, 8, &group(), true)?, hops: 0 },
        Case { name: "eight to one", graph: graph(8, 1, &Placement::Own, false)?, hops: 0 },
        Case { name: "pool of 2, order restored", graph: pool()?, hops: 0 },
    ])
}

fn edge() -> EdgeOptions {
    EdgeOptions { when_full: WhenFull::Block, queue: 1024, ..EdgeOptions::default() }
}

/// Every source to every sink.
fn graph(
    sources: usize,
    sinks: usize,
    placement: &Placement,
    together: bool,
) -> Result<Graph, livetime_engine::GraphError> {
    let mut graph = Graph::default();
    for i in 0..sources {
        let source = add(&mut graph, &format!("source{i}"), NodeType::of::<Flood>(), &Placement::Own)?;
        if together {
            // Only one frame at a time can be sent into a blocking edge of one's own thread.
            graph.set(source, "batch", &1.into())?;
            place(&mut graph, source, placement);
        }
    }
    for i in 0..sinks {
        add(&mut graph, &format!("sink{i}"), NULL, placement)?;
        for s in 0..sources {
            graph.connect(&format!("source{s}"), &format!("sink{i}"), edge())?;
        }
    }
    Ok(graph)
}

/// A source and eight nodes behind one another.
fn chain(placement: &Placement) -> Result<Graph, livetime_engine::GraphError> {
    let mut graph = Graph::default();
    let source = add(&mut graph, "hop0", NodeType::of::<Flood>(), &Placement::Own)?;
    if *placement != Placement::Inline {
        // As above: one frame at a time.
        graph.set(source, "batch", &1.into())?;
        place(&mut graph, source, placement);
    }
    for i in 1..=CHAIN {
        let name = format!("hop{i}");
        add(&mut graph, &name, NodeType::of::<Hop>(), placement)?;
        graph.connect(&format!("hop{}", i - 1), &name, edge())?;
    }
    Ok(graph)
}

fn pool() -> Result<Graph, livetime_engine::GraphError> {
    let mut graph = Graph::default();
    add(&mut graph, "source", NodeType::of::<Flood>(), &Placement::Own)?;
    add(&mut graph, "hop", NodeType::of::<Hop>(), &Placement::Pool(2))?;
    add(&mut graph, "sink", NULL, &Placement::Own)?;
    graph.connect("source", "hop", edge())?;
    graph.connect("hop", "sink", edge())?;
    Ok(graph)
}

fn add(
    graph: &mut Graph,
    name: &str,
    node_type: NodeType,
    placement: &Placement,
) -> Result<usize, livetime_engine::GraphError> {
    let node = graph.add(name, node_type)?;
    place(graph, node, placement);
    Ok(node)
}

fn place(graph: &mut Graph, node: usize, placement: &Placement) {
    if let Some(options) = graph.options_mut(node) {
        options.placement = placement.clone();
    }
}

/// Wall time in ns and allocations per frame that left the sources, after a warm-up.
fn measure(
    graph: &Graph,
    statistics: bool,
    count: CountAllocations,
    quick: bool,
) -> Result<(f64, f64), Failed> {
    let options = RunOptions { statistics, ..RunOptions::default() };
    let run = Run::start(graph, options).map_err(|e| in_one_line(&e))?;
    // Queues and pools fill in the first moment, which is not measured.
    std::thread::sleep(Duration::from_millis(if quick { 20 } else { 150 }));
    let before = run.report();
    let allocations_before = count().count;
    std::thread::sleep(Duration::from_millis(if quick { 30 } else { 400 }));
    let allocations = count().count - allocations_before;
    let after = run.report();
    // Queued frames no longer count, and an orderly end would first empty the queues.
    run.abort();
    run.finish(Duration::from_secs(5));
    let sent = |report: &Report| -> u64 {
        report.nodes.iter().filter(|n| n.type_name == "flood").map(|n| n.emitted).sum()
    };
    let frames = (sent(&after) - sent(&before)) as f64;
    Ok(((after.elapsed_ns - before.elapsed_ns) as f64 / frames, allocations as f64 / frames))
}

fn record(rows: &[Row]) -> Record {
    let alone = |statistics: bool| {
        // The first case without hops is the source alone.
        rows.iter().find(|r| r.hops == 0 && r.statistics == statistics).map_or(0.0, |r| r.ns.median)
    };
    let per_hop = |row: &Row| (row.ns.median - alone(row.statistics)) / row.hops as f64;
    let json: Vec<Value> = rows
        .iter()
        .map(|row| {
            let mut value = json!({
                "case": row.name,
                "statistics": row.statistics,
                "ns_per_frame": round(row.ns.median),
                "min": round(row.ns.min),
                "max": round(row.ns.max),
                "allocations_per_frame": row.allocations,
            });
            if row.hops > 0 {
                value["hops"] = row.hops.into();
                value["ns_per_hop"] = round(per_hop(row)).into();
            }
            value
        })
        .collect();
    let mut table =
        Table::new(&["case", "statistics", "ns/frame", "min", "max", "ns/hop", "allocations/frame"])
            .right(2..7);
    for row in rows {
        table.row([
            row.name.to_owned(),
            if row.statistics { "on" } else { "off" }.to_owned(),
            format!("{:.1}", row.ns.median),
            format!("{:.1}", row.ns.min),
            format!("{:.1}", row.ns.max),
            if row.hops > 0 { format!("{:.1}", per_hop(row)) } else { String::new() },
            format!("{:.3}", row.allocations),
        ]);
    }
    Record {
        json: json!({ "rows": json, "repeats_median_of": "runs of 0.4 s" }),
        table: table.render(Style::default()),
    }
}

fn round(ns: f64) -> f64 {
    (ns * 10.0).round() / 10.0
}
