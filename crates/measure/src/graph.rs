//! `livetime bench graph`: the highest rate at which the user's own graph loses nothing, and its bottleneck.
//!
//! The rates of all sources that have a period or a rate are changed together, in the proportion of the file. A graph
//! without such sources runs at its own speed, with every edge waiting instead of losing.

use livetime_engine::{Graph, Limit, Report, WhenFull};
use serde_json::{Value, json};

use crate::pace::{Pace, paces};
use crate::search::{Ran, Search, run_for, search};
use crate::{MeasureError, Measured, Origin, Progress, Record, Spread, merge, repeats, tenths};
use livetime_control::report::json::bottleneck;
use livetime_control::report::numbers::{rate, time};
use livetime_control::report::summary;
use livetime_control::report::table::{Style, Table};

/// Without a pace: as fast as nothing is lost.
const UNPACED: &str = "as fast as possible, with every edge waiting: no source has a period or a rate";
const PACED: &str = "search over the rates of the sources, in the proportion of the file";

/// Measures a graph with runs of `seconds`.
///
/// # Errors
/// [`MeasureError`], when the graph cannot run, its ledger does not close, or its sources end before they can be measured.
pub fn graph(
    graph: &Graph,
    origin: &Origin,
    seconds: f64,
    quick: bool,
    progress: &mut dyn FnMut(&str),
) -> Result<Measured, MeasureError> {
    let progress = &mut Progress(progress);
    let (paces, unpaced) = paces(graph);
    let found = if paces.is_empty() {
        flat_out(graph, seconds, repeats(quick), progress)?
    } else {
        searched(graph, &paces, seconds, repeats(quick), progress)?
    };
    let name = |node: usize| graph.nodes()[node].name.clone();
    let settings = json!({
        "file": origin.file,
        "set": origin.settings,
        "seconds_per_run": seconds,
        "method": if paces.is_empty() { UNPACED } else { PACED },
        "paced": paces.iter()
            .map(|p| json!({ "node": name(p.node), "param": p.param, "hz": tenths(p.hz) }))
            .collect::<Vec<_>>(),
        "not_paced": unpaced.into_iter().map(name).collect::<Vec<_>>(),
    });
    let has_losses = found.spread.median <= 0.0;
    Ok(Measured { record: record(&found, settings), has_losses })
}

/// The result of the search.
struct Found {
    /// The highest rate without a loss.
    hz: f64,
    spread: Spread,
    /// A run at that rate.
    ran: Option<Ran>,
    /// The runs on the way.
    search: Option<Search>,
    /// The rate that the first run lets expect.
    estimate_hz: Option<f64>,
}

fn searched(
    graph: &Graph,
    paces: &[Pace],
    seconds: f64,
    repeats: usize,
    progress: &mut Progress,
) -> Result<Found, MeasureError> {
    // The search turns one number, the sum of all rates; their proportion stays the file's.
    let declared: f64 = paces.iter().map(|p| p.hz).sum();
    let mut run_at = |hz: f64| {
        let mut graph = graph.clone();
        paces.iter().try_for_each(|p| p.set(&mut graph, p.hz * hz / declared))?;
        let ran = run_for(&graph, seconds)?;
        progress.log(format_args!("wanted {hz:.1} frames/s: {}", ran.line()));
        // A source that ends at once measures nothing but its start.
        if ran.ended_early && ran.frames() < 10 {
            return Err(MeasureError::TooFew(ran.frames()));
        }
        Ok(ran)
    };
    let first = run_at(declared)?;
    let estimate_hz = first.report.bottleneck().map(|b| b.sustainable_hz);
    // Service times grow when all nodes work, so the search begins well below the rate that they suggest.
    let first_hz = estimate_hz.map_or(declared, |hz| hz / 2.0).clamp(declared / 100.0, declared * 1000.0);
    let mut search = search(first_hz, repeats, &mut run_at)?;
    let ran = search.clean.take();
    // The last clean run describes the result; the others only bound it.
    Ok(Found { hz: search.hz, spread: search.spread(), ran, search: Some(search), estimate_hz })
}

/// Sources that cannot be paced are held back by queues that wait.
fn flat_out(
    graph: &Graph,
    seconds: f64,
    repeats: usize,
    progress: &mut Progress,
) -> Result<Found, MeasureError> {
    let mut graph = graph.clone();
    for edge in 0..graph.edges().len() {
        if let Some(options) = graph.edge_options_mut(edge) {
            // A graph without rates measures its throughput: edges wait instead of losing.
            options.when_full = WhenFull::Block;
        }
    }
    let mut runs = Vec::new();
    for _ in 0..repeats {
        let ran = run_for(&graph, seconds)?;
        progress.log(ran.line());
        runs.push(ran);
    }
    let is_clean = runs.iter().all(|ran| ran.total_dropped() == 0);
    // One lossy run makes the result 0: the graph cannot run without losses at all.
    let spread = Spread::of(if is_clean { runs.iter().map(Ran::hz).collect() } else { vec![0.0] });
    let ran = runs.pop();
    let estimate_hz = ran.as_ref().and_then(|r| r.report.bottleneck()).map(|b| b.sustainable_hz);
    Ok(Found { hz: spread.median, spread, ran, search: None, estimate_hz })
}

fn record(found: &Found, settings: Value) -> Record {
    let ran = found.ran.as_ref();
    let lossy = found.search.as_ref().and_then(|s| s.lossy.as_ref());
    let mut json = json!({
        "settings": settings,
        "hz": found.spread.json(),
        "loss_free_hz": tenths(found.hz),
        "estimate_of_first_run_hz": found.estimate_hz.map(tenths),
        "frames_per_run": ran.map(Ran::frames),
        "ended_early": ran.is_some_and(|r| r.ended_early),
        "cpu_percent": ran.map(|r| tenths(r.cpu_percent())),
        "bottleneck": ran.and_then(|r| r.report.bottleneck().map(|b| bottleneck(&r.report, &b))),
        "first_losses": lossy.map(|(hz, ran)| json!({ "hz": tenths(*hz), "lost": lost(&ran.report) })),
        "rows": ran.map_or(vec![], rows),
    });
    if let Some(search) = &found.search {
        merge(&mut json, search.json());
    }
    Record { json, table: table(found) }
}

/// Nodes that lost frames, with how many.
fn lost(report: &Report) -> Value {
    let lost = report.nodes.iter().map(|n| (n.name.clone(), n.lost_before + n.lost_inside()));
    lost.filter(|(_, count)| *count > 0)
        .map(|(name, count)| (name, json!(count)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn rows(ran: &Ran) -> Vec<Value> {
    let us = |ns: u64| tenths(ns as f64 / 1e3);
    let row = |node: &livetime_engine::NodeReport| {
        json!({
            "node": node.name,
            "arrival_hz": tenths(node.arrived() as f64 / ran.seconds),
            "throughput_hz": tenths(node.completed.max(if node.arrived() == 0 { node.emitted } else { 0 }) as f64 / ran.seconds),
            "waiting_us": { "mean": us(node.waiting.mean_ns()), "p50": us(node.waiting.p50_ns()), "p99": us(node.waiting.p99_ns()) },
            "service_us": { "mean": us(node.service.mean_ns()), "p50": us(node.service.p50_ns()), "p99": us(node.service.p99_ns()) },
            "own_latency_mean_us": us(node.own_latency_ns()),
        })
    };
    ran.report.nodes.iter().map(row).collect()
}

fn table(found: &Found) -> String {
    let mut text = String::new();
    if let Some(ran) = &found.ran {
        let mut table =
            Table::new(&["node", "throughput/s", "wait p50", "wait p99", "service p50", "service p99"])
                .right(1..6);
        for node in &ran.report.nodes {
            let handled = if node.arrived() == 0 { node.emitted } else { node.completed };
            table.row([
                node.name.clone(),
                rate(Some(handled as f64 / ran.seconds)),
                time(node.waiting.p50_ns()),
                time(node.waiting.p99_ns()),
                time(node.service.p50_ns()),
                time(node.service.p99_ns()),
            ]);
        }
        text += &(table.render(Style::default()) + "\n");
        text += &limit(&ran.report);
    }
    if let Some((hz, ran)) = found.search.as_ref().and_then(|s| s.lossy.as_ref()) {
        text += &format!("first losses at {} frames/s: {}\n", rate(Some(*hz)), lost(&ran.report));
    }
    let Spread { min, max, .. } = found.spread;
    match found.spread.median > 0.0 {
        true => {
            text + &format!("highest rate without a loss: {:.1} frames/s ({min:.1} to {max:.1})", found.hz)
        }
        false => text + "frames are lost at every rate that was tried",
    }
}

fn limit(report: &Report) -> String {
    let Some(found) = report.bottleneck() else { return String::new() };
    let name = &report.nodes[found.node].name;
    let (busy, cpu) = (100.0 * found.utilisation, 100.0 * found.cpu_utilisation);
    let what = match found.limit {
        Limit::Node(_) => format!("node {name}"),
        Limit::Cpu => "CPU time".into(),
    };
    format!(
        "limited by {what}: {name} is {busy:.0} % busy, the cores {cpu:.0} %; by its service times about {} frames/s\n{}",
        rate(Some(found.sustainable_hz)),
        summary::busy(&found)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use livetime_control::config;

    fn measured(text: &str, seconds: f64) -> Found {
        let graph = config::parse("f", text, &crate::test_nodes::all(), &[]).unwrap().graph;
        let mut quiet = |_: &str| {};
        let mut progress = Progress(&mut quiet);
        let (paces, _) = paces(&graph);
        if paces.is_empty() {
            return flat_out(&graph, seconds, 1, &mut progress).unwrap();
        }
        searched(&graph, &paces, seconds, 1, &mut progress).unwrap()
    }

    /// A node that sleeps for each frame. Its queue outlasts the pauses that a busy machine gives to its thread.
    const SLOW: &str = "\
nodes:
  cam: {type: counter, params: {period: 100 ms}}
  end: {type: slow, from: cam, queue: 100, params: {takes: 10 ms}}
";

    #[test]
    fn a_sleeping_node_is_named_as_what_limits() {
        let found = measured(SLOW, 0.4);
        assert!(found.hz > 0.0, "{}", found.hz);
        let mut report = found.ran.unwrap().report;
        assert_eq!((report.unintended_losses(), report.imbalances()), (0, vec![]));
        // On a busy machine threads wait for cores, which is not theirs.
        report.threads.iter_mut().for_each(|t| t.delayed_ns = Some(0));
        let bottleneck = report.bottleneck().unwrap();
        assert_eq!((bottleneck.node, bottleneck.limit), (1, Limit::Node(1)));
    }
}
