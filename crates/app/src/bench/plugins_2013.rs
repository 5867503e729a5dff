//! `livetime bench plugins-2013`: areaDetector's study of 2013.
//!
//! A simulated detector of 1024 x 1024 8-bit pixels feeds eleven plugins on their own threads. The sweep asks
//! for shorter and shorter periods and counts what each plugin drops; then the highest rate is searched at
//! which nothing is dropped.

use std::collections::BTreeMap;
use std::time::Duration;

use livetime_engine::{Graph, Report, Run, RunOptions};
use serde_json::{Value, json};

use super::{BenchArgs, Record, in_one_line};
use crate::config;
use crate::output::Output;
use crate::report::table::{Style, Table};

/// Periods of the study, in s; 0 is as fast as possible.
const PERIODS: [f64; 8] = [0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0];

/// How close the search comes to the limit.
const PRECISION: f64 = 1.03;

/// What one run did.
struct Row {
    period_s: f64,
    report: Report,
    /// The time in which the detector was running, without the drain.
    seconds: f64,
}

impl Row {
    fn frames(&self) -> u64 {
        self.report.nodes.first().map_or(0, |n| n.emitted)
    }

    fn hz(&self) -> f64 {
        self.frames() as f64 / self.seconds
    }

    fn cpu_percent(&self) -> f64 {
        let cpu_ns = self.report.cpu_ns.unwrap_or(0) as f64;
        100.0 * cpu_ns / self.report.elapsed_ns as f64
    }

    /// Frames that each plugin was offered and did not come to a good end with.
    fn dropped(&self) -> BTreeMap<&str, u64> {
        self.report.nodes[1..].iter().map(|n| (&*n.name, n.lost_before + n.lost_inside())).collect()
    }

    fn total_dropped(&self) -> u64 {
        self.report.unintended_losses()
    }
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
        rows.push(measure(&graph, period_s, seconds)?);
        output.log(line(&rows[rows.len() - 1]));
    }
    let search = search(&graph, seconds, if args.quick { 1 } else { 5 }, output)?;
    Ok(record(&rows, seconds, &search))
}

/// One run of the study's graph.
fn measure(graph: &Graph, period_s: f64, seconds: f64) -> Result<Row, String> {
    let mut graph = graph.clone();
    let set = |graph: &mut Graph, name: &str, value: f64| {
        graph.set(0, name, &value.into()).map_err(|e| e.to_string())
    };
    // The study's exposure of 1 ms would limit the rate by itself; it is cut where the period is shorter.
    set(&mut graph, "acquire_time", period_s.min(0.001))?;
    set(&mut graph, "acquire_period", period_s)?;
    let run = Run::start(&graph, RunOptions::default()).map_err(|errors| in_one_line(&errors))?;
    std::thread::sleep(Duration::from_secs_f64(seconds));
    let elapsed = run.report().elapsed_ns as f64 / 1e9;
    run.stop();
    let report = run.finish(Duration::from_secs(10));
    let imbalances = report.imbalances();
    if !imbalances.is_empty() {
        return Err(format!("the ledger does not close: {}", imbalances.join("; ")));
    }
    Ok(Row { period_s, report, seconds: elapsed })
}

/// The highest rate at which nothing is dropped, and the runs that confirm it.
struct Search {
    hz: f64,
    confirmed_hz: Vec<f64>,
    tried: Vec<(f64, u64)>,
}

/// Doubles the rate until something is dropped, halves the interval, then asks for `repeats` runs without a
/// loss, a little slower each time that one fails.
fn search(graph: &Graph, seconds: f64, repeats: usize, output: &mut Output) -> Result<Search, String> {
    let mut tried = Vec::new();
    let mut clean = |hz: f64, output: &mut Output| -> Result<Option<f64>, String> {
        let row = measure(graph, 1.0 / hz, seconds)?;
        output.log(line(&row));
        tried.push((hz, row.total_dropped()));
        // A detector that did not reach its rate was held up, and proves nothing about that rate.
        Ok((row.total_dropped() == 0 && row.hz() > 0.98 * hz).then(|| row.hz()))
    };
    let (mut low, mut high) = (100.0, 200.0);
    while high < 100_000.0 && clean(high, output)?.is_some() {
        (low, high) = (high, high * 1.5);
    }
    while high / low > PRECISION {
        let middle = (low * high).sqrt();
        match clean(middle, output)? {
            Some(_) => low = middle,
            None => high = middle,
        }
    }
    let mut confirmed_hz = Vec::new();
    while confirmed_hz.len() < repeats && low > 1.0 {
        match clean(low, output)? {
            Some(hz) => confirmed_hz.push(hz),
            None => {
                confirmed_hz.clear();
                low /= PRECISION;
            }
        }
    }
    let hz = confirmed_hz.iter().copied().fold(f64::INFINITY, f64::min);
    Ok(Search { hz: if hz.is_finite() { hz } else { 0.0 }, confirmed_hz, tried })
}

fn line(row: &Row) -> String {
    format!(
        "period {:.6} s: {:.0} frames/s, {:.0} % CPU, {} dropped",
        row.period_s,
        row.hz(),
        row.cpu_percent(),
        row.total_dropped()
    )
}

fn record(rows: &[Row], seconds: f64, search: &Search) -> Record {
    let json: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "period_s": row.period_s,
                "frames": row.frames(),
                "detector_hz": tenths(row.hz()),
                "cpu_percent": tenths(row.cpu_percent()),
                "dropped": row.dropped(),
                "service_us": row.report.nodes.iter()
                    .map(|n| (n.name.clone(), tenths(n.service.mean_ns() as f64 / 1000.0)))
                    .collect::<BTreeMap<_, _>>(),
            })
        })
        .collect();
    let json = json!({
        "settings": {
            "image": "1024 x 1024 u8 mono", "queue": 20, "when_full": "drop_newest", "threads": "own",
            "seconds_per_run": seconds,
        },
        "rows": json,
        "loss_free_hz": tenths(search.hz),
        "loss_free_confirmed_hz": search.confirmed_hz.iter().map(|hz| tenths(*hz)).collect::<Vec<_>>(),
        "loss_free_tried": search.tried.iter().map(|(hz, lost)| json!([tenths(*hz), lost])).collect::<Vec<_>>(),
    });
    Record { json, table: table(rows, search) }
}

/// The study's table: a row per period, a column per plugin.
fn table(rows: &[Row], search: &Search) -> String {
    let plugins: Vec<String> =
        rows.first().map(|r| r.dropped().into_keys().map(str::to_owned).collect()).unwrap_or_default();
    let headings: Vec<&str> =
        ["period s", "frames/s", "CPU %"].into_iter().chain(plugins.iter().map(|p| &**p)).collect();
    let mut table = Table::new(&headings).right(0..headings.len());
    for row in rows {
        let dropped = row.dropped();
        let first =
            [format!("{:.4}", row.period_s), format!("{:.0}", row.hz()), format!("{:.0}", row.cpu_percent())];
        table.row(first.into_iter().chain(plugins.iter().map(|p| dropped[&**p].to_string())));
    }
    let table = table.render(Style::default());
    format!(
        "{table}\nThe columns of the plugins count dropped frames.\nhighest rate without a loss: {:.0} frames/s",
        search.hz
    )
}

fn tenths(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
