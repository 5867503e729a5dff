//! `livetime bench graph`: the highest rate at which the user's own graph loses nothing, and what limits it.
//!
//! The rates of all sources that have a period or a rate are changed together, in the proportion of the file. A graph
//! whose sources have none runs as fast as it can with every edge waiting instead of losing.

use livetime_engine::{Graph, Limit, NodeType, Report, WhenFull};
use serde_json::{Value, json};

use super::pace::{Pace, paces};
use super::search::{Ran, Search, run_for, search};
use super::{REPEATS, Record, Spread, merge, tell, tenths};
use crate::cli::PipelineArgs;
use crate::output::{Exit, Failure, Output};
use crate::report::json::bottleneck;
use crate::report::numbers::{rate, time};
use crate::report::table::{Style, Table};

/// Arguments of `bench graph`.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct GraphArgs {
    #[command(flatten)]
    pub(crate) pipeline: PipelineArgs,
    /// Seconds of each run.
    #[arg(long, default_value_t = 3.0, value_parser = seconds)]
    pub(crate) seconds: f64,
    /// Short runs and no repeats: shows that it works, not how fast it is.
    #[arg(long)]
    pub(crate) quick: bool,
}

pub(super) const HELP: &str = "\
Examples:
  livetime bench graph beamline.yaml
  livetime bench graph beamline.yaml --seconds 10 --json > record.json
  livetime bench graph beamline.yaml --set detector.max_size_x=2048

The whole graph runs, also what it writes to files. Progress goes to stderr.
Exit codes: 0 ok, 1 failed, 2 wrong usage or a file that is refused, 3 frames are lost at every rate.";

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|s| (0.01..=3600.0).contains(s));
    seconds.ok_or_else(|| format!("wanted 0.01 to 3600 seconds, found `{text}`"))
}

/// Without a pace: as fast as nothing is lost.
const UNPACED: &str = "as fast as possible, with every edge waiting: no source has a period or a rate";
const PACED: &str = "search over the rates of the sources, in the proportion of the file";

pub(super) fn run(args: &GraphArgs, nodes: &[NodeType], output: &mut Output) -> Result<Exit, Failure> {
    let pipeline = crate::commands::load(&args.pipeline, nodes, output)?;
    let seconds = if args.quick { 0.2 } else { args.seconds };
    let repeats = if args.quick { 1 } else { REPEATS };
    let (paces, unpaced) = paces(&pipeline.graph);
    let measured = if paces.is_empty() {
        flat_out(&pipeline.graph, seconds, repeats, output)
    } else {
        searched(&pipeline.graph, &paces, seconds, repeats, output)
    };
    let measured = measured.map_err(|e| Failure::new(Exit::Failed, format!("bench graph: {e}")))?;
    let name = |node: usize| pipeline.graph.nodes()[node].name.clone();
    let settings = json!({
        "file": args.pipeline.file.as_ref().map(|path| path.display().to_string()),
        "set": args.pipeline.settings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "seconds_per_run": seconds,
        "method": if paces.is_empty() { UNPACED } else { PACED },
        "paced": paces.iter()
            .map(|p| json!({ "node": name(p.node), "param": p.param, "hz": tenths(p.hz) }))
            .collect::<Vec<_>>(),
        "not_paced": unpaced.into_iter().map(name).collect::<Vec<_>>(),
    });
    let has_rate = measured.spread.median > 0.0;
    tell("graph", record(&measured, settings), args.pipeline.json, args.quick, output)?;
    Ok(if has_rate { Exit::Ok } else { Exit::Loss })
}

/// What was found.
struct Measured {
    /// The highest rate without a loss.
    hz: f64,
    spread: Spread,
    /// A run at that rate.
    ran: Option<Ran>,
    /// The runs on the way.
    search: Option<Search>,
    /// What the first run let one expect.
    estimate_hz: Option<f64>,
}

fn searched(
    graph: &Graph,
    paces: &[Pace],
    seconds: f64,
    repeats: usize,
    output: &mut Output,
) -> Result<Measured, String> {
    let declared: f64 = paces.iter().map(|p| p.hz).sum();
    let mut run_at = |hz: f64| {
        let mut graph = graph.clone();
        paces.iter().try_for_each(|p| p.set(&mut graph, p.hz * hz / declared))?;
        let ran = run_for(&graph, seconds)?;
        output.log(format_args!("wanted {hz:.1} frames/s: {}", ran.line()));
        if ran.ended_early && ran.frames() < 10 {
            return Err(format!("the sources end after {} frames, too few to measure", ran.frames()));
        }
        Ok(ran)
    };
    let first = run_at(declared)?;
    let estimate_hz = first.report.bottleneck().map(|b| b.sustainable_hz);
    // Service times grow when all nodes work, so the search begins well below what they promise.
    let first_hz = estimate_hz.map_or(declared, |hz| hz / 2.0).clamp(declared / 100.0, declared * 1000.0);
    let mut search = search(first_hz, repeats, &mut run_at)?;
    let ran = search.clean.take();
    Ok(Measured { hz: search.hz, spread: search.spread(), ran, search: Some(search), estimate_hz })
}

/// Sources that cannot be paced are held back by queues that wait.
fn flat_out(graph: &Graph, seconds: f64, repeats: usize, output: &mut Output) -> Result<Measured, String> {
    let mut graph = graph.clone();
    for edge in 0..graph.edges().len() {
        if let Some(options) = graph.edge_options_mut(edge) {
            options.when_full = WhenFull::Block;
        }
    }
    let mut runs = Vec::new();
    for _ in 0..repeats {
        let ran = run_for(&graph, seconds)?;
        output.log(ran.line());
        runs.push(ran);
    }
    let is_clean = runs.iter().all(|ran| ran.total_dropped() == 0);
    let spread = Spread::of(if is_clean { runs.iter().map(Ran::hz).collect() } else { vec![0.0] });
    let ran = runs.pop();
    let estimate_hz = ran.as_ref().and_then(|r| r.report.bottleneck()).map(|b| b.sustainable_hz);
    Ok(Measured { hz: spread.median, spread, ran, search: None, estimate_hz })
}

fn record(measured: &Measured, settings: Value) -> Record {
    let ran = measured.ran.as_ref();
    let lossy = measured.search.as_ref().and_then(|s| s.lossy.as_ref());
    let mut json = json!({
        "settings": settings,
        "hz": measured.spread.json(),
        "loss_free_hz": tenths(measured.hz),
        "estimate_of_first_run_hz": measured.estimate_hz.map(tenths),
        "frames_per_run": ran.map(Ran::frames),
        "ended_early": ran.is_some_and(|r| r.ended_early),
        "cpu_percent": ran.map(|r| tenths(r.cpu_percent())),
        "bottleneck": ran.and_then(|r| r.report.bottleneck().map(|b| bottleneck(&r.report, &b))),
        "first_losses": lossy.map(|(hz, ran)| json!({ "hz": tenths(*hz), "lost": lost(&ran.report) })),
        "rows": ran.map_or(vec![], rows),
    });
    if let Some(search) = &measured.search {
        merge(&mut json, search.json());
    }
    Record { json, table: table(measured) }
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

fn table(measured: &Measured) -> String {
    let mut text = String::new();
    if let Some(ran) = &measured.ran {
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
    if let Some((hz, ran)) = measured.search.as_ref().and_then(|s| s.lossy.as_ref()) {
        text += &format!("first losses at {} frames/s: {}\n", rate(Some(*hz)), lost(&ran.report));
    }
    let Spread { min, max, .. } = measured.spread;
    match measured.spread.median > 0.0 {
        true => {
            text + &format!("highest rate without a loss: {:.1} frames/s ({min:.1} to {max:.1})", measured.hz)
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
        "limited by {what}: {name} is {busy:.0} % busy, the cores {cpu:.0} %; by its service times about {} frames/s\n",
        rate(Some(found.sustainable_hz))
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;

    fn measured(text: &str, seconds: f64) -> Measured {
        let graph = config::parse("f", text, &crate::test_nodes::all(), &[]).unwrap().graph;
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let mut output = Output { out: &mut out, err: &mut err, is_terminal: false, is_coloured: false };
        let (paces, _) = paces(&graph);
        if paces.is_empty() {
            return flat_out(&graph, seconds, 1, &mut output).unwrap();
        }
        searched(&graph, &paces, seconds, 1, &mut output).unwrap()
    }

    /// A node that sleeps 10 ms for each frame cannot handle more than 100 a second (and a queue of 1).
    const SLOW: &str = "\
nodes:
  cam: {type: counter, params: {period: 100 ms}}
  end: {type: slow, from: cam, queue: 1, params: {takes: 10 ms}}
";

    #[test]
    fn a_sleeping_node_bounds_the_rate_and_is_named() {
        let found = measured(SLOW, 0.4);
        // One more frame waits and one is under way when the sources end.
        assert!(found.hz > 0.0 && found.hz <= 100.0 + 2.0 / 0.4, "{}", found.hz);
        let mut report = found.ran.unwrap().report;
        // On a busy machine threads wait for cores, which is not theirs.
        report.threads.iter_mut().for_each(|t| t.delayed_ns = Some(0));
        let bottleneck = report.bottleneck().unwrap();
        assert_eq!(bottleneck.limit, Limit::Node(1));
        assert!(bottleneck.sustainable_hz <= 100.0);
    }
}
