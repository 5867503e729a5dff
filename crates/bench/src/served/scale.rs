//! The cost of a PV, from a thousand to a hundred thousand of them.
//!
//! A detector sends small frames to as many statistics nodes as have that number of PVs, all in one group, so that the
//! graph itself has two threads. The process is measured three times on the same run: without an observer, with a
//! model, and with the model's moments shown as PVs. Once the detector is at rest, so that every value is compared and
//! none changes; once it sends a frame per update, so that about half of them change.

use crate::Failed;
use std::sync::Arc;
use std::time::{Duration, Instant};

use livetime_control::access::Access;
use livetime_control::config;
use livetime_control::model::Model;
use livetime_engine::{Run, RunOptions};
use livetime_epics::{Bell, Options, Served};
use livetime_pva::server::ServerConfig;
use serde_json::{Value, json};

use livetime_measure::{MeasureError, process_cpu};

use crate::pva::rounded;
use crate::{CountAllocations, Progress, Settings, Spread};
use livetime_control::report::table::{Style, Table};

/// PVs of each row.
const ROWS: [usize; 4] = [1_000, 10_000, 50_000, 100_000];

/// PVs of a statistics node, about: a row has a little more or less than its name says.
const PVS_PER_NODE: usize = 156;

/// Time between two updates.
const PERIOD: Duration = Duration::from_millis(100);

/// Each state of a run is measured for so long, or shorter if that is wanted: six updates, of thousands of values each,
/// and there are 120 such states.
const MOST_TIME: Duration = Duration::from_millis(600);

/// A machine so busy that nothing is shown for this long cannot be measured.
const PATIENCE: Duration = Duration::from_secs(60);

/// The measurement of one run.
struct Sample {
    pvs: usize,
    nodes: usize,
    /// Time from the text of the graph to its first values on PVs.
    start_ms: f64,
    /// CPU time per PV and update: of looking, and of showing.
    us: [f64; 2],
    /// Threads of the run alone, and of the run that is served.
    threads: [usize; 2],
    /// Per PV: of the model, and of the PVs themselves.
    bytes: [f64; 2],
}

pub(super) fn rows(
    settings: &Settings,
    count: CountAllocations,
    progress: &mut Progress,
) -> Result<Vec<Value>, Failed> {
    let time =
        if settings.quick { MOST_TIME / 2 } else { Duration::from_secs_f64(settings.seconds).min(MOST_TIME) };
    let wanted = if settings.quick { &ROWS[..1] } else { &ROWS };
    let mut rows = Vec::new();
    for pvs in wanted {
        for (changes, name) in [(false, "at rest"), (true, "changing")] {
            let name = format!("{} k PVs, {name}", pvs / 1000);
            if !name.contains(&settings.filter) {
                continue;
            }
            progress.log(&name);
            let sample = || measure(*pvs, changes, time, count);
            let samples = (0..settings.repeats()).map(|_| sample()).collect::<Result<Vec<_>, _>>()?;
            rows.push(row(&name, &samples));
        }
    }
    Ok(rows)
}

fn graph(pvs: usize, changes: bool) -> String {
    let nodes = pvs.div_ceil(PVS_PER_NODE);
    let node = |n| format!("  s{n}: {{type: statistics, from: cam, queue: 4, placement: {{group: s}}}}\n");
    let camera = format!(
        "{{acquire: {changes}, max_size_x: 16, max_size_y: 16, acquire_time: 0, acquire_period: {} ms}}",
        PERIOD.as_millis()
    );
    let nodes: String = (1..=nodes).map(node).collect();
    format!("memory: 1 GiB\nnodes:\n  cam: {{type: sim_detector, params: {camera}}}\n{nodes}")
}

fn measure(pvs: usize, changes: bool, time: Duration, count: CountAllocations) -> Result<Sample, Failed> {
    let begin = Instant::now();
    let text = graph(pvs, changes);
    let pipeline = config::parse("scale", &text, &[livetime_nodes::ALL, livetime_sim::ALL].concat(), &[])?;
    let options = RunOptions { remember_frames: true, ..RunOptions::default() };
    let run = Arc::new(Run::start(&pipeline.graph, options).map_err(MeasureError::from)?);
    let mut start = begin.elapsed();
    // The start of threads is not measured.
    let settle = || std::thread::sleep(Duration::from_millis(300));

    settle();
    let (threads, alone) = (threads(), per_second(time));
    let empty = count().bytes;
    let model = Model::start(&run, &Bell::default(), Access::default())?;
    let watch = model.watch(PERIOD);
    show(&model, 3)?;
    let with_model = count().bytes;
    let (looking, updates) = updates(&model, time);

    let serving = Instant::now();
    let options = Options { enabled: true, server: ServerConfig::loopback(), ..Options::default() };
    let served = Served::of(&model, &pipeline.plan, &options)?;
    start += serving.elapsed();
    show(&model, 3)?;
    let with_pvs = count().bytes;
    let threads = [threads, self::threads()];
    let (showing, shown) = self::updates(&model, time);
    let pvs = served.pvs();
    drop((served, watch));
    model.end();
    run.stop();
    if !run.wait(PATIENCE) {
        return Err("the run does not end".into());
    }
    // CPU time per second, less the time of the run alone, by the number of PVs and updates in that second.
    let us = |cpu: f64, updates: f64, less: f64| 1e6 * (cpu - less).max(0.0) / (updates * pvs as f64);
    let looking_us = us(looking, updates, alone);
    let bytes = |from: usize, to: usize| to.saturating_sub(from) as f64 / pvs as f64;
    Ok(Sample {
        pvs,
        nodes: pipeline.graph.nodes().len(),
        start_ms: 1e3 * start.as_secs_f64(),
        us: [looking_us, (us(showing, shown, alone) - looking_us).max(0.0)],
        threads,
        bytes: [bytes(empty, with_model), bytes(with_model, with_pvs)],
    })
}

/// Waits for `moments` more moments.
fn show(model: &Model, moments: u64) -> Result<(), Failed> {
    let wanted = model.newest().version + moments - 1;
    model.newer_than(wanted, PATIENCE).map(|_| ()).ok_or_else(|| "nothing is shown".into())
}

/// CPU seconds per second of this process while the model is watched, and updates per second.
fn updates(model: &Model, time: Duration) -> (f64, f64) {
    let (begin, from) = (Instant::now(), model.newest().version);
    let cpu = per_second(time);
    let updates = model.newest().version.saturating_sub(from).max(1);
    (cpu, updates as f64 / begin.elapsed().as_secs_f64())
}

/// CPU seconds per second of this process.
fn per_second(time: Duration) -> f64 {
    let (begin, cpu) = (Instant::now(), process_cpu());
    std::thread::sleep(time);
    process_cpu().saturating_sub(cpu).as_secs_f64() / begin.elapsed().as_secs_f64()
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

fn row(name: &str, samples: &[Sample]) -> Value {
    let three = |of: &dyn Fn(&Sample) -> f64, digits| {
        let spread = Spread::of(samples.iter().map(of).collect());
        [spread.median, spread.min, spread.max].map(|v| rounded(v, digits))
    };
    let most = |of: fn(&Sample) -> usize| samples.iter().map(of).max();
    json!({
        "run": name,
        "pvs": most(|s| s.pvs),
        "nodes": most(|s| s.nodes),
        "us_per_pv_and_update": three(&|s| s.us[0] + s.us[1], 4),
        "looking_us": three(&|s| s.us[0], 4),
        "showing_us": three(&|s| s.us[1], 4),
        "threads_alone": most(|s| s.threads[0]),
        "threads_served": most(|s| s.threads[1]),
        "model_bytes_per_pv": three(&|s| s.bytes[0], 0),
        "bytes_per_pv": three(&|s| s.bytes[1], 0),
        "start_ms": three(&|s| s.start_ms, 0),
    })
}

/// For people.
pub(super) fn table(rows: &[Value]) -> String {
    let columns = [
        ("run", "run"),
        ("PVs", "pvs"),
        ("nodes", "nodes"),
        ("us per PV and update", "us_per_pv_and_update"),
        ("looking", "looking_us"),
        ("showing", "showing_us"),
        ("threads alone", "threads_alone"),
        ("served", "threads_served"),
        ("B per PV", "bytes_per_pv"),
        ("model", "model_bytes_per_pv"),
        ("start ms", "start_ms"),
    ];
    let mut table = Table::new(&columns.map(|(title, _)| title)).right(1..columns.len());
    rows.iter().for_each(|row| table.row(columns.map(|(_, key)| cell(&row[key]))));
    table.render(Style::default())
}

/// Median, and in brackets smallest and largest.
pub(super) fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(three) if three.len() == 3 => format!("{} ({} to {})", three[0], three[1], three[2]),
        other => other.to_string(),
    }
}
