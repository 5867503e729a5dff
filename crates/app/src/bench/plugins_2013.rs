//! `livetime bench plugins-2013`: areaDetector's study of 2013.
//!
//! A simulated detector of 1024 x 1024 8-bit pixels feeds eleven plugins on their own threads. The sweep asks
//! for shorter and shorter periods and counts what each plugin drops; then the highest rate is searched at
//! which nothing is dropped.

use std::collections::BTreeMap;

use livetime_engine::Graph;
use serde_json::{Value, json};

use super::search::{Ran, Search, run_for, search};
use super::{BenchArgs, Record, merge, repeats, tenths};
use crate::config;
use crate::output::Output;
use crate::report::table::{Style, Table};

/// Periods of the study, in s; 0 is as fast as possible.
const PERIODS: [f64; 8] = [0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0];

/// The search begins here.
const FIRST_HZ: f64 = 200.0;

/// What one run did.
struct Row {
    period_s: f64,
    ran: Ran,
}

pub(super) fn run(args: &BenchArgs, output: &mut Output) -> Result<Record, String> {
    let (name, text) = config::DEFAULT;
    // The study had eleven plugins; what shows pictures to others is none of them.
    let text = text.split("\n  # Not one of the eleven").next().unwrap_or(text);
    let pipeline = config::parse(name, text, livetime_nodes::ALL, &[]).map_err(|e| e.to_string())?;
    let graph = pipeline.graph;
    let seconds = if args.quick { 0.2 } else { args.seconds };
    let mut rows = Vec::new();
    for period_s in PERIODS {
        let ran = measure(&graph, period_s, seconds)?;
        output.log(format_args!("period {period_s:.6} s: {}", ran.line()));
        rows.push(Row { period_s, ran });
    }
    let search = search(FIRST_HZ, repeats(args), &mut |hz| {
        let ran = measure(&graph, 1.0 / hz, seconds)?;
        output.log(format_args!("wanted {hz:.0} frames/s: {}", ran.line()));
        Ok(ran)
    })?;
    Ok(record(&rows, seconds, &search))
}

/// One run of the study's graph.
fn measure(graph: &Graph, period_s: f64, seconds: f64) -> Result<Ran, String> {
    let mut graph = graph.clone();
    let set = |graph: &mut Graph, name: &str, value: f64| {
        graph.set(0, name, &value.into()).map_err(|e| e.to_string())
    };
    // The study's exposure of 1 ms would limit the rate by itself; it is cut where the period is shorter.
    set(&mut graph, "acquire_time", period_s.min(0.001))?;
    set(&mut graph, "acquire_period", period_s)?;
    run_for(&graph, seconds)
}

fn record(rows: &[Row], seconds: f64, search: &Search) -> Record {
    let json: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "period_s": row.period_s,
                "frames": row.ran.frames(),
                "detector_hz": tenths(row.ran.hz()),
                "cpu_percent": tenths(row.ran.cpu_percent()),
                "dropped": row.ran.dropped(),
                "service_us": row.ran.report.nodes.iter()
                    .map(|n| (n.name.clone(), tenths(n.service.mean_ns() as f64 / 1000.0)))
                    .collect::<BTreeMap<_, _>>(),
            })
        })
        .collect();
    let mut json = json!({
        "settings": {
            "image": "1024 x 1024 u8 mono", "queue": 20, "when_full": "drop_newest", "threads": "own",
            "seconds_per_run": seconds,
        },
        "rows": json,
    });
    merge(&mut json, search.json());
    Record { json, table: table(rows, search) }
}

/// The study's table: a row per period, a column per plugin.
fn table(rows: &[Row], search: &Search) -> String {
    let plugins: Vec<String> =
        rows.first().map(|r| r.ran.dropped().into_keys().map(str::to_owned).collect()).unwrap_or_default();
    let headings: Vec<&str> =
        ["period s", "frames/s", "CPU %"].into_iter().chain(plugins.iter().map(|p| &**p)).collect();
    let mut table = Table::new(&headings).right(0..headings.len());
    for row in rows {
        let dropped = row.ran.dropped();
        let first = [
            format!("{:.4}", row.period_s),
            format!("{:.0}", row.ran.hz()),
            format!("{:.0}", row.ran.cpu_percent()),
        ];
        table.row(first.into_iter().chain(plugins.iter().map(|p| dropped[&**p].to_string())));
    }
    let table = table.render(Style::default());
    format!(
        "{table}\nThe columns of the plugins count dropped frames.\nhighest rate without a loss: {:.0} frames/s",
        search.hz
    )
}
